/**
 * Timers of one app. They are canceled when the relay of the app ends, because a timer would keep the process
 * alive.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'

export class AppTimers {
  readonly #clock: Clock
  readonly #signal: AbortSignalLike
  readonly #pending = new Set<() => void>()

  /** @param signal - After it aborts, no timer is set. */
  constructor(clock: Clock, signal: AbortSignalLike) {
    this.#clock = clock
    this.#signal = signal
  }

  /** Calls the callback once, after the delay. */
  after(delayMs: number, callback: () => void): void {
    if (this.#signal.aborted) return
    const cancel = this.#clock.setTimer(() => {
      this.#pending.delete(cancel)
      callback()
    }, delayMs)
    this.#pending.add(cancel)
  }

  /** Waits for the work, but not longer than the limit. Errors of the work are ignored. */
  async waitAtMost(limitMs: number, work: () => Promise<unknown>): Promise<void> {
    await withTimeout(this.#clock, limitMs, undefined, work, () => {}).catch(() => {})
  }

  cancelAll(): void {
    for (const cancel of this.#pending) cancel()
    this.#pending.clear()
  }
}
