/**
 * The clock port. All code that reads the time or waits uses a {@link Clock}, so that tests run in virtual
 * time. Durations are milliseconds, and their names end in `Ms`. Instants are milliseconds since the Unix
 * epoch.
 */

import type { AbortSignalLike } from '../structural.ts'
import { addAbortListener, throwIfAborted } from './abort.ts'

/** Reads the time and sets timers. */
export interface Clock {
  /** Returns the time in milliseconds since the Unix epoch. */
  now(): number
  /**
   * Calls `callback` once after `delayMs`, but never before `setTimer` has returned. A delay that is negative
   * or `NaN` counts as 0. With `Infinity` the timer never fires.
   *
   * @returns A function that cancels the timer. The function has no effect after the timer has fired.
   */
  setTimer(callback: () => void, delayMs: number): () => void
}

declare const setTimeout: (callback: () => void, delayMs: number) => unknown
declare const clearTimeout: (handle: unknown) => void

/**
 * The maximum delay that hosts support, in milliseconds. With a longer delay, a timer of the host fires
 * immediately.
 */
const MAX_TIMER_MS = 2_147_483_647

/** Returns the delay of a timer of a {@link Clock}: negative values and `NaN` become 0. */
export function timerDelay(delayMs: number): number {
  return Math.max(delayMs || 0, 0)
}

/** The host's clock. A delay that is too long for the host is split into several timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    let handle: unknown
    const schedule = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, MAX_TIMER_MS)
      handle = setTimeout(() => (leftMs > stepMs ? schedule(leftMs - stepMs) : callback()), stepMs)
    }
    schedule(timerDelay(delayMs))
    return () => clearTimeout(handle)
  },
}

/**
 * Waits for `delayMs` milliseconds.
 *
 * @throws The signal's reason as soon as it aborts.
 *
 * @example
 * ```ts
 * import { systemClock } from '@brokerwire/core'
 * import { sleep } from '@brokerwire/core/internal'
 *
 * await sleep(systemClock, 1000)
 * ```
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal)
    const cancel = clock.setTimer(() => {
      release?.()
      resolve()
    }, delayMs)
    const release =
      signal &&
      addAbortListener(signal, (reason) => {
        cancel()
        reject(reason)
      })
  })
}
