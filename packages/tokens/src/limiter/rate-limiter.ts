/**
 * The service's limit on its token endpoints: 10 requests in 30 seconds per app key (specification, "Limits").
 *
 * A sliding window over the instants at which calls were let through, of this process or of all that share a store.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  clock,
  type FieldsOf,
  func,
  integer,
  notify,
  oneOf,
  optional,
  readOptions,
  serviceIdentity,
} from '@brokerwire/core/internal'
import { rateWindowKey, readSignalOption, tokenStore } from '../shared-options.ts'
import { storedText } from '../store-access.ts'
import { optionInvalid, TokensError } from '../tokens-error.ts'
import type { ApiCall } from '../types.ts'
import {
  createRateWindow,
  MAX_HOLD_OFF_MS,
  type RateWindow,
  textInMemory,
  type UpdateText,
} from './rate-window.ts'

/** The limited calls; earlier ones go first. `config` counts as a check. */
const PRIORITY = { check: 0, config: 0, create: 1, 'client-create': 1, 'client-refresh': 2 } as const

const DAY_MS = 86_400_000

/** Somebody has to wait. */
export interface RateLimitWait {
  readonly call: ApiCall
  /** How many of this process go before this one. */
  readonly ahead: number
  /** The shortest time that this wait can take. */
  readonly atLeastMs: number
}

/** Options of {@link createTokenRateLimiter}. Read once. */
export interface TokenRateLimiterOptions {
  /** Calls in one window. @defaultValue 10 */
  readonly limit?: number | undefined
  /** @defaultValue 30000 */
  readonly windowMs?: number | undefined
  /**
   * Added to the window, because requests do not arrive in the rhythm in which they were sent. Where hosts share a
   * window, at least as much as their clocks differ.
   * @defaultValue 250
   */
  readonly marginMs?: number | undefined
  /** What shares one window: all calls, or each kind of call by itself. @defaultValue 'app-key' */
  readonly scope?: 'app-key' | 'endpoint' | undefined
  /**
   * One window for all processes that share this store, under `identity`. Each call then reads and writes the store once,
   * and fails with `TOKEN_STORE_FAILED` where the store does.
   * @defaultValue none: each process counts for itself
   */
  readonly store?: Store | undefined
  /** Whose window it is in the store. Required with `store`. */
  readonly identity?: ServiceIdentity | undefined
  /**
   * A call that is known to wait for longer fails at once with `TOKEN_HELD_OFF`: a `Retry-After` of an hour blocks no
   * caller. In milliseconds. @defaultValue 60000, or one window where that is longer
   */
  readonly maxWaitMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Told of every wait. Cannot steer: what it throws is dropped. */
  readonly onWait?: ((wait: RateLimitWait) => void) | undefined
}

/** Schemas of {@link TokenRateLimiterOptions}. */
export const TOKEN_RATE_LIMITER_OPTIONS = {
  limit: integer({ min: 1, max: 10_000, default: 10 }),
  windowMs: integer({ min: 1, max: DAY_MS, default: 30_000 }),
  marginMs: integer({ min: 0, max: DAY_MS, default: 250 }),
  scope: oneOf(['app-key', 'endpoint'], 'app-key'),
  store: optional(tokenStore),
  identity: optional(serviceIdentity),
  maxWaitMs: optional(integer({ min: 0, max: MAX_HOLD_OFF_MS })),
  clock,
  onWait: optional(func<(wait: RateLimitWait) => void>()),
} satisfies FieldsOf<TokenRateLimiterOptions>

/** Lets calls through at the rate that the service allows. One for each app key. */
export interface TokenRateLimiter {
  /** How many of this process wait now. */
  readonly waiting: number
  /**
   * Resolves when the call may be made.
   *
   * @throws The signal's reason, as soon as it aborts; the place in the queue is given up. TokensError
   * `TOKEN_HELD_OFF`; `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID` where the window is shared.
   */
  acquire(call: ApiCall, options?: { readonly signal?: AbortSignalLike | undefined }): Promise<void>
  /** Lets nothing through for a while, as the service asked with `Retry-After`: an hour at most. */
  holdOff(delayMs: number): void
}

/**
 * Makes a limiter. It keeps no timers while no call waits.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createTokenRateLimiter } from '@brokerwire/tokens'
 *
 * const limiter = createTokenRateLimiter({ onWait: ({ call, atLeastMs }) => console.log(call, atLeastMs) })
 * await limiter.acquire('check')
 * ```
 */
export function createTokenRateLimiter(given: TokenRateLimiterOptions = {}): TokenRateLimiter {
  const options = readOptions(optionInvalid, given, TOKEN_RATE_LIMITER_OPTIONS)
  const { limit, windowMs, marginMs, scope, store, identity, clock, onWait } = options
  const spanMs = windowMs + marginMs
  const { maxWaitMs = Math.max(60_000, spanMs) } = options
  if (store === undefined && identity !== undefined)
    throw optionInvalid('identity', 'undefined', 'an object', 'identity must not be set without store')
  const shared = store && { store, identity: serviceIdentity(identity, 'identity', optionInvalid) }
  const windows = new Map<string, RateWindow>()
  const windowOf = (call: ApiCall): RateWindow => {
    const name = scope === 'app-key' ? scope : call
    const update = (): UpdateText =>
      shared ? storedText(shared.store, { key: rateWindowKey(shared.identity, name) }).update : textInMemory()
    const window = windows.get(name) ?? createRateWindow(update(), clock, limit, spanMs)
    windows.set(name, window)
    return window
  }

  return {
    get waiting() {
      return [...windows.values()].reduce((sum, { waiting }) => sum + waiting, 0)
    },
    acquire(call, options = {}) {
      oneOf(Object.keys(PRIORITY))(call, 'call', optionInvalid)
      const signal = readSignalOption(options)
      return windowOf(call).enter(PRIORITY[call], signal, (ahead, atLeastMs, isFirst) => {
        const details = { call, retryAfterMs: atLeastMs }
        const message = `the service asked to make no ${call} call for a while`
        if (atLeastMs > maxWaitMs)
          throw new TokensError('TOKEN_HELD_OFF', message, { details, retryable: true })
        if (isFirst) notify(() => onWait?.({ call, ahead, atLeastMs }))
      })
    },
    holdOff(delayMs) {
      if (!(delayMs > 0 && Number.isFinite(delayMs))) return
      const calls = Object.keys(PRIORITY) as ApiCall[]
      for (const window of new Set(calls.map(windowOf))) window.close(Math.min(delayMs, MAX_HOLD_OFF_MS))
    },
  }
}
