/**
 * What status an access token has at an instant, as the specification's state table says: one table of moves, which is
 * walked here and drawn by the console.
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

/** A move from one status to another. */
export interface AccessTokenMove {
  readonly from: AccessTokenStatus
  readonly to: AccessTokenStatus
  /** What moves it, in words. */
  readonly on: string
  /** When it happens: `undefined` where it does not. */
  readonly atMs: (token: AccessTokenTimes, rules: AccessTokenRules) => number | undefined
}

const windowEndsMs = (token: AccessTokenTimes, rules: AccessTokenRules): number =>
  token.createdAtMs + rules.verificationWindowMs
const idleEndsMs = (token: AccessTokenTimes, rules: AccessTokenRules): number =>
  (token.lastUsedAtMs ?? token.createdAtMs) + rules.idleMs
/** A forced end has no instant: it is there or not. */
const forced =
  (as: 'INVALID' | 'EXPIRED') =>
  (token: AccessTokenTimes): number | undefined =>
    token.forced === as ? Number.NEGATIVE_INFINITY : undefined

/** The moves. Of those that are due, the first one is made. INVALID and EXPIRED are final. */
export const ACCESS_TOKEN_MOVES: readonly AccessTokenMove[] = [
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
    // A token that was never used by the end of its validity is INVALID, not EXPIRED.
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
    const due = ACCESS_TOKEN_MOVES.find(
      ({ from, atMs }) => from === status && (atMs(token, rules) ?? Number.POSITIVE_INFINITY) <= nowMs,
    )
    if (due === undefined) return status
    status = due.to
  }
}

/** The move that comes next by itself, and when. `undefined`: the status is final. */
export function nextMove(
  token: AccessTokenTimes,
  rules: AccessTokenRules,
  nowMs: number,
): { readonly move: AccessTokenMove; readonly atMs: number } | undefined {
  const status = accessTokenStatus(token, rules, nowMs)
  let next: { readonly move: AccessTokenMove; readonly atMs: number } | undefined
  for (const move of ACCESS_TOKEN_MOVES) {
    const atMs = move.from === status ? move.atMs(token, rules) : undefined
    if (atMs !== undefined && (next === undefined || atMs < next.atMs)) next = { move, atMs }
  }
  return next
}
