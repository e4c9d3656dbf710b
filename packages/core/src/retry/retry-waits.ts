/**
 * Waits before attempts that may fail again, as pure functions. The waits get longer, so that rejected
 * credentials do not cause many calls.
 */

/** The wait before each attempt after a failure of class `unknown`: five attempts in five minutes. */
const UNKNOWN_WAITS_MS = [5000, 15_000, 40_000, 90_000, 150_000]
const FIRST_REJECTION_WAIT_MS = 5000

/** The maximum wait after a rejection. A longer `Retry-After` is shortened to it. */
const MAX_REJECTION_WAIT_MS = 300_000

/** An attempt after a failure of class `unknown`. */
export interface BoundedRetry {
  /** Wait before the attempt, in milliseconds. */
  readonly delayMs: number
  /** Number of attempts that may follow this one before the failure is final. */
  readonly retriesLeft: number
}

/**
 * Returns the next attempt after a failure of class `unknown`, which includes final failures of a call that
 * has succeeded before.
 *
 * @param retries - Number of such attempts since the call last succeeded or, for a subscription, since its
 * last stable period.
 * @param random - A number from 0, inclusive, to 1, exclusive. It varies the wait by up to a fifth.
 * @param retryAfterMs - The wait that the service requested, in milliseconds. It can make the wait longer,
 * but not shorter.
 * @returns The attempt; `undefined` if no attempt is left, so that the failure is final.
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
 * Returns the wait after a rejection, in milliseconds, for a caller that continues until the credentials are
 * corrected. The first wait is five seconds, and each further wait is twice as long, up to five minutes.
 *
 * @param rejections - Number of consecutive rejections, including this one.
 */
export function rejectionWaitMs(rejections: number): number {
  return Math.min(MAX_REJECTION_WAIT_MS, FIRST_REJECTION_WAIT_MS * 2 ** (rejections - 1))
}

/** Returns the wait that the service requested, in milliseconds, but at most five minutes. */
export function boundedRetryAfterMs(retryAfterMs: number): number {
  return Math.min(MAX_REJECTION_WAIT_MS, Math.max(0, retryAfterMs))
}
