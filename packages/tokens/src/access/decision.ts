/**
 * The decision of `get()` for a stored record, as a pure function. It guarantees that no automatic renewal asks a
 * person for a code: if a new token needs a second factor, `get()` creates a token only if the store never had a
 * token for this app key.
 */
import { TokensError } from '../tokens-error.ts'
import type { TokenStatus } from '../types.ts'
import { createTooSoon } from './create-budget.ts'
import { accessTokenTransition } from './machine.ts'
import type { PendingToken, StoredAccessToken, UsableToken } from './record.ts'
import type { AccessContext } from './store.ts'

/** The next step of `get()`. */
export type GetDecision =
  | { readonly do: 'use'; readonly token: UsableToken; readonly renewNow: boolean }
  | { readonly do: 'create' }
  | { readonly do: 'poll'; readonly pending: PendingToken }
  /** The token has expired by this host's clock; only the service knows whether it has really expired. */
  | { readonly do: 'verify'; readonly token: UsableToken }
  | { readonly do: 'fail'; readonly error: TokensError }

/** The options and the instant that a decision depends on. */
type DecisionContext = Pick<AccessContext, 'createsWithoutPerson' | 'renewBeforeMs'> & {
  readonly nowMs: number
}

/** Creates the error for a token that only a person can replace. */
export function secondFactorRequired(lastStatus: TokenStatus): TokensError<'TOKEN_SECOND_FACTOR_REQUIRED'> {
  const status = /^[A-Z_]{1,32}$/.test(lastStatus) ? lastStatus : 'expired'
  const text = `the last token is ${status}, and a new one needs a second factor. Call renew() when a person can enter a code`
  return new TokensError('TOKEN_SECOND_FACTOR_REQUIRED', text, { details: { lastStatus } })
}

/**
 * Whether the token is renewed now: within `renewBeforeMs` before its expiry, or in the last fifth of its lifetime
 * if that is shorter.
 */
function shouldRenewNow(
  { expiresAtMs, createdAtMs }: UsableToken,
  { nowMs, renewBeforeMs }: DecisionContext,
): boolean {
  if (expiresAtMs === undefined) return false
  const lifeMs = createdAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, expiresAtMs - createdAtMs)
  return expiresAtMs - nowMs <= Math.min(renewBeforeMs, lifeMs / 5)
}

/** Decides the next step of `get()`. docs/concepts/access-tokens.md has the same decisions in words. */
export function decideGet(record: StoredAccessToken, context: DecisionContext): GetDecision {
  const { nowMs, createsWithoutPerson } = context
  const { current, pending, ended } = accessTokenTransition(record, { type: 'time', nowMs })
  if (current !== undefined) {
    const renewNow = createsWithoutPerson && pending === undefined && shouldRenewNow(current, context)
    return { do: 'use', token: current, renewNow }
  }
  if (record.current !== undefined && !createsWithoutPerson) return { do: 'verify', token: record.current }
  if (pending !== undefined) return { do: 'poll', pending }
  if (createsWithoutPerson) return { do: 'create' }
  if (ended !== undefined) return { do: 'fail', error: secondFactorRequired(ended) }
  // A create with the outcome `started` may be in flight. It does not count here, because the limit is
  // checked again under the lock.
  const error = createTooSoon(record, nowMs, ['unknown'])
  return error === undefined ? { do: 'create' } : { do: 'fail', error }
}
