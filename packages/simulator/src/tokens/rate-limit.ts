/** The token endpoints' limit, per app key: a sliding window. */

/** How many calls in how long. Specification: 10 in 30 seconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

/**
 * Counts calls.
 *
 * @param limit - `false`: nothing is refused.
 * @returns Takes a call of an app key: 0 where it may pass, else the milliseconds until the next one may. A refused
 * call does not count.
 */
export function createRateLimiter(limit: RateLimit | false): (appKey: string, nowMs: number) => number {
  if (limit === false) return () => 0
  const { requests, windowMs } = limit
  const callsByApp = new Map<string, number[]>()
  return (appKey, nowMs) => {
    const calls = (callsByApp.get(appKey) ?? []).filter((at) => at > nowMs - windowMs)
    callsByApp.set(appKey, calls)
    const oldest = calls[calls.length - requests]
    if (oldest !== undefined) return oldest + windowMs - nowMs
    calls.push(nowMs)
    return 0
  }
}
