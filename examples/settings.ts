/**
 * What the shorter examples need to connect, from the variables that `brokerwire simulate` prints. Without the addresses the
 * examples would connect to the service itself; region and environment have no default, so that no key gets there by
 * accident.
 */
import { Secret } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'

/** One app key and where it belongs. */
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

/** A variable is missing or wrong. Its message is all that a person needs. */
export class SettingError extends Error {}

/** Reads them. @throws {@link SettingError} */
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
