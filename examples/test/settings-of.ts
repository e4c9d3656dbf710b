/** The settings of an example, for the local service. */
import type { Simulator } from '@brokerwire/simulator'

/** The variables of a local service. @param suffix - Suffix of their names. */
export function settingsOf(simulator: Simulator, suffix = ''): Record<string, string> {
  const { region, environment, credentials, baseUrl, eventsUrl, moduleEventsUrl } = simulator
  const settings = {
    REGION: region,
    ENVIRONMENT: environment,
    APP_KEY: credentials.appKey,
    APP_SECRET: credentials.appSecret.reveal(),
    BASE_URL: baseUrl,
    EVENTS_URL: eventsUrl,
    MODULE_EVENTS_URL: moduleEventsUrl,
  }
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`BROKERWIRE_${name}${suffix}`, value]),
  )
}
