/** Rates of events and requests per second, from counters that are read once a second. */

/** The events and requests of one second. */
export interface Rate {
  readonly events: number
  readonly requests: number
}

/** Values of the counters. */
export interface Counters {
  readonly events: number
  readonly requests: number
}

/** Number of seconds in the chart. */
export const RATE_SECONDS = 60

/** Appends the rate of one second. */
export function nextRates(rates: readonly Rate[], before: Counters, now: Counters): readonly Rate[] {
  const rate = {
    events: Math.max(0, now.events - before.events),
    requests: Math.max(0, now.requests - before.requests),
  }
  return [...rates, rate].slice(-RATE_SECONDS)
}
