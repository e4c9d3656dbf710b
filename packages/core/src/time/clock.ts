/**
 * Time as a port: what reads the clock or waits takes a {@link Clock}, so that tests run on virtual time.
 *
 * Durations are milliseconds and end in `Ms`; instants are milliseconds since the Unix epoch.
 */

import type { AbortSignalLike } from '../structural.ts'
import { onAbort, throwIfAborted } from './abort.ts'

/** Reads the time and sets timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /**
   * Calls `callback` once, after `delayMs`, never before this call has returned. A delay that is not positive, or
   * no number, is 0; an infinite one never fires.
   *
   * @returns Cancels the timer; harmless after it fired.
   */
  setTimer(callback: () => void, delayMs: number): () => void
}

declare const setTimeout: (callback: () => void, delayMs: number) => unknown
declare const clearTimeout: (handle: unknown) => void

/** Longest delay that hosts keep: beyond it they fire at once. */
const MAX_TIMER_MS = 2_147_483_647

/** The delay that a {@link Clock} keeps for the one that it was given. */
export function timerDelay(delayMs: number): number {
  return Math.max(delayMs || 0, 0)
}

/** The host's clock. Longer delays than the host keeps are split. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    let handle: unknown
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, MAX_TIMER_MS)
      handle = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : callback()), stepMs)
    }
    arm(timerDelay(delayMs))
    return () => clearTimeout(handle)
  },
}

/**
 * Waits.
 *
 * @throws The signal's reason, as soon as it aborts.
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
      onAbort(signal, (reason) => {
        cancel()
        reject(reason)
      })
  })
}
