/** Paths of the user's configuration and state directories on each platform. */
import { posix, win32 } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

const FOLDER = 'brokerwire'

function getFolder(
  env: Env,
  platform: string,
  of: { unix: string; home: readonly string[]; windows: string },
): string | undefined {
  if (platform === 'win32') {
    const base = env[of.windows]
    return base ? win32.join(base, FOLDER) : undefined
  }
  // XDG requires that a path that is not absolute is ignored.
  const base = env[of.unix]
  if (base?.startsWith('/')) return posix.join(base, FOLDER)
  return env.HOME?.startsWith('/') ? posix.join(env.HOME, ...of.home, FOLDER) : undefined
}

/**
 * Returns the path of the profile file: `$XDG_CONFIG_HOME/brokerwire/config.json`, by default under
 * `~/.config`.
 */
export function configFile(env: Env, platform: string = process.platform): string | undefined {
  const folder = getFolder(env, platform, { unix: 'XDG_CONFIG_HOME', home: ['.config'], windows: 'APPDATA' })
  if (folder === undefined) return undefined
  return (platform === 'win32' ? win32 : posix).join(folder, 'config.json')
}

/**
 * Returns the default directory of tokens: `$XDG_STATE_HOME/brokerwire/store`, by default under
 * `~/.local/state`.
 */
export const defaultStore = (env: Env, platform: string = process.platform): string | undefined =>
  getStatePath('store', env, platform)

/** Returns the path of the file with port and token of the last console of `simulate`, next to the tokens. */
export const consoleFile = (env: Env, platform: string = process.platform): string | undefined =>
  getStatePath('console.json', env, platform)

function getStatePath(name: string, env: Env, platform: string): string | undefined {
  const of = { unix: 'XDG_STATE_HOME', home: ['.local', 'state'], windows: 'LOCALAPPDATA' }
  const folder = getFolder(env, platform, of)
  if (folder === undefined) return undefined
  return (platform === 'win32' ? win32 : posix).join(folder, name)
}
