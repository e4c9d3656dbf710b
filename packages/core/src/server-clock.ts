/**
 * The service's clock, as far as it is known: the host's plus an offset that is learned from answers.
 *
 * Signatures carry a timestamp that the service checks; a host whose clock is off gets every request refused.
 */

/** A source of time with a correction. */
export interface ServerClock {
  /** Milliseconds since the Unix epoch, corrected. */
  now(): number
  /** Milliseconds that are added to the host's clock. 0 until something was learned. */
  readonly offsetMs: number
  /**
   * Takes a time that the service stated.
   *
   * @param serverNowMs - Milliseconds since the Unix epoch. Ignored where no service's clock says so: before 2020, and
   * from 2100 on.
   * @returns Whether the offset moved by more than the tolerance.
   */
  learn(serverNowMs: number): boolean
}

/** A broken gateway's date must not spoil every signature until the next correction. */
const EARLIEST_MS = Date.UTC(2020, 0, 1)
const LATEST_MS = Date.UTC(2100, 0, 1)

/**
 * @param now - The host's clock, milliseconds since the Unix epoch.
 * @param toleranceMs - Smaller differences are left alone: an HTTP `Date` header has whole seconds.
 * @defaultValue toleranceMs 2000
 */
export function createServerClock(now: () => number = Date.now, toleranceMs = 2000): ServerClock {
  let offsetMs = 0
  return {
    now: () => now() + offsetMs,
    get offsetMs() {
      return offsetMs
    },
    learn(serverNowMs) {
      const next = serverNowMs - now()
      if (!(serverNowMs >= EARLIEST_MS && serverNowMs < LATEST_MS)) return false
      if (!Number.isFinite(next) || Math.abs(next - offsetMs) <= toleranceMs) return false
      offsetMs = next
      return true
    },
  }
}
