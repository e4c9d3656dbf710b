/**
 * The service's rate limits on its token endpoints, per app key: 10 requests in 30 seconds about access tokens
 * (specification, "Limits"), and for client tokens 600 creates and 600 refreshes in 60 seconds (published by the
 * service; docs/open-points.md has the decision).
 *
 * Each limit is a sliding window over the instants at which calls were sent, by this process or by all processes
 * that share a store.
 */
import type { AbortSignalLike, Clock, RateLimit, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  clock,
  createReporter,
  type FieldsOf,
  func,
  integer,
  oneOf,
  optional,
  readOptions,
  serviceIdentity,
  signal,
} from '@brokerwire/core/internal'
import { OBSERVER_OPTIONS, type ObserverOptions, tokenStore } from '../shared-options.ts'
import { optionInvalid, TokensError } from '../tokens-error.ts'
import type { TokenCall } from '../types.ts'
import { MAX_BACK_OFF_MS, type RateWindow } from './rate-window.ts'
import { createRateWindows, type LongWait, longWaitMessage } from './rate-windows.ts'

/**
 * Priority of each call while calls wait for the same window: lower numbers go first. With the scope `app-key`, `config` uses
 * the same window as `check` and `create`.
 */
const PRIORITY = { check: 0, config: 0, create: 1, 'client-create': 1, 'client-refresh': 1 } as const
const CALLS = Object.keys(PRIORITY) as TokenCall[]
const isClientCall = (call: TokenCall): boolean => call === 'client-create' || call === 'client-refresh'

const DAY_MS = 86_400_000

/** Options of {@link createTokenRateLimiter}. Read once. */
export interface TokenRateLimiterOptions extends ObserverOptions {
  /** Maximum number of calls about access tokens in one window. @defaultValue 10 */
  readonly limit?: number | undefined
  /** Length of the window of calls about access tokens, in milliseconds. @defaultValue 30000 */
  readonly windowMs?: number | undefined
  /**
   * Maximum number of creates of client tokens in one window, and of refreshes in a separate window.
   * @defaultValue 600
   */
  readonly clientLimit?: number | undefined
  /** Length of the window of calls about client tokens, in milliseconds. @defaultValue 60000 */
  readonly clientWindowMs?: number | undefined
  /**
   * Added to each window in milliseconds, because network delays vary. If hosts share a window, use at least the
   * difference of their clocks, and the longest duration of a write to the store.
   * @defaultValue 250
   */
  readonly marginMs?: number | undefined
  /**
   * Which calls about access tokens share a window: all calls of an app key, or the calls of one endpoint. Each
   * endpoint of client tokens always has its own window.
   * @defaultValue 'app-key'
   */
  readonly scope?: 'app-key' | 'endpoint' | undefined
  /**
   * A store through which processes share their windows, under `identity`. Each call then reads and writes the
   * store once, without a lock, and once more for each process that was faster. It fails with `TOKEN_STORE_FAILED` if the store fails, because
   * an uncounted call could exceed the limit of the others. Priorities apply within a process; between processes the first call
   * is first.
   * @defaultValue none: each process counts its own calls
   */
  readonly store?: Store | undefined
  /** Service and app key of the shared windows. Required with `store`. */
  readonly identity?: ServiceIdentity | undefined
  /**
   * The longest allowed wait in milliseconds. A call that would have to wait longer fails at once with
   * `TOKEN_RATE_LIMITED`, also a call that is already waiting and whose wait becomes longer.
   * @defaultValue 60000, or one window if that is longer
   */
  readonly maxWaitMs?: number | undefined
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
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
  maxWaitMs: optional(integer({ min: 0, max: MAX_BACK_OFF_MS })),
  clock,
  ...OBSERVER_OPTIONS,
} satisfies FieldsOf<TokenRateLimiterOptions>

