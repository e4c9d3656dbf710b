/**
 * The life of one customer's client-token pair (specification, "Client token pair"), as a table over what is stored.
 *
 * A create ends every session of the customer, so it is the last resort: where there is no pair, past the refresh
 * token's life, or after a definite refusal of the refresh.
 */
import { optional } from '@brokerwire/core/internal'
import { RECORD_FORMAT, readRecord, storedInstant, storedSecret } from '../record-reader.ts'
import { applyFact, described, rowsOf, type TransitionRow, type When } from '../state-table.ts'
import type { ClientTokenPair } from '../types.ts'

/** A pair, when it was issued, and what a reader makes of it; the last is not stored. */
export interface StoredClientToken {
  readonly pair: ClientTokenPair
  readonly issuedAtMs: number
  /** When a call failed that may have ended the pair: it is due soon after. */
  readonly failedAtMs?: number | undefined
  /** `due`: to be refreshed. `over`: its refresh token is of no use any more. */
  readonly phase: 'fresh' | 'due' | 'over'
}

/** The state of what is stored: no pair, or its phase. */
export type ClientTokenState = 'none' | StoredClientToken['phase']

/** What changes it. Instants are milliseconds since the epoch. */
export type ClientTokenEvent = { readonly nowMs: number } & (
  | { readonly type: 'created'; readonly pair: ClientTokenPair }
  | { readonly type: 'refreshed'; readonly pair: ClientTokenPair }
  /** The service will not refresh with this token. */
  | { readonly type: 'refresh-rejected' }
  /** A call that may have ended the pair failed otherwise, while the access token lives. */
  | { readonly type: 'refresh-failed' }
  /** What a reader sees at this instant. */
  | { readonly type: 'time' }
)

type Stored = StoredClientToken | undefined

/** The share of the access token's lifetime after which a refresh is due (service's advice). */
const REFRESH_SHARE = 0.8
/** After a failed refresh, as long as the access token lives: one try in this time, of all processes. */
const QUIET_MS = 30_000

/** A clock that was set back makes the pair look young: it is refreshed later, and never later than its end. */
const isDue = (stored: Stored, nowMs: number): boolean => {
  if (stored === undefined) return false
  const { issuedAtMs, failedAtMs, pair } = stored
  if (nowMs >= pair.expiresAtMs) return true
  if (failedAtMs !== undefined) return nowMs < failedAtMs || nowMs >= failedAtMs + QUIET_MS
  return nowMs >= issuedAtMs + (pair.expiresAtMs - issuedAtMs) * REFRESH_SHARE
}
const issued = (_stored: Stored, { pair, nowMs }: { pair: ClientTokenPair; nowMs: number }): Stored => ({
  pair,
  issuedAtMs: nowMs,
  phase: 'fresh',
})
const failed = (stored: Stored, { nowMs }: { nowMs: number }): Stored =>
  stored && { ...stored, failedAtMs: nowMs, phase: 'fresh' }
const inPhase = (phase: StoredClientToken['phase']) => (stored: Stored) => stored && { ...stored, phase }

const shareOver: When<Stored, { nowMs: number }> = (stored, { nowMs }) => isDue(stored, nowMs)
const refreshOver: When<Stored, { nowMs: number }> = (stored, { nowMs }) =>
  isDue(stored, nowMs) && nowMs >= (stored?.pair.refreshExpiresAtMs ?? 0)

const row = rowsOf<Stored, ClientTokenState, ClientTokenEvent>()
const TABLE = [
  row('created', ['none', 'fresh', 'due', 'over'], ['fresh'], issued),
  row('refreshed', ['due'], ['fresh'], issued),
  row('refresh-rejected', ['due'], ['over'], inPhase('over')),
  row('refresh-failed', ['fresh', 'due'], ['fresh'], failed),
  row('time', ['fresh', 'due'], ['over'], inPhase('over'), refreshOver),
  row('time', ['fresh'], ['due'], inPhase('due'), shareOver),
]

/** The table: for diagrams, and for tests that walk through it. First match wins. */
export const CLIENT_TOKEN_TRANSITIONS: readonly TransitionRow<ClientTokenState>[] = /* @__PURE__ */ described(
  TABLE,
  new Map<unknown, string>([
    [refreshOver, 'it is due, and the refresh token is over'],
    [shareOver, '80 % of its lifetime are over, or 30 seconds since a refresh failed'],
  ]),
)

/**
 * What is stored after a fact. Pure.
 *
 * @param stored - `undefined`: the customer has no pair.
 * @returns The very same where the fact changes nothing.
 *
 * @example
 * ```ts
 * import { type ClientTokenPair, clientTokenTransition } from '@brokerwire/tokens'
 *
 * declare const pair: ClientTokenPair
 *
 * const stored = clientTokenTransition(undefined, { type: 'created', nowMs: Date.now(), pair })
 * console.log(clientTokenTransition(stored, { type: 'time', nowMs: Date.now() })?.phase) // fresh
 * ```
 */
export function clientTokenTransition(
  stored: StoredClientToken | undefined,
  fact: Extract<ClientTokenEvent, { readonly type: 'created' }>,
): StoredClientToken
export function clientTokenTransition(
  stored: StoredClientToken | undefined,
  fact: ClientTokenEvent,
): StoredClientToken | undefined
export function clientTokenTransition(stored: Stored, fact: ClientTokenEvent): Stored {
  return applyFact(TABLE, stored?.phase ?? 'none', stored, fact)
}

/** The text of what the store keeps. The refresh token is as good as a password for 15 days. */
export function encodePair({ pair, issuedAtMs, failedAtMs }: StoredClientToken): string {
  return JSON.stringify({
    format: RECORD_FORMAT,
    accessToken: pair.accessToken.reveal(),
    expiresAtMs: pair.expiresAtMs,
    refreshToken: pair.refreshToken.reveal(),
    refreshExpiresAtMs: pair.refreshExpiresAtMs,
    issuedAtMs,
    failedAtMs,
  })
}

/**
 * Reads the text under `clientTokenStoreKey`. Its `phase` is as stored: `clientTokenTransition` with a fact of
 * type `time` says what it is at an instant. A record that cannot be read stays: to replace it would end the
 * customer's sessions.
 *
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 *
 * @example
 * ```ts
 * import { clientTokenTransition, parseStoredClientToken } from '@brokerwire/tokens'
 *
 * declare const text: string | undefined
 *
 * const pair = clientTokenTransition(parseStoredClientToken(text), { type: 'time', nowMs: Date.now() })
 * console.log(pair?.phase)
 * ```
 */
export function parseStoredClientToken(stored: string | undefined): StoredClientToken | undefined {
  if (stored === undefined) return undefined
  const { issuedAtMs, failedAtMs, ...pair } = readRecord(stored, {
    accessToken: storedSecret,
    expiresAtMs: storedInstant,
    refreshToken: storedSecret,
    refreshExpiresAtMs: storedInstant,
    issuedAtMs: storedInstant,
    failedAtMs: optional(storedInstant),
  })
  return { pair, issuedAtMs, failedAtMs, phase: 'fresh' }
}
