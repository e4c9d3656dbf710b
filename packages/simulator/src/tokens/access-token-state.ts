/**
 * Calculates the status of an access token at a given time with the specification's state table. The console
 * draws the same table. The status is calculated from timestamps, so a token expires without a timer.
 */

/** Token statuses of the specification. */
export type AccessTokenStatus = 'PENDING' | 'NORMAL' | 'INVALID' | 'EXPIRED'

/** Durations of the state table. */
export interface AccessTokenRules {
  /** Time limit of the second factor. Specification: 5 minutes. */
  readonly verificationWindowMs: number
  /** Maximum time without use. Facts: 15 days. */
  readonly idleMs: number
}

/** Timestamps of one token, milliseconds since the Unix epoch. */
export interface AccessTokenTimes {
  readonly createdAtMs: number
  /**
   * Time at which the second factor was completed, or will be completed automatically. `undefined` if neither
   * is so.
   */
  readonly verifiedAtMs: number | undefined
  readonly lastUsedAtMs: number | undefined
  readonly expiresAtMs: number
  /** Status of a token that a test or a newer token has ended early. Otherwise `undefined`. */
  readonly forced: 'INVALID' | 'EXPIRED' | undefined
}

/** A transition from one status to another. */
export interface AccessTokenTransition {
  readonly from: AccessTokenStatus
  readonly to: AccessTokenStatus
  /** Description of the trigger. */
  readonly on: string
  /** Returns the time of the transition. `undefined` if the transition does not happen. */
  readonly atMs: (token: AccessTokenTimes, rules: AccessTokenRules) => number | undefined
}

const windowEndsMs = (token: AccessTokenTimes, rules: AccessTokenRules): number =>
  token.createdAtMs + rules.verificationWindowMs
const idleEndsMs = (token: AccessTokenTimes, rules: AccessTokenRules): number =>
  (token.lastUsedAtMs ?? token.createdAtMs) + rules.idleMs
/**
 * Creates the `atMs` of a forced end. No time of such an end is stored, so the transition is due at any time.
 */
const forced =
  (as: 'INVALID' | 'EXPIRED') =>
  (token: AccessTokenTimes): number | undefined =>
    token.forced === as ? Number.NEGATIVE_INFINITY : undefined

/**
 * The transitions. Of those from the current status, the first one that is due is applied. INVALID and
 * EXPIRED are final.
 */
export const ACCESS_TOKEN_TRANSITIONS: readonly AccessTokenTransition[] = [
  {
    from: 'PENDING',
    to: 'NORMAL',
    on: 'second factor completed in time',
    atMs: (token, rules) => {
      const { verifiedAtMs } = token
      return verifiedAtMs !== undefined && verifiedAtMs < windowEndsMs(token, rules)
        ? verifiedAtMs
        : undefined
    },
  },
  { from: 'PENDING', to: 'INVALID', on: 'ended', atMs: forced('INVALID') },
  { from: 'PENDING', to: 'EXPIRED', on: 'ended', atMs: forced('EXPIRED') },
  { from: 'PENDING', to: 'EXPIRED', on: 'time for the second factor is over', atMs: windowEndsMs },
  { from: 'NORMAL', to: 'INVALID', on: 'ended', atMs: forced('INVALID') },
  { from: 'NORMAL', to: 'EXPIRED', on: 'ended', atMs: forced('EXPIRED') },
  {
    from: 'NORMAL',
    to: 'INVALID',
    on: 'not used for too long',
    // If the time without use ends at the expiry or earlier, the token becomes INVALID, not EXPIRED.
    atMs: (token, rules) =>
      idleEndsMs(token, rules) <= token.expiresAtMs ? idleEndsMs(token, rules) : undefined,
  },
  { from: 'NORMAL', to: 'EXPIRED', on: 'validity is over', atMs: ({ expiresAtMs }) => expiresAtMs },
]

/** Returns the status of a token at `nowMs`. */
export function accessTokenStatus(
  token: AccessTokenTimes,
  rules: AccessTokenRules,
  nowMs: number,
): AccessTokenStatus {
  let status: AccessTokenStatus = 'PENDING'
  for (;;) {
    const due = ACCESS_TOKEN_TRANSITIONS.find(
      ({ from, atMs }) => from === status && (atMs(token, rules) ?? Number.POSITIVE_INFINITY) <= nowMs,
    )
    if (due === undefined) return status
    status = due.to
  }
}

/** Returns the next transition that needs no action, and its time. `undefined` if the status is final. */
export function nextTransition(
  token: AccessTokenTimes,
  rules: AccessTokenRules,
  nowMs: number,
): { readonly move: AccessTokenTransition; readonly atMs: number } | undefined {
  const status = accessTokenStatus(token, rules, nowMs)
  let next: { readonly move: AccessTokenTransition; readonly atMs: number } | undefined
  for (const move of ACCESS_TOKEN_TRANSITIONS) {
    const atMs = move.from === status ? move.atMs(token, rules) : undefined
    if (atMs !== undefined && (next === undefined || atMs < next.atMs)) next = { move, atMs }
  }
  return next
}
