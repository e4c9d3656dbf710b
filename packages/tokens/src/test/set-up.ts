/** Fixture for tests of access tokens. */
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createFailingStore, type FailingStore } from '@brokerwire/testing/failing-store'
import { createAccessTokens } from '../access/access-tokens.ts'
import type { AccessTokensOptions } from '../access/options.ts'
import { createTestService, type TestService } from './service.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** The key of the production record. */
export const KEY = 'access-token/production/us/app-1/https%3A%2F%2Fapi.test'

/** A service, a store and a clock, and access tokens that use them. */
export interface SetUp {
  readonly clock: VirtualClock
  readonly store: FailingStore
  readonly service: TestService
  open(more?: Partial<AccessTokensOptions>): ReturnType<typeof createAccessTokens>
}

export function setUp(environment: 'production' | 'sandbox' = 'production'): SetUp {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestService(clock, { production: environment === 'production' })
  const identity = { environment, region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
  return {
    clock,
    store,
    service,
    open: (more) => createAccessTokens({ endpoints: service.endpoints, store, identity, clock, ...more }),
  }
}

/** Advances the virtual clock until the promise settles. Returns its value, or its error. */
export async function outcome<T>(clock: VirtualClock, promise: Promise<T>): Promise<T | unknown> {
  let settled = false
  const result = promise
    .catch((error: unknown) => error)
    .finally(() => {
      settled = true
    })
  await clock.settle()
  while (!settled && (await clock.advanceToNextTimer())) await clock.settle()
  return result
}

/** A fixture in which a token was created and verified. */
export async function verified(): Promise<SetUp & { tokens: ReturnType<typeof createAccessTokens> }> {
  const made = setUp()
  const tokens = made.open()
  const got = tokens.get()
  await made.clock.settle()
  made.service.approve()
  await outcome(made.clock, got)
  return { ...made, tokens }
}
