/** How many events and requests there were in each second: counters that only grow, looked at once a second. */

/** One second. */
export interface Rate {
  /** Seconds before now, from 0. */
  readonly events: number
  readonly requests: number
}

/** What the counters said last. */
export interface Counters {
  readonly events: number
  readonly requests: number
}

/** A minute is shown. */
export const RATE_SECONDS = 60

/** The rates with one second more. */
export function nextRates(rates: readonly Rate[], before: Counters, now: Counters): readonly Rate[] {
  const rate = {
    events: Math.max(0, now.events - before.events),
    requests: Math.max(0, now.requests - before.requests),
  }
  return [...rates, rate].slice(-RATE_SECONDS)
}