/** A rate limiter for the token endpoints of one app key. */
export interface TokenRateLimiter {
  /** Number of calls of this process that wait now. */
  readonly waiting: number
  /**
   * Resolves when the call may be sent.
   *
   * @throws The signal's reason as soon as it aborts. TokensError `TOKEN_RATE_LIMITED`; `TOKEN_STORE_FAILED`,
   * `TOKEN_RECORD_INVALID` if the window is shared.
   */
  acquire(
    call: TokenCall,
    options?: {
      /** Ends the wait when it aborts. */
      readonly signal?: AbortSignalLike | undefined
      /** Called with the shortest possible wait in milliseconds when the wait begins, and when it becomes longer. */
      readonly onWaitChange?: ((atLeastMs: number) => void) | undefined
    },
  ): Promise<void>
  /**
   * Lets no call pass for this time, which the service requested with `Retry-After`. The pause is an hour at
   * most.
   *
   * @param call - The call that received the response. Only its window pauses. Without `call`, all windows
   * pause.
   */
  backOff(delayMs: number, call?: TokenCall | undefined): void
}

/**
 * Creates a rate limiter. It has no timers while no call waits.
 *
 * Each limit is a sliding window by the clock of the host. Checks go before creates. A clock that is set forward ends a window
 * early. A clock that is set back while processes share a window can let more calls through, for up to two windows. A clock that
 * is wrong by more than a window delays no call by more than one window. A host whose clock is behind uses the instants that
 * other hosts wrote, so it waits instead of sending too early. A call that is aborted while it waits frees its slot.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createTokenRateLimiter } from '@brokerwire/tokens'
 *
 * const limiter = createTokenRateLimiter({
 *   observer: { onTokenWait: ({ call, atLeastMs }) => console.log(call, atLeastMs) },
 * })
 * await limiter.acquire('check')
 * ```
 */
export function createTokenRateLimiter(given: TokenRateLimiterOptions = {}): TokenRateLimiter {
  const options = readOptions(optionInvalid, given, TOKEN_RATE_LIMITER_OPTIONS)
  const { marginMs, scope, store, identity, clock, clientId, observer } = options
  const report = createReporter(observer, { clientId })
  if (store === undefined && identity !== undefined)
    throw optionInvalid('identity', 'undefined', 'an object', 'identity must not be set without store')
  const shared = store && { store, identity: serviceIdentity(identity, 'identity', optionInvalid) }
  const windows = createRateWindows({ clock, marginMs, shared })
  const findWindow = (call: TokenCall): { readonly window: RateWindow; readonly limit: RateLimit } => {
    const isClient = isClientCall(call)
    const name = isClient || scope === 'endpoint' ? call : scope
    const limit = isClient
      ? { limit: options.clientLimit, windowMs: options.clientWindowMs }
      : { limit: options.limit, windowMs: options.windowMs }
    return { window: windows.find(name, limit), limit }
  }

  return {
    get waiting() {
      return windows.waiting
    },
    async acquire(call, acquireOptions = {}) {
      oneOf(CALLS)(call, 'call', optionInvalid)
      const { signal, onWaitChange } = readOptions(optionInvalid, acquireOptions, ACQUIRE_OPTIONS)
      const { window, limit } = findWindow(call)
      const { maxWaitMs = Math.max(60_000, limit.windowMs + marginMs) } = options
      await window.acquire(PRIORITY[call], signal, (ahead, wait, isFirst) => {
        if (wait.restMs > maxWaitMs) throw rateLimited(call, { limit, wait, maxWaitMs })
        onWaitChange(wait.restMs)
        if (isFirst) report('onTokenWait', { call, ahead, atLeastMs: wait.restMs })
      })
    },
    backOff(delayMs, call) {
      if (!(delayMs > 0 && Number.isFinite(delayMs))) return
      const paused = call === undefined ? CALLS : [call]
      for (const window of new Set(paused.map((each) => findWindow(each).window)))
        window.backOff(Math.min(delayMs, MAX_BACK_OFF_MS))
    },
  }
}

const ACQUIRE_OPTIONS = { signal, onWaitChange: func<(atLeastMs: number) => void>(() => {}) }

function rateLimited(
  call: TokenCall,
  longWait: Pick<LongWait, 'limit' | 'wait' | 'maxWaitMs'>,
): TokensError<'TOKEN_RATE_LIMITED'> {
  return new TokensError('TOKEN_RATE_LIMITED', longWaitMessage({ name: call, unit: 'call', ...longWait }), {
    details: { call, retryAfterMs: longWait.wait.restMs },
    retryable: true,
  })
}
