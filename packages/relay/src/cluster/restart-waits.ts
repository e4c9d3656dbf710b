/**
 * The delay before a failed app is started again. It grows with each failure in a row, because each start
 * opens all subscriptions and may create a token. After a run of a minute, failures are counted from zero
 * again.
 */
import { type Clock, isBrokerwireError } from '@brokerwire/core'
import { rejectionWaitMs } from '@brokerwire/core/internal'
import { isRelayError } from '../relay-error.ts'

/** The longest delay after transient failures, such as those of a sink. */
const MAX_TRANSIENT_WAIT_MS = 60_000
/**
 * The delay after the first failure if the stream was truncated. It is short, because the relay can take over
 * the stream at once.
 */
const TRUNCATED_WAIT_MS = 500
/** After this time, a run counts as a success. */
const STABLE_MS = 60_000

/**
 * Returns the delay before an app is started again.
 *
 * @param failures - The number of failures in a row, this one included.
 * @param minMs - The shortest delay, except after a truncation.
 */
export function restartWaitMs(failures: number, error: unknown, minMs: number): number {
  if (failures === 1 && isRelayError(error, 'RELAY_STREAM_TRUNCATED')) return TRUNCATED_WAIT_MS
  // The error is permanent, such as rejected credentials or a rejected request. Only a person can change
  // that.
  const isPermanent = isBrokerwireError(error) && !error.retryable
  const waitMs = isPermanent
    ? rejectionWaitMs(failures)
    : Math.min(MAX_TRANSIENT_WAIT_MS, minMs * 2 ** Math.max(0, failures - 2))
  return Math.max(minMs, waitMs)
}

export class RestartWaits {
  readonly #clock: Clock
  readonly #minMs: number
  readonly #onReady: () => void
  /** The number of failures in a row, by app. */
  readonly #failures = new Map<string, number>()
  /**
   * Functions that cancel the timer of an app, by app. The timer is either the delay before a restart, or the time
   * after a start that resets the number of failures.
   */
  readonly #timers = new Map<string, () => void>()
  readonly #waiting = new Set<string>()
  #isClosed = false

  /**
   * @param minMs - The delay after a first transient failure, and the delay after another writer took the
   * stream.
   * @param onReady - Called when the delay of an app is over.
   */
  constructor(clock: Clock, minMs: number, onReady: () => void) {
    this.#clock = clock
    this.#minMs = minMs
    this.#onReady = onReady
  }

  isWaiting(app: string): boolean {
    return this.#waiting.has(app)
  }

  /** Called when an app was started. */
  started(app: string): void {
    if (this.#failures.has(app)) this.#setTimer(app, STABLE_MS, () => this.#failures.delete(app))
  }

  /** Called when an app ended without a failure. */
  ended(app: string): void {
    if (!this.#waiting.has(app)) this.#clearTimer(app)
  }

  /** Called when another writer took the stream of an app. */
  fenced(app: string): void {
    this.#wait(app, this.#minMs)
  }

  failed(app: string, error: unknown): void {
    const failures = (this.#failures.get(app) ?? 0) + 1
    this.#failures.set(app, failures)
    this.#wait(app, restartWaitMs(failures, error, this.#minMs))
  }

  /** Cancels all timers, because they would keep the process alive. */
  close(): void {
    this.#isClosed = true
    for (const app of [...this.#timers.keys()]) this.#clearTimer(app)
  }

  #wait(app: string, delayMs: number): void {
    this.#waiting.add(app)
    this.#setTimer(app, delayMs, () => {
      this.#waiting.delete(app)
      this.#onReady()
    })
  }

  #setTimer(app: string, delayMs: number, work: () => void): void {
    this.#clearTimer(app)
    if (this.#isClosed) return
    const cancel = this.#clock.setTimer(() => {
      this.#timers.delete(app)
      work()
    }, delayMs)
    this.#timers.set(app, cancel)
  }

  #clearTimer(app: string): void {
    this.#timers.get(app)?.()
    this.#timers.delete(app)
  }
}
