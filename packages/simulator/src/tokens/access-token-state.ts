/**
 * Status of an access token at a given time, from the specification's state table. The console draws the same
 * table of transitions. The status is calculated from timestamps, so no timer is needed for a token to
 * expire.
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
  /** Time at which the second factor was, or will be, completed. `undefined` if it was not. */
  readonly verifiedAtMs: number | undefined
  readonly lastUsedAtMs: number | undefined
  readonly expiresAtMs: number
  /** Set if a test or a newer token has ended it early. */
  readonly forced: 'INVALID' | 'EXPIRED' | undefined
}

/** A transition from one status to another. */
export interface AccessTokenTransition {
  readonly from: AccessTokenStatus
  readonly to: AccessTokenStatus
  /** Description of the trigger. */
  readonly on: string
  /** Time of the transition. `undefined` if it does not happen. */
  readonly atMs: (token: AccessTokenTimes, rules: AccessTokenRules) => number | undefined
}

const windowEndsMs = (token: AccessTokenTimes, rules: AccessTokenRules): number =>
  token.createdAtMs + rules.verificationWindowMs
const idleEndsMs = (token: AccessTokenTimes, rules: AccessTokenRules): number =>
  (token.lastUsedAtMs ?? token.createdAtMs) + rules.idleMs
/** A forced end has no timestamp. */
const forced =
  (as: 'INVALID' | 'EXPIRED') =>
  (token: AccessTokenTimes): number | undefined =>
    token.forced === as ? Number.NEGATIVE_INFINITY : undefined

/** The transitions. The first one that is due is applied. INVALID and EXPIRED are final. */
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
    // A token that was not used before its expiry is INVALID, not EXPIRED.
    atMs: (token, rules) =>
      idleEndsMs(token, rules) <= token.expiresAtMs ? idleEndsMs(token, rules) : undefined,
  },
  { from: 'NORMAL', to: 'EXPIRED', on: 'validity is over', atMs: ({ expiresAtMs }) => expiresAtMs },
]

/** The status at `nowMs`. */
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

/** The next transition that needs no action, and its time. `undefined` if the status is final. */
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
