/**
 * What `get()` does with what is stored, as a pure function. This is where "nothing automatic starts a second factor"
 * is decided: in production a create is made only where the store never had a token for this key.
 */
import { TokensError } from '../tokens-error.ts'
import type { TokenStatus } from '../types.ts'
import { createTooSoon } from './create-budget.ts'
import { accessTokenTransition } from './machine.ts'
import type { PendingToken, StoredAccessToken, UsableToken } from './record.ts'
import type { AccessContext } from './store.ts'

/** What is to be done. */
export type GetDecision =
  | { readonly do: 'use'; readonly token: UsableToken; readonly renewNow: boolean }
  | { readonly do: 'create' }
  | { readonly do: 'follow'; readonly pending: PendingToken }
  /** The token is over by this host's clock; only the service can say whether it is. */
  | { readonly do: 'verify'; readonly token: UsableToken }
  | { readonly do: 'fail'; readonly error: TokensError }

/** The options that a decision depends on, and its instant. */
type DecisionContext = Pick<AccessContext, 'sandbox' | 'renewBeforeMs'> & { readonly nowMs: number }

/** The error for a token that only a person can replace. */
export function needsSecondFactor(lastStatus: TokenStatus): TokensError<'TOKEN_SECOND_FACTOR_REQUIRED'> {
  const status = /^[A-Z_]{1,32}$/.test(lastStatus) ? lastStatus : 'over'
  const text = `the last token is ${status}, and a new one needs a person: call renew()`
  return new TokensError('TOKEN_SECOND_FACTOR_REQUIRED', text, { details: { lastStatus } })
}

/** Whether the token is renewed now: `renewBeforeMs` before its end, or in its last fifth where it lives shorter. */
function isAboutToEnd(
  { expiresAtMs, createdAtMs }: UsableToken,
  { nowMs, renewBeforeMs }: DecisionContext,
): boolean {
  if (expiresAtMs === undefined) return false
  const lifeMs = createdAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, expiresAtMs - createdAtMs)
  return expiresAtMs - nowMs <= Math.min(renewBeforeMs, lifeMs / 5)
}

/** Decides. The table in the README says the same in words. */
export function decideGet(record: StoredAccessToken, context: DecisionContext): GetDecision {
  const { nowMs, sandbox } = context
  const { current, pending, ended } = accessTokenTransition(record, { type: 'time', nowMs })
  if (current !== undefined) {
    const renewNow = sandbox && pending === undefined && isAboutToEnd(current, context)
    return { do: 'use', token: current, renewNow }
  }
  if (record.current !== undefined && !sandbox) return { do: 'verify', token: record.current }
  if (pending !== undefined) return { do: 'follow', pending }
  if (sandbox) return { do: 'create' }
  if (ended !== undefined) return { do: 'fail', error: needsSecondFactor(ended) }
  // A create that is noted as started may be in flight: whoever gets the lock decides.
  const error = createTooSoon(record, nowMs, ['unknown'])
  return error === undefined ? { do: 'create' } : { do: 'fail', error }
}
