/**
 * What status an access token has at an instant, as the specification's state table says.
 *
 * Derived from times instead of being set by timers: nothing has to fire for a token to expire.
 */

/** Statuses of the specification. */
export type AccessTokenStatus = 'PENDING' | 'NORMAL' | 'INVALID' | 'EXPIRED'

/** Durations of the state table. */
export interface AccessTokenRules {
  /** Time for the second factor. Specification: 5 minutes. */
  readonly verificationWindowMs: number
  /** Longest time without a call. Facts: 15 days. */
  readonly idleMs: number
}

/** Times of one token, milliseconds since the epoch. */
export interface AccessTokenTimes {
  readonly createdAtMs: number
  /** When the second factor was, or will be, completed. `undefined`: nobody has. */
  readonly verifiedAtMs: number | undefined
  readonly lastUsedAtMs: number | undefined
  readonly expiresAtMs: number
  /** Ended before its time, by a test or by a newer token. */
  readonly forced: 'INVALID' | 'EXPIRED' | undefined
}

/** The status at `nowMs`. A token that was never used by the end of its validity is INVALID, not EXPIRED. */
export function accessTokenStatus(
  token: AccessTokenTimes,
  rules: AccessTokenRules,
  nowMs: number,
): AccessTokenStatus {
  if (token.forced !== undefined) return token.forced
  const windowEndsMs = token.createdAtMs + rules.verificationWindowMs
  const { verifiedAtMs } = token
  if (verifiedAtMs === undefined || verifiedAtMs > nowMs || verifiedAtMs >= windowEndsMs) {
    return nowMs < windowEndsMs ? 'PENDING' : 'EXPIRED'
  }
  const idleEndsMs = (token.lastUsedAtMs ?? token.createdAtMs) + rules.idleMs
  if (nowMs >= idleEndsMs && idleEndsMs <= token.expiresAtMs) return 'INVALID'
  return nowMs < token.expiresAtMs ? 'NORMAL' : 'EXPIRED'
}
