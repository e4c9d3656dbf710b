/**
 * Completion values that are not in definitions: names of modules, profiles and settings. If a source cannot
 * be read, it has no values.
 */
import type { CompletionSource } from '../frame/definition.ts'
import { configFile } from '../settings/paths.ts'
import { getSetting, SETTING_NAMES } from '../settings/settings.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Reads the values of a source on demand. */
export async function readValues(
  source: CompletionSource,
  before: readonly string[],
  env: Env,
): Promise<readonly string[]> {
  switch (source) {
    case 'modules':
      return (await import('@brokerwire/payloads')).SUBSCRIBABLE_MODULES
    case 'profiles': {
      const { readProfiles } = await import('../settings/profiles.ts')
      return Object.keys(await readProfiles(configFile(env)).catch(() => ({})))
    }
    case 'settings':
      return SETTING_NAMES.map((name) => getSetting(name).key)
    case 'setting-values':
      return SETTING_NAMES.map(getSetting).find(({ key }) => key === before[0])?.choices ?? []
    default:
      return []
  }
}
