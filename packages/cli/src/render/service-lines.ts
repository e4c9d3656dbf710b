/** Addresses and credentials of a local service, ready to be pasted into a shell. */
import type { Simulator } from '@brokerwire/simulator'
import { CONNECTION_ENV } from '../connection-options.ts'
import { ENV } from '../credentials.ts'

/**
 * The lines. They show the app secret on purpose: it was made up by this process, opens this local service alone and
 * ends with it.
 */
export function serviceLines(simulator: Simulator): readonly string[] {
  const { credentials } = simulator
  const variables: readonly (readonly [string, string])[] = [
    [CONNECTION_ENV.region, simulator.region],
    [CONNECTION_ENV.environment, simulator.environment],
    [CONNECTION_ENV.httpUrl, simulator.httpUrl],
    [CONNECTION_ENV.eventsUrl, simulator.eventsUrl],
    [CONNECTION_ENV.moduleEventsUrl, simulator.moduleEventsUrl],
    [ENV.appKey, credentials.appKey],
    [ENV.appSecret, credentials.appSecret.reveal()],
    [CONNECTION_ENV.accounts, simulator.accounts.join()],
  ]
  return variables.map(([name, value]) => `export ${name}=${value}`)
}
