/**
 * The settings of the shorter examples, from the variables that `brokerwire simulate` prints. Without the
 * URLs, the examples connect to the real service. Region and environment have no default, so that no example
 * connects to the real service accidentally.
 */
import { Secret } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'

/** The settings of one app key. */
export interface Settings {
  readonly region: Region
  readonly environment: Environment
  readonly appKey: string
  readonly appSecret: Secret
  readonly overrides: {
    readonly baseUrl: string | undefined
    readonly eventsUrl: string | undefined
    readonly moduleEventsUrl: string | undefined
  }
}

/** The error for a missing or invalid variable. Its message is written for people. */
export class SettingError extends Error {}

/** Reads the settings. @throws {@link SettingError} */
export function readSettings(): Settings {
  const read = (name: string): string | undefined => process.env[`BROKERWIRE_${name}`]
  const need = (name: string): string => {
    const value = read(name)
    if (value) return value
    throw new SettingError(`BROKERWIRE_${name} is not set: paste the lines that "brokerwire simulate" prints`)
  }
  const region = need('REGION')
  if (region !== 'us' && region !== 'hk') throw new SettingError('BROKERWIRE_REGION: expected us or hk')
  const environment = need('ENVIRONMENT')
  if (environment !== 'sandbox' && environment !== 'production')
    throw new SettingError('BROKERWIRE_ENVIRONMENT: expected sandbox or production')
  return {
    region,
    environment,
    appKey: need('APP_KEY'),
    appSecret: new Secret(need('APP_SECRET')),
    overrides: {
      baseUrl: read('BASE_URL'),
      eventsUrl: read('EVENTS_URL'),
      moduleEventsUrl: read('MODULE_EVENTS_URL'),
    },
  }
}
