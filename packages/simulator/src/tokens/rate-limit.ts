/** Rate limits of the token endpoints for each app key, as sliding windows. */

/** Limits and windows. */
export interface RateLimit {
  /** Maximum number of calls about access tokens in each window. @defaultValue 10 */
  readonly requests?: number | undefined
  /** Window of calls about access tokens, in milliseconds. @defaultValue 30000 */
  readonly windowMs?: number | undefined
  /**
   * Maximum number of create requests of client tokens in each window. The same maximum applies to their
   * refreshes, which are counted separately.
   * @defaultValue 600
   */
  readonly clientRequests?: number | undefined
  /** Window of calls about client tokens, in milliseconds. @defaultValue 60000 */
  readonly clientWindowMs?: number | undefined
}

/** Limits and windows with their defaults. */
export type RateLimitSettings = { readonly [Name in keyof RateLimit]-?: number }

/** Groups of calls with a common limit. */
export const LIMIT_GROUPS = ['access', 'client-create', 'client-refresh'] as const
export type LimitGroup = (typeof LIMIT_GROUPS)[number]

/** A counted call. */
export interface CountedCall {
  readonly of: LimitGroup
  readonly atMs: number
}

/** Counts the calls of one app. */
export interface RateLimiter {
  /**
   * Counts a call if it is allowed.
   *
   * @returns 0 if the call is allowed. Otherwise the milliseconds until a call is allowed again.
   */
  take(of: LimitGroup, nowMs: number): number
  /** Returns the calls that the windows still count. */
  calls(): readonly CountedCall[]
  /** Restores a call that was counted before a restart. */
  restore(call: CountedCall): void
}

/**
 * Creates a limiter without calls.
 *
 * @param limit - Limits and windows. With `false` every call is allowed.
 * @param onCall - Called before a call is counted.
 */
export function createRateLimiter(
  limit: RateLimitSettings | false,
  onCall: (call: CountedCall) => void,
): RateLimiter {
  if (limit === false) return { take: () => 0, calls: () => [], restore: () => undefined }
  const windows = Object.fromEntries(
    LIMIT_GROUPS.map((of) => {
      const isAccess = of === 'access'
      const requests = isAccess ? limit.requests : limit.clientRequests
      const windowMs = isAccess ? limit.windowMs : limit.clientWindowMs
      return [of, createWindow(requests, windowMs, (atMs) => onCall({ of, atMs }))]
    }),
  ) as Readonly<Record<LimitGroup, ReturnType<typeof createWindow>>>
  return {
    take: (of, nowMs) => windows[of].take(nowMs),
    calls: () => LIMIT_GROUPS.flatMap((of) => windows[of].calls().map((atMs) => ({ of, atMs }))),
    restore: ({ of, atMs }) => windows[of].restore(atMs),
  }
}

/** Creates a sliding window of calls. */
export function createWindow(requests: number, windowMs: number, onCall: (atMs: number) => void) {
  let calls: number[] = []
  return {
    take(nowMs: number): number {
      calls = calls.filter((at) => at > nowMs - windowMs)
      const oldest = calls[calls.length - requests]
      if (oldest !== undefined) return oldest + windowMs - nowMs
      onCall(nowMs)
      calls.push(nowMs)
      return 0
    },
    calls: (): readonly number[] => calls,
    restore(atMs: number): void {
      // Only the last `requests` calls affect the result.
      calls = [...calls, atMs].slice(-requests)
    },
  }
}
