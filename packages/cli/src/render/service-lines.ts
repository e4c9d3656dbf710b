/** Addresses and credentials of a local service as shell lines. */
import type { Simulator } from '@brokerwire/simulator'
import { OTHER_VARIABLES, SETTINGS, type SettingName } from '../settings/settings.ts'
import { exportLine } from './shell.ts'

/**
 * Creates the lines. They show the app secret intentionally, because this process has generated it, and it is
 * valid only for this local service.
 */
export function serviceLines(simulator: Simulator): readonly string[] {
  const { credentials } = simulator
  const variables: readonly (readonly [SettingName, string])[] = [
    ['region', simulator.region],
    ['environment', simulator.environment],
    ['baseUrl', simulator.baseUrl],
    ['eventsUrl', simulator.eventsUrl],
    ['moduleEventsUrl', simulator.moduleEventsUrl],
    ...(simulator.quotes === undefined ? [] : [['mqttUrl', simulator.quotes.mqttUrl] as const]),
    ['appKey', credentials.appKey],
    ['appSecret', credentials.appSecret.reveal()],
    ['accounts', simulator.accounts.join()],
  ]
  const lines = variables.map(([name, value]) => exportLine(SETTINGS[name].variable, value))
  const { controlUrl, controlToken } = simulator
  if (controlUrl === undefined) return lines
  return [
    ...lines,
    exportLine(OTHER_VARIABLES.controlUrl, controlUrl),
    exportLine(OTHER_VARIABLES.controlToken, controlToken.reveal()),
  ]
}

/** Returns the address that opens the console in a browser; `undefined` if there is no console. */
export function consoleAddress({ consoleUrl, consoleToken }: Simulator): string | undefined {
  return consoleUrl && `${consoleUrl}/#token=${consoleToken.reveal()}`
}
