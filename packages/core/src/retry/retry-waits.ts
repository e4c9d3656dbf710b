/** Waits before attempts that may fail again, as pure functions. They grow, so that rejected credentials do not cause many calls. */

/** Waits before the attempts after a failure of class `unknown`: five attempts in five minutes. */
const UNKNOWN_WAITS_MS = [5000, 15_000, 40_000, 90_000, 150_000]
const FIRST_REFUSAL_WAIT_MS = 5000

/** The longest wait after a rejection, and the longest `Retry-After` that is honoured. */
const MAX_REFUSAL_WAIT_MS = 300_000

/** An attempt after a failure of class `unknown`. */
export interface BoundedRetry {
  /** Wait before the attempt, in milliseconds. */
  readonly delayMs: number
  /** Attempts that are left after this one, before the failure is final. */
  readonly retriesLeft: number
}

/**
 * The next attempt after a failure of class `unknown`, or after a final one of a call that worked before.
 *
 * @param retries - Such attempts since the call last worked, for a subscription since its last stable period.
 * @param random - From 0 up to but not including 1: the wait varies by a fifth.
 * @param retryAfterMs - The wait that the service asked for, in milliseconds. It can only make the wait longer.
 * @returns `undefined` if the failure is final.
 *
 * @example
 * ```ts
 * import { nextRetry } from '@brokerwire/core/internal'
 *
 * console.log(nextRetry(0, 0.5)) // { delayMs: 5000, retriesLeft: 4 }
 * console.log(nextRetry(5, 0.5)) // undefined
 * ```
 */
export function nextRetry(retries: number, random: number, retryAfterMs = 0): BoundedRetry | undefined {
  const waitMs = UNKNOWN_WAITS_MS[retries]
  if (waitMs === undefined) return undefined
  const delayMs = Math.max(Math.round(waitMs * (0.8 + 0.4 * random)), boundedRetryAfterMs(retryAfterMs))
  return { delayMs, retriesLeft: UNKNOWN_WAITS_MS.length - retries - 1 }
}

/**
 * The wait in milliseconds after a rejection, for a caller that goes on trying until the credentials are corrected: five seconds, then twice as
 * long each time, up to five minutes.
 *
 * @param refusals - Rejections in a row, including this one.
 */
export function refusalWaitMs(refusals: number): number {
  return Math.min(MAX_REFUSAL_WAIT_MS, FIRST_REFUSAL_WAIT_MS * 2 ** (refusals - 1))
}

/** The wait that the service asked for in milliseconds, at most five minutes. */
export function boundedRetryAfterMs(retryAfterMs: number): number {
  return Math.min(MAX_REFUSAL_WAIT_MS, Math.max(0, retryAfterMs))
}
