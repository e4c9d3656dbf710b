/**
 * The service's limit on its token endpoints: 10 requests in 30 seconds per app key (specification, "Limits").
 *
 * A sliding window over the instants at which calls were let through, of this process or of all that share a store.
 */
import {
  type AbortSignalLike,
  abortReason,
  type Clock,
  describe,
  onAbort,
  readInteger,
  readOneOf,
  readSignal,
  requireObject,
  requirePort,
  type Store,
  systemClock,
  tell,
  throwIfAborted,
} from '@brokerwire/core'
import { readKey, storeKey } from '../key.ts'
import { optionInvalid, TokensError } from '../tokens-error.ts'
import type { TokenKey } from '../types.ts'
import { createRateWindow, MAX_HOLD_OFF_MS, type RateWindow, type Waiter } from './rate-window.ts'

/** The limited calls; earlier ones go first. `config` counts as a check. */
const PRIORITY = { check: 0, config: 0, create: 1, 'client-create': 1, 'client-refresh': 2 } as const

/** A call that the limiter knows. */
export type LimitedCall = keyof typeof PRIORITY

/** Somebody has to wait. */
export interface RateLimitWait {
  readonly call: LimitedCall
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
   * One window for all processes that share this store, under `key`. Each call then reads and writes the store once,
   * and fails with `TOKEN_STORE_FAILED` where the store does.
   * @defaultValue none: each process counts for itself
   */
  readonly store?: Store | undefined
  /** Whose window it is in the store. Required with `store`. */
  readonly key?: TokenKey | undefined
  /**
   * Who is known to wait for longer fails at once with `TOKEN_HELD_OFF`: a `Retry-After` of an hour keeps nobody
   * hanging. In milliseconds. @defaultValue 60000, or one window where that is longer
   */
  readonly maxWaitMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Told of every wait. Cannot steer: what it throws is dropped. */
  readonly onWait?: ((wait: RateLimitWait) => void) | undefined
}

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
  acquire(call: LimitedCall, options?: { readonly signal?: AbortSignalLike | undefined }): Promise<void>
  /** Lets nothing through for a while, as the service asked with `Retry-After`: an hour at most. */
  holdOff(delayMs: number): void
}

function heldOff(call: LimitedCall, retryAfterMs: number): TokensError<'TOKEN_HELD_OFF'> {
  return new TokensError('TOKEN_HELD_OFF', `the service asked to make no ${call} call for a while`, {
    details: { call, retryAfterMs },
    retryable: true,
  })
}

/** @returns How long a window is, and what makes the window of a name. */
function readWindows(options: TokenRateLimiterOptions): {
  readonly spanMs: number
  makeWindow(name: string): RateWindow
} {
  const { clock = systemClock, store, key } = options
  requirePort(optionInvalid, 'clock', clock, ['now', 'setTimer'])
  const limit = readInteger(optionInvalid, 'limit', options.limit, { min: 1, max: 10_000, fallback: 10 })
  const bounds = { min: 1, max: 86_400_000, fallback: 30_000 }
  const windowMs = readInteger(optionInvalid, 'windowMs', options.windowMs, bounds)
  const marginMs = readInteger(optionInvalid, 'marginMs', options.marginMs, {
    ...bounds,
    min: 0,
    fallback: 250,
  })
  const spanMs = windowMs + marginMs
  const open = (place: Store, storedKey: string): RateWindow =>
    createRateWindow(place, storedKey, clock, limit, spanMs)
  if (store === undefined) {
    if (key !== undefined) throw optionInvalid('key', 'none without store', describe(key))
    const memory = createMemory()
    return { spanMs, makeWindow: (name) => open(memory, name) }
  }
  requirePort(optionInvalid, 'store', store, ['get', 'compareAndSet'])
  const tokenKey = readKey(key as TokenKey)
  return { spanMs, makeWindow: (name) => open(store, storeKey('rate-limit', tokenKey, name)) }
}

/** What a process keeps that counts for itself. */
function createMemory(): Store {
  const texts = new Map<string, string>()
  return {
    get: async (name) => texts.get(name),
    async compareAndSet(name, expected, next) {
      if (next === undefined || texts.get(name) !== expected) return false
      texts.set(name, next)
      return true
    },
  }
}

/**
 * Makes a limiter. It keeps no timers while nobody waits.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function createTokenRateLimiter(options: TokenRateLimiterOptions = {}): TokenRateLimiter {
  requireObject(optionInvalid, 'options', options)
  const { onWait } = options
  const { spanMs, makeWindow } = readWindows(options)
  const maxWaitMs = readInteger(optionInvalid, 'maxWaitMs', options.maxWaitMs, {
    min: 0,
    max: MAX_HOLD_OFF_MS,
    fallback: Math.max(60_000, spanMs),
  })
  const scope = readOneOf(optionInvalid, 'scope', options.scope, ['app-key', 'endpoint'], 'app-key')
  const windows = new Map<string, RateWindow>()
  const windowOf = (call: LimitedCall): RateWindow => {
    const name = scope === 'app-key' ? scope : call
    const window = windows.get(name) ?? makeWindow(name)
    windows.set(name, window)
    return window
  }

  return {
    get waiting() {
      return [...windows.values()].reduce((sum, { waiting }) => sum + waiting, 0)
    },
    acquire(call, options = {}) {
      readOneOf(optionInvalid, 'call', call, Object.keys(PRIORITY))
      requireObject(optionInvalid, 'options', options)
      const signal = readSignal(optionInvalid, options.signal)
      return new Promise((resolve, reject) => {
        throwIfAborted(signal)
        const window = windowOf(call)
        const waiter: Waiter = {
          priority: PRIORITY[call],
          go() {
            release?.()
            resolve()
          },
          fail(error) {
            release?.()
            reject(error)
          },
          wait(ahead, atLeastMs) {
            if (atLeastMs > maxWaitMs) {
              window.leave(waiter)
              waiter.fail(heldOff(call, atLeastMs))
            } else tell(() => onWait?.({ call, ahead, atLeastMs }))
          },
        }
        const release =
          signal &&
          onAbort(signal, () => {
            window.leave(waiter)
            reject(abortReason(signal))
          })
        window.enter(waiter)
      })
    },
    holdOff(delayMs) {
      if (!(delayMs > 0 && Number.isFinite(delayMs))) return
      for (const call of scope === 'app-key'
        ? (['check'] as const)
        : (Object.keys(PRIORITY) as LimitedCall[]))
        windowOf(call).close(Math.min(delayMs, MAX_HOLD_OFF_MS))
    },
  }
}
