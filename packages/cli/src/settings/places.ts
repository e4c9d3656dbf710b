/** Where the program keeps what it keeps: the user's directories for configuration and for state, as the host has them. */
import { posix, win32 } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

const FOLDER = 'brokerwire'

function place(
  env: Env,
  platform: string,
  of: { unix: string; home: readonly string[]; windows: string },
): string | undefined {
  if (platform === 'win32') {
    const base = env[of.windows]
    return base ? win32.join(base, FOLDER) : undefined
  }
  // The XDG rule: a path that is not absolute is none.
  const base = env[of.unix]
  if (base?.startsWith('/')) return posix.join(base, FOLDER)
  return env.HOME?.startsWith('/') ? posix.join(env.HOME, ...of.home, FOLDER) : undefined
}

/** The file with the profiles: `$XDG_CONFIG_HOME/brokerwire/config.json`, else under `~/.config`. */
export function configFile(env: Env, platform: string = process.platform): string | undefined {
  const folder = place(env, platform, { unix: 'XDG_CONFIG_HOME', home: ['.config'], windows: 'APPDATA' })
  if (folder === undefined) return undefined
  return (platform === 'win32' ? win32 : posix).join(folder, 'config.json')
}

/** The directory for tokens where none is named: `$XDG_STATE_HOME/brokerwire/store`, else under `~/.local/state`. */
export const defaultStore = (env: Env, platform: string = process.platform): string | undefined =>
  inState('store', env, platform)

/** Where the console of `simulate` was last, and what opens it: beside the tokens. */
export const consoleFile = (env: Env, platform: string = process.platform): string | undefined =>
  inState('console.json', env, platform)

function inState(name: string, env: Env, platform: string): string | undefined {
  const of = { unix: 'XDG_STATE_HOME', home: ['.local', 'state'], windows: 'LOCALAPPDATA' }
  const folder = place(env, platform, of)
  if (folder === undefined) return undefined
  return (platform === 'win32' ? win32 : posix).join(folder, name)
}
