/**
 * The life of one customer's client-token pair (specification, "Client token pair"), as a table over what is stored.
 *
 * A create ends every session of the customer, so it is the last resort: where there is no pair, past the refresh
 * token's life, or after a definite refusal of the refresh.
 */
import { applyFact, rowsOf, type TransitionRow } from '../state-table.ts'
import type { ClientTokenPair } from '../types.ts'

/** A pair, when it was issued, and what a reader makes of it; the last is not stored. */
export interface IssuedPair {
  readonly pair: ClientTokenPair
  readonly issuedAtMs: number
  /** `due`: to be refreshed. `over`: its refresh token is of no use any more. */
  readonly phase: 'fresh' | 'due' | 'over'
}

/** The state of what is stored: no pair, or its phase. */
export type ClientTokenState = 'none' | IssuedPair['phase']

/** What changes it. Instants are milliseconds since the epoch. */
export type ClientTokenFact = { readonly nowMs: number } & (
  | { readonly type: 'created'; readonly pair: ClientTokenPair }
  | { readonly type: 'refreshed'; readonly pair: ClientTokenPair }
  /** The service will not refresh with this token. */
  | { readonly type: 'refused' }
  /** What a reader sees at this instant. */
  | { readonly type: 'time' }
)

type Stored = IssuedPair | undefined

/** The share of the access token's lifetime after which a refresh is due (service's advice). */
const REFRESH_SHARE = 0.8

/** A clock that was set back makes the pair look young: it is refreshed later, and never later than its end. */
const isDue = (stored: Stored, nowMs: number): boolean => {
  if (stored === undefined) return false
  const { issuedAtMs, pair } = stored
  return nowMs >= Math.min(issuedAtMs + (pair.expiresAtMs - issuedAtMs) * REFRESH_SHARE, pair.expiresAtMs)
}
const issued = (_stored: Stored, { pair, nowMs }: { pair: ClientTokenPair; nowMs: number }): Stored => ({
  pair,
  issuedAtMs: nowMs,
  phase: 'fresh',
})
const inPhase = (phase: IssuedPair['phase']) => (stored: Stored) => stored && { ...stored, phase }

const row = rowsOf<Stored, ClientTokenState, ClientTokenFact>()
const TABLE = [
  row('created', ['none', 'fresh', 'due', 'over'], ['fresh'], issued),
  row('refreshed', ['due'], ['fresh'], issued),
  row('refused', ['due'], ['over'], inPhase('over')),
  row('time', ['fresh', 'due'], ['over'], inPhase('over'), [
    'past 80 %, and the refresh token is over',
    (stored, { nowMs }) => isDue(stored, nowMs) && nowMs >= (stored?.pair.refreshExpiresAtMs ?? 0),
  ]),
  row('time', ['fresh'], ['due'], inPhase('due'), [
    '80 % of its lifetime are over',
    (stored, { nowMs }) => isDue(stored, nowMs),
  ]),
] as const

/** The table: for diagrams, and for tests that walk through it. First match wins. */
export const CLIENT_TOKEN_TABLE: readonly TransitionRow<ClientTokenState>[] = TABLE

/**
 * What is stored after a fact. Pure.
 *
 * @param stored - `undefined`: the customer has no pair.
 * @returns The very same where the fact changes nothing.
 */
export function clientTokenTransition(
  stored: IssuedPair | undefined,
  fact: Extract<ClientTokenFact, { readonly type: 'created' }>,
): IssuedPair
export function clientTokenTransition(
  stored: IssuedPair | undefined,
  fact: ClientTokenFact,
): IssuedPair | undefined
export function clientTokenTransition(stored: Stored, fact: ClientTokenFact): Stored {
  return applyFact(TABLE, stored?.phase ?? 'none', stored, fact)
}
