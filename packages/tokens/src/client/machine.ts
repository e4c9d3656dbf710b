/**
 * The state machine of one customer's client-token pair (specification, "Client token pair"), as a table over the
 * stored record.
 *
 * A create ends every session of the customer. It happens only if there is no pair, if the refresh token has
 * expired, or if the service rejected the refresh.
 */
import { optional } from '@brokerwire/core/internal'
import {
  applyEvent,
  createRowBuilder,
  describeTransitions,
  type TransitionRow,
  type When,
} from '../state-table.ts'
import { instantField, parseRecord, RECORD_FORMAT, secretField } from '../stored-record.ts'
import type { ClientTokenPair } from '../types.ts'

/** A stored pair with the time of its issue. `phase` is calculated, not stored. */
export interface StoredClientToken {
  /** The pair as the service returned it. */
  readonly pair: ClientTokenPair
  /** When the response with the pair was received, milliseconds since the epoch. */
  readonly issuedAtMs: number
  /**
   * When a call that may have ended the pair failed, milliseconds since the epoch. A refresh is due soon after
   * that.
   */
  readonly failedAtMs?: number | undefined
  /**
   * `fresh`: the pair is usable. `due`: the pair must be refreshed. `expired`: the refresh token can no
   * longer be used.
   */
  readonly phase: 'fresh' | 'due' | 'expired'
}

/** The state of a customer: `none` if no pair is stored, otherwise the phase of the stored pair. */
export type ClientTokenState = 'none' | StoredClientToken['phase']

/** An event that changes the stored pair. Instants are milliseconds since the epoch. */
export type ClientTokenEvent = {
  /** The instant of the event. */
  readonly nowMs: number
} & (
  | {
      readonly type: 'created'
      /** The pair of a create. */
      readonly pair: ClientTokenPair
    }
  | {
      readonly type: 'refreshed'
      /** The pair of a refresh. */
      readonly pair: ClientTokenPair
    }
  /** The service rejected this refresh token. */
  | { readonly type: 'refresh-rejected' }
  /** A call that may have ended the pair failed for another reason, and the access token has not expired. */
  | { readonly type: 'refresh-failed' }
  /** The view of a reader at this instant. */
  | { readonly type: 'time' }
)

type Stored = StoredClientToken | undefined

/** The share of the access token's lifetime after which a refresh is due (advice of the service). */
const REFRESH_SHARE = 0.8
/**
 * Pause of all processes between a failed refresh and the next one. It ends early when the access token
 * expires.
 */
const REFRESH_COOLDOWN_MS = 30_000

/**
 * Whether a refresh is due. If the clock is set back, the refresh is due later, but at the latest when the
 * access token expires.
 */
const isDue = (stored: Stored, nowMs: number): boolean => {
  if (stored === undefined) return false
  const { issuedAtMs, failedAtMs, pair } = stored
  if (nowMs >= pair.expiresAtMs) return true
  if (failedAtMs !== undefined) return nowMs < failedAtMs || nowMs >= failedAtMs + REFRESH_COOLDOWN_MS
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

const refreshDue: When<Stored, { nowMs: number }> = (stored, { nowMs }) => isDue(stored, nowMs)
const refreshExpired: When<Stored, { nowMs: number }> = (stored, { nowMs }) =>
  isDue(stored, nowMs) && nowMs >= (stored?.pair.refreshExpiresAtMs ?? 0)

const row = createRowBuilder<Stored, ClientTokenState, ClientTokenEvent>()
const TABLE = [
  row('created', ['none', 'fresh', 'due', 'expired'], ['fresh'], issued),
  row('refreshed', ['due'], ['fresh'], issued),
  row('refresh-rejected', ['due'], ['expired'], inPhase('expired')),
  row('refresh-failed', ['fresh', 'due'], ['fresh'], failed),
  row('time', ['fresh', 'due'], ['expired'], inPhase('expired'), refreshExpired),
  row('time', ['fresh'], ['due'], inPhase('due'), refreshDue),
]

/** The transitions, for diagrams and tests. If several rows match, the first one applies. */
export const CLIENT_TOKEN_TRANSITIONS: readonly TransitionRow<ClientTokenState>[] =
  /* @__PURE__ */ describeTransitions(
    TABLE,
    new Map<unknown, string>([
      [refreshExpired, 'a refresh is due, and the refresh token has expired'],
      [refreshDue, 'after 80 % of its lifetime, or 30 seconds after a failed refresh'],
    ]),
  )

/**
 * Returns the stored pair after an event. The function is pure.
 *
 * @param stored - `undefined` if the customer has no pair.
 * @returns The same object if the event changes nothing.
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
  event: Extract<ClientTokenEvent, { readonly type: 'created' }>,
): StoredClientToken
/** Returns the stored pair after an event. `undefined` if no pair is stored. */
export function clientTokenTransition(
  stored: StoredClientToken | undefined,
  event: ClientTokenEvent,
): StoredClientToken | undefined
export function clientTokenTransition(stored: Stored, event: ClientTokenEvent): Stored {
  return applyEvent(TABLE, stored?.phase ?? 'none', stored, event)
}

/** Encodes a stored pair. The result contains the refresh token, which is valid for 15 days. */
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
 * Parses the string under `clientTokenStoreKey`. Apply `clientTokenTransition` with an event of type `time` to get
 * the phase at an instant. A malformed record is never replaced, because the create of a new pair would end the
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
  const { issuedAtMs, failedAtMs, ...pair } = parseRecord(stored, {
    accessToken: secretField,
    expiresAtMs: instantField,
    refreshToken: secretField,
    refreshExpiresAtMs: instantField,
    issuedAtMs: instantField,
    failedAtMs: optional(instantField),
  })
  return { pair, issuedAtMs, failedAtMs, phase: 'fresh' }
}
