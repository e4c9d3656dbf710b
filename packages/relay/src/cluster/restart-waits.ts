/**
 * The delay before a failed key is started again. It grows with each failure in a row, because each start opens all subscriptions
 * and may create a token. The count starts again after a minute without a failure.
 */
import { type Clock, isBrokerwireError } from '@brokerwire/core'
import { refusalWaitMs } from '@brokerwire/core/internal'

/** The longest delay after transient failures, such as those of a sink. */
const MAX_TRANSIENT_WAIT_MS = 60_000
/** A run of this length counts as a success. */
const STABLE_MS = 60_000

/**
 * The delay before a key is started again.
 *
 * @param failures - Failures in a row, this one included.
 * @param minMs - The shortest delay.
 */
export function restartWaitMs(failures: number, error: unknown, minMs: number): number {
  // Rejected credentials, a rejected request: only a person can change that.
  const isRefusal = isBrokerwireError(error) && !error.retryable
  const waitMs = isRefusal
    ? refusalWaitMs(failures)
    : Math.min(MAX_TRANSIENT_WAIT_MS, minMs * 2 ** Math.max(0, failures - 2))
  return Math.max(minMs, waitMs)
}

export class RestartWaits {
  readonly #clock: Clock
  readonly #minMs: number
  readonly #onReady: () => void
  /** Failures in a row by key. */
  readonly #failures = new Map<string, number>()
  /** Cancels the timer of a key: of its delay, or of its stable run. */
  readonly #timers = new Map<string, () => void>()
  readonly #waiting = new Set<string>()
  #isClosed = false

  /**
   * @param minMs - The delay after a first transient failure, and after another writer took the stream.
   * @param onReady - Called when the delay of a key is over.
   */
  constructor(clock: Clock, minMs: number, onReady: () => void) {
    this.#clock = clock
    this.#minMs = minMs
    this.#onReady = onReady
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key)
  }

  /** A key was started. */
  started(key: string): void {
    if (this.#failures.has(key)) this.#setTimer(key, STABLE_MS, () => this.#failures.delete(key))
  }

  /** A key ended without a failure. */
  ended(key: string): void {
    if (!this.#waiting.has(key)) this.#clearTimer(key)
  }

  /** Another writer took the stream of a key. */
  fenced(key: string): void {
    this.#wait(key, this.#minMs)
  }

  failed(key: string, error: unknown): void {
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    this.#wait(key, restartWaitMs(failures, error, this.#minMs))
  }

  /** Cancels all timers, because they would keep the process alive. */
  close(): void {
    this.#isClosed = true
    for (const key of [...this.#timers.keys()]) this.#clearTimer(key)
  }

  #wait(key: string, delayMs: number): void {
    this.#waiting.add(key)
    this.#setTimer(key, delayMs, () => {
      this.#waiting.delete(key)
      this.#onReady()
    })
  }

  #setTimer(key: string, delayMs: number, work: () => void): void {
    this.#clearTimer(key)
    if (this.#isClosed) return
    const cancel = this.#clock.setTimer(() => {
      this.#timers.delete(key)
      work()
    }, delayMs)
    this.#timers.set(key, cancel)
  }

  #clearTimer(key: string): void {
    this.#timers.get(key)?.()
    this.#timers.delete(key)
  }
}
