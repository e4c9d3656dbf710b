/**
 * The service's limit on its token endpoints: 10 requests in 30 seconds per app key (specification, "Limits").
 *
 * A sliding window over the instants at which calls were let through. Waiters go by priority, not by arrival: a
 * person who has just given a second factor waits for a check, nobody waits for a refresh in the background.
 */
import {
  type AbortSignalLike,
  abortReason,
  type Clock,
  readInteger,
  readOneOf,
  systemClock,
} from '@brokerwire/core'
import { optionInvalid } from './tokens-error.ts'

/** The limited calls; earlier ones go first. `config` counts as a check. */
const PRIORITY = { check: 0, config: 0, create: 1, 'client-create': 1, 'client-refresh': 2 } as const

/** A call that the limiter knows. */
export type LimitedCall = keyof typeof PRIORITY

/** Somebody has to wait. */
export interface RateLimitWait {
  readonly call: LimitedCall
  /** How many go before this one. */
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
   * Added to the window, because requests do not arrive in the rhythm in which they were sent.
   * @defaultValue 250
   */
  readonly marginMs?: number | undefined
  /** What shares one window: all calls, or each kind of call by itself. @defaultValue 'app-key' */
  readonly scope?: 'app-key' | 'endpoint' | undefined
  readonly clock?: Clock | undefined
  /** Told of every wait. Cannot steer: what it throws is dropped. */
  readonly onWait?: ((wait: RateLimitWait) => void) | undefined
}

/** Lets calls through at the rate that the service allows. One for each app key. */
export interface TokenRateLimiter {
  /** How many wait now. */
  readonly waiting: number
  /**
   * Resolves when the call may be made.
   *
   * @throws The signal's reason, as soon as it aborts; the place in the queue is given up.
   */
  acquire(call: LimitedCall, options?: { readonly signal?: AbortSignalLike | undefined }): Promise<void>
  /** Lets nothing through for a while, as the service asked with `Retry-After`. */
  holdOff(delayMs: number): void
}

interface Waiter {
  readonly call: LimitedCall
  readonly priority: number
  go(): void
}

/** One window with its queue. */
class Window {
  readonly waiters: Waiter[] = []
  readonly #clock: Clock
  readonly #limit: number
  readonly #spanMs: number
  #passed: number[] = []
  #closedUntilMs = 0
  /** The last close: no clock that is set back may make it longer. */
  #closeMs = 0
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock, limit: number, spanMs: number) {
    this.#clock = clock
    this.#limit = limit
    this.#spanMs = spanMs
  }

  /** Lets through what fits, and sets the timer for the next. @returns Milliseconds until something may fit. */
  pump(): number {
    const nowMs = this.#clock.now()
    // A clock that was set back must not turn the past into a long wait.
    this.#passed = this.#passed
      .map((passedMs) => Math.min(passedMs, nowMs))
      .filter((passedMs) => nowMs - passedMs < this.#spanMs)
    this.#closedUntilMs = Math.min(this.#closedUntilMs, nowMs + this.#closeMs)
    const freeAtMs = (): number => {
      const oldest = this.#passed.length < this.#limit ? nowMs : (this.#passed[0] ?? nowMs) + this.#spanMs
      return Math.max(oldest, this.#closedUntilMs)
    }
    while (this.waiters.length > 0 && freeAtMs() <= nowMs) {
      this.#passed.push(nowMs)
      this.waiters.shift()?.go()
    }
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const restMs = freeAtMs() - nowMs
    if (this.waiters.length > 0) this.#cancelTimer = this.#clock.setTimer(() => this.pump(), restMs)
    return restMs
  }

  close(delayMs: number): void {
    this.#closeMs = delayMs
    this.#closedUntilMs = Math.max(this.#closedUntilMs, this.#clock.now() + delayMs)
    this.pump()
  }

  add(waiter: Waiter): number {
    const found = this.waiters.findIndex(({ priority }) => priority > waiter.priority)
    const index = found === -1 ? this.waiters.length : found
    this.waiters.splice(index, 0, waiter)
    return index
  }

  remove(waiter: Waiter): void {
    const index = this.waiters.indexOf(waiter)
    if (index !== -1) this.waiters.splice(index, 1)
    this.pump()
  }
}

/**
 * Makes a limiter. It keeps no timers while nobody waits.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function createTokenRateLimiter(options: TokenRateLimiterOptions = {}): TokenRateLimiter {
  const { clock = systemClock, onWait } = options
  const limit = readInteger(optionInvalid, 'limit', options.limit, { min: 1, max: 10_000, fallback: 10 })
  const bounds = { min: 1, max: 86_400_000, fallback: 30_000 }
  const windowMs = readInteger(optionInvalid, 'windowMs', options.windowMs, bounds)
  const marginMs = readInteger(optionInvalid, 'marginMs', options.marginMs, {
    ...bounds,
    min: 0,
    fallback: 250,
  })
  const scope = readOneOf(optionInvalid, 'scope', options.scope, ['app-key', 'endpoint'], 'app-key')
  const windows = new Map<string, Window>()
  const windowOf = (call: LimitedCall): Window => {
    const name = scope === 'app-key' ? scope : call
    const window = windows.get(name) ?? new Window(clock, limit, windowMs + marginMs)
    windows.set(name, window)
    return window
  }

  return {
    get waiting() {
      return [...windows.values()].reduce((sum, { waiters }) => sum + waiters.length, 0)
    },
    acquire(call, { signal } = {}) {
      readOneOf(optionInvalid, 'call', call, Object.keys(PRIORITY))
      return new Promise((resolve, reject) => {
        if (signal?.aborted) throw abortReason(signal)
        const window = windowOf(call)
        const onAbort = (): void => {
          window.remove(waiter)
          if (signal !== undefined) reject(abortReason(signal))
        }
        let passed = false
        const waiter: Waiter = {
          call,
          priority: PRIORITY[call],
          go: () => {
            passed = true
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        const ahead = window.add(waiter)
        const atLeastMs = window.pump()
        if (passed) return
        signal?.addEventListener('abort', onAbort, { once: true })
        try {
          onWait?.({ call, ahead, atLeastMs })
        } catch {
          // An observer cannot steer.
        }
      })
    },
    holdOff(delayMs) {
      if (!(delayMs > 0 && Number.isFinite(delayMs))) return
      for (const call of scope === 'app-key'
        ? (['check'] as const)
        : (Object.keys(PRIORITY) as LimitedCall[]))
        windowOf(call).close(delayMs)
    },
  }
}
