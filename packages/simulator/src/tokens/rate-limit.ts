/** The token endpoints' limit, per app key: a sliding window. */

/** How many calls in how long. Specification: 10 in 30 seconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/** Counts the calls of one app. */
export interface RateLimiter {
  /** Takes a call: 0 where it may pass, else the milliseconds until the next one may. A refused call does not count. */
  take(nowMs: number): number
  /** Instants of the calls that count. */
  calls(): readonly number[]
  /** Counts a call of an earlier limiter. */
  restore(atMs: number): void
}

/**
 * Makes a limiter that has counted nothing.
 *
 * @param limit - `false`: nothing is refused.
 * @param onCall - Called before a call is counted.
 */
export function createRateLimiter(limit: RateLimit | false, onCall: (atMs: number) => void): RateLimiter {
  if (limit === false) return { take: () => 0, calls: () => [], restore: () => undefined }
  const { requests, windowMs } = limit
  let calls: number[] = []
  return {
    take(nowMs) {
      calls = calls.filter((at) => at > nowMs - windowMs)
      const oldest = calls[calls.length - requests]
      if (oldest !== undefined) return oldest + windowMs - nowMs
      onCall(nowMs)
      calls.push(nowMs)
      return 0
    },
    calls: () => calls,
    restore(atMs) {
      // More than these never count.
      calls = [...calls, atMs].slice(-requests)
    },
  }
}
