/** Configurations for tests: an app with the required fields, and one of a simulator. */
import type { Simulator } from '@brokerwire/simulator'
import { parseRelayConfig, type RelayConfig } from '../config/parse-config.ts'

/** An app without subscriptions. */
export const APP = {
  name: 'team-a',
  environment: 'sandbox',
  region: 'us',
  appKey: { env: 'APP_KEY' },
  appSecret: { env: 'APP_SECRET' },
} as const

/** An app whose events a simulator sends. */
export const appOf = (simulator: Simulator, change: object = {}) => ({
  ...APP,
  accounts: simulator.accounts,
  modules: ['application'],
  eventsUrl: simulator.eventsUrl,
  moduleEventsUrl: simulator.moduleEventsUrl,
  ...change,
})

/** A parsed configuration, as a relay is started with it. */
export const configOf = (apps: readonly object[], more: object = {}): RelayConfig =>
  parseRelayConfig(JSON.stringify({ apps, ...more }))
