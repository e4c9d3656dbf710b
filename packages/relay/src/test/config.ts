/** Configurations for tests: a key with what is needed and no more, and one of a simulator. */
import type { Simulator } from '@brokerwire/simulator'
import { type RelayConfig, readRelayConfig } from '../config/read-config.ts'

/** A key without subscriptions. */
export const KEY = {
  name: 'desk-a',
  environment: 'sandbox',
  region: 'us',
  appKey: { env: 'APP_KEY' },
  appSecret: { env: 'APP_SECRET' },
} as const

/** A key whose events a simulator sends. */
export const keyOf = (simulator: Simulator, change: object = {}) => ({
  ...KEY,
  accounts: simulator.accounts,
  modules: ['application'],
  eventsUrl: simulator.eventsUrl,
  moduleEventsUrl: simulator.moduleEventsUrl,
  ...change,
})

/** As a relay is started with it. */
export const configOf = (keys: readonly object[], more: object = {}): RelayConfig =>
  readRelayConfig(JSON.stringify({ keys, ...more }))
