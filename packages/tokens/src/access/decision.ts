/**
 * What `get()` does with what is stored, as a pure function. This is where "nothing automatic starts a second factor"
 * is decided: in production a create is made only where the store never had a token for this key.
 */

import { TokensError } from '../tokens-error.ts'
import type { TokenStatus } from '../types.ts'
import type { TokenRecord } from './record.ts'
import type { PendingToken, UsableToken } from './state.ts'

/** How long a second factor may take, and how long no other create follows one in production. */
export const VERIFICATION_WINDOW_MS = 300_000

/** What is to be done. */
export type GetDecision =
  | { readonly do: 'use'; readonly token: UsableToken; readonly renewNow: boolean }
  | { readonly do: 'create' }
  | { readonly do: 'follow'; readonly pending: PendingToken }
  /** The token is over by this host's clock; only the service can say whether it is. */
  | { readonly do: 'verify'; readonly token: UsableToken }
  | { readonly do: 'fail'; readonly error: TokensError }

/** The circumstances of a decision. */
export interface DecisionContext {
  readonly nowMs: number
  /** Whether a new token needs no person. */
  readonly sandbox: boolean
  /** In the sandbox: how long before its end a token is renewed. */
  readonly renewBeforeMs: number
}

/** The error for a create that may not be made yet; `undefined` where it may. A clock that was set back by less counts as recent. */
export function tooSoon(
  record: TokenRecord,
  nowMs: number,
  outcomes: readonly ('answered' | 'unknown')[],
): TokensError<'TOKEN_CREATE_TOO_SOON'> | undefined {
  const last = record.lastCreate
  if (last === undefined || last.outcome === 'started' || !outcomes.includes(last.outcome)) return undefined
  if (Math.abs(nowMs - last.atMs) >= VERIFICATION_WINDOW_MS) return undefined
  const retryAfterMs = Math.min(last.atMs + VERIFICATION_WINDOW_MS - nowMs, VERIFICATION_WINDOW_MS)
  const why = last.outcome === 'unknown' ? 'the outcome of the last create is not known' : 'a create was made'
  return new TokensError('TOKEN_CREATE_TOO_SOON', `${why} less than five minutes ago`, {
    details: { outcome: last.outcome, retryAfterMs },
    retryable: true,
  })
}

/** The error for a token that only a person can replace. */
export function needsSecondFactor(lastStatus: TokenStatus): TokensError<'TOKEN_NEEDS_SECOND_FACTOR'> {
  const status = /^[A-Z_]{1,32}$/.test(lastStatus) ? lastStatus : 'over'
  return new TokensError(
    'TOKEN_NEEDS_SECOND_FACTOR',
    `the last token is ${status}, and a new one needs a person: call renew()`,
    { details: { lastStatus } },
  )
}

/** Whether the token is past its expiry by this host's clock. One without an expiry never is. */
export function isOver({ expiresAtMs }: UsableToken, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs
}

/** How long before its end a token is renewed: one that lives shorter than `renewBeforeMs` in its last fifth. */
function renewalMs({ expiresAtMs, createdAtMs }: UsableToken, renewBeforeMs: number): number {
  if (expiresAtMs === undefined || createdAtMs === undefined) return renewBeforeMs
  return Math.min(renewBeforeMs, Math.max(0, expiresAtMs - createdAtMs) / 5)
}

/** Decides. The table in the README says the same in words. */
export function decideGet(record: TokenRecord, context: DecisionContext): GetDecision {
  const { nowMs, sandbox, renewBeforeMs } = context
  const { current, pending, ended } = record
  if (current !== undefined) {
    const leftMs = current.expiresAtMs === undefined ? Number.POSITIVE_INFINITY : current.expiresAtMs - nowMs
    if (leftMs > 0) {
      const renewNow = sandbox && leftMs <= renewalMs(current, renewBeforeMs) && pending === undefined
      return { do: 'use', token: current, renewNow }
    }
    if (!sandbox) return { do: 'verify', token: current }
  }
  if (pending !== undefined) return { do: 'follow', pending }
  if (sandbox) return { do: 'create' }
  if (ended !== undefined) return { do: 'fail', error: needsSecondFactor(ended) }
  const error = tooSoon(record, nowMs, ['unknown'])
  return error === undefined ? { do: 'create' } : { do: 'fail', error }
}
