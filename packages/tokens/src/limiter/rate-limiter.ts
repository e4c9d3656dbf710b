/**
 * The service's limits on its token endpoints, per app key: 10 requests in 30 seconds about access tokens
 * (specification, "Limits"), and 600 in 60 seconds for the create and for the refresh of client tokens each (published
 * by the service; docs/open-points.md has the decision).
 *
 * Each limit is a sliding window over the instants at which calls were let through, of this process or of all that
 * share a store.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  clock,
  durationText,
  type FieldsOf,
  func,
  integer,
  notify,
  oneOf,
  optional,
  readOptions,
  serviceIdentity,
  signal,
} from '@brokerwire/core/internal'
import { rateWindowKey, tokenStore } from '../shared-options.ts'
import { storedText } from '../store-access.ts'
import { optionInvalid, TokensError } from '../tokens-error.ts'
import type { TokenCall } from '../types.ts'
import { createRateWindow, MAX_HOLD_OFF_MS, type RateWindow, textInMemory } from './rate-window.ts'

/** The limited calls. In one window, lower numbers go first. `config` counts as a check. */
const PRIORITY = { check: 0, config: 0, create: 1, 'client-create': 1, 'client-refresh': 1 } as const
const CALLS = Object.keys(PRIORITY) as TokenCall[]
const isClientCall = (call: TokenCall): boolean => call === 'client-create' || call === 'client-refresh'

const DAY_MS = 86_400_000

/** Somebody has to wait. */
export interface RateLimitWait {
  readonly call: TokenCall
  /** How many calls of this process go before this one. */
  readonly ahead: number
  /** The shortest time that this wait can take, with the calls before it. */
  readonly atLeastMs: number
}

/** Options of {@link createTokenRateLimiter}. Read once. */
export interface TokenRateLimiterOptions {
  /** Calls about access tokens in one window. @defaultValue 10 */
  readonly limit?: number | undefined
  /** The window of calls about access tokens. @defaultValue 30000 */
  readonly windowMs?: number | undefined
  /** Creates of client tokens in one window, and as many refreshes in a window of their own. @defaultValue 600 */
  readonly clientLimit?: number | undefined
  /** The window of calls about client tokens. @defaultValue 60000 */
  readonly clientWindowMs?: number | undefined
  /**
   * Added to the window, because requests do not arrive in the rhythm in which they were sent. Where hosts share a
   * window, at least as much as their clocks differ.
   * @defaultValue 250
   */
  readonly marginMs?: number | undefined
  /**
   * What calls about access tokens share: one window of the app key, or none, with a window for each endpoint. The
   * endpoints of client tokens have a window each in any case.
   * @defaultValue 'app-key'
   */
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
   * A call that is known to wait for longer, behind the calls before it or after a `Retry-After`, fails at once with
   * `TOKEN_RATE_LIMITED`. In milliseconds. @defaultValue 60000, or one window if that is longer
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
  clientLimit: integer({ min: 1, max: 10_000, default: 600 }),
  clientWindowMs: integer({ min: 1, max: DAY_MS, default: 60_000 }),
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
   * `TOKEN_RATE_LIMITED`; `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID` where the window is shared.
   */
  acquire(
    call: TokenCall,
    options?: {
      readonly signal?: AbortSignalLike | undefined
      /** Called when the wait begins, and when it becomes longer, with the shortest time that it can take. */
      readonly onWait?: ((atLeastMs: number) => void) | undefined
    },
  ): Promise<void>
  /**
   * Lets no call through for a while, as the service asked with `Retry-After`: an hour at most.
   *
   * @param call - The call that was refused: calls in other windows go on. Without it, all are held off.
   */
  backOff(delayMs: number, call?: TokenCall | undefined): void
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
  const { marginMs, scope, store, identity, clock, onWait } = options
  if (store === undefined && identity !== undefined)
    throw optionInvalid('identity', 'undefined', 'an object', 'identity must not be set without store')
  const shared = store && { store, identity: serviceIdentity(identity, 'identity', optionInvalid) }
  const windows = new Map<string, LimitedWindow>()
  const windowOf = (call: TokenCall): LimitedWindow => {
    const isClient = isClientCall(call)
    const name = isClient || scope === 'endpoint' ? call : scope
    const known = windows.get(name)
    if (known !== undefined) return known
    const limit = isClient ? options.clientLimit : options.limit
    const windowMs = isClient ? options.clientWindowMs : options.windowMs
    const spanMs = windowMs + marginMs
    const update = shared
      ? storedText(shared.store, { key: rateWindowKey(shared.identity, name) }, clock).update
      : textInMemory()
    const made = {
      window: createRateWindow(update, clock, limit, spanMs),
      rate: `${limit} calls in ${durationText(windowMs)}`,
      maxWaitMs: options.maxWaitMs ?? Math.max(60_000, spanMs),
    }
    windows.set(name, made)
    return made
  }

  return {
    get waiting() {
      return [...windows.values()].reduce((sum, { window }) => sum + window.waiting, 0)
    },
    acquire(call, acquireOptions = {}) {
      oneOf(CALLS)(call, 'call', optionInvalid)
      const own = readOptions(optionInvalid, acquireOptions, ACQUIRE_OPTIONS)
      const { window, rate, maxWaitMs } = windowOf(call)
      return window.enter(PRIORITY[call], own.signal, (ahead, { restMs, isClosed }, isFirst) => {
        if (restMs > maxWaitMs) throw heldOff(call, restMs, isClosed ? undefined : rate, maxWaitMs)
        own.onWait(restMs)
        if (isFirst) notify(() => onWait?.({ call, ahead, atLeastMs: restMs }))
      })
    },
    backOff(delayMs, call) {
      if (!(delayMs > 0 && Number.isFinite(delayMs))) return
      const closed = call === undefined ? CALLS : [call]
      for (const { window } of new Set(closed.map(windowOf))) window.close(Math.min(delayMs, MAX_HOLD_OFF_MS))
    },
  }
}

/** A window, its limit in words, and how long a call may wait for it. */
interface LimitedWindow {
  readonly window: RateWindow
  readonly rate: string
  readonly maxWaitMs: number
}

const ACQUIRE_OPTIONS = { signal, onWait: func<(atLeastMs: number) => void>(() => {}) }

/** @param rate - The limit in words; `undefined`: the service asked to wait. */
function heldOff(
  call: TokenCall,
  retryAfterMs: number,
  rate: string | undefined,
  maxWaitMs: number,
): TokensError<'TOKEN_RATE_LIMITED'> {
  const wait = durationText(retryAfterMs)
  const why =
    rate === undefined
      ? `the service answered 429: no ${call} call for ${wait}`
      : `the rate limiter (${rate} for each app key) lets this ${call} call pass in ${wait}`
  const message = `${why}, which is longer than maxWaitMs (${durationText(maxWaitMs)})`
  return new TokensError('TOKEN_RATE_LIMITED', message, { details: { call, retryAfterMs }, retryable: true })
}
