/**
 * The life of one customer's client-token pair (specification, "Client token pair"), as a table.
 *
 * A create ends every session of the customer, so it is the last resort: where there is no pair, past the refresh
 * token's life, or after a definite refusal of the refresh. After a refresh whose outcome is not known the same
 * refresh token is tried once more. Refreshing happens when somebody asks, never on timers.
 */
import { rowsOf, runTable } from '../state-table.ts'
import type { ApiFailure, ClientTokenPair } from '../types.ts'

/** A pair and when it was issued. */
export interface IssuedPair {
  readonly pair: ClientTokenPair
  readonly issuedAtMs: number
}

/** States of {@link clientTokenTransition}. */
export type ClientTokenState =
  | { readonly name: 'none' }
  /** A create is in flight. `previous`: the pair that it will end. */
  | { readonly name: 'creating'; readonly previous: IssuedPair | undefined }
  /** `quietUntilMs`: no refresh before this, after one that failed. */
  | ({ readonly name: 'held'; readonly quietUntilMs: number } & IssuedPair)
  | ({ readonly name: 'refreshing'; readonly attempt: 1 | 2 } & IssuedPair)
  /** A new pair that is not in the store yet, and therefore not used. */
  | ({ readonly name: 'saving'; readonly replacedAllSessions: boolean } & IssuedPair)

/** Events of {@link clientTokenTransition}. Every one carries its time, in milliseconds since the epoch. */
export type ClientTokenEvent = { readonly nowMs: number } & (
  | { readonly type: 'get' }
  | { readonly type: 'created'; readonly pair: ClientTokenPair }
  | { readonly type: 'create-failed'; readonly failure: ApiFailure }
  | { readonly type: 'refreshed'; readonly pair: ClientTokenPair }
  | { readonly type: 'refresh-failed'; readonly failure: ApiFailure }
  | { readonly type: 'saved' }
)

/** Effects of {@link clientTokenTransition}, in the order in which they are to be done. */
export type ClientTokenEffect =
  | { readonly type: 'create' }
  | { readonly type: 'refresh'; readonly pair: ClientTokenPair }
  | { readonly type: 'save'; readonly pair: ClientTokenPair; readonly issuedAtMs: number }
  /** Hand the pair's access token out. `failure`: a refresh was due and failed; the pair's time is not over. */
  | {
      readonly type: 'deliver'
      readonly pair: ClientTokenPair
      readonly replacedAllSessions: boolean
      readonly failure: ApiFailure | undefined
    }
  /** The service answered with a pair whose time is over: kept for its refresh token, and not handed out. */
  | { readonly type: 'unusable' }
  /** Its time went by before it could be saved: what follows is another `get`. */
  | { readonly type: 'again'; readonly replacedAllSessions: boolean }
  | {
      readonly type: 'failed'
      readonly call: 'client-create' | 'client-refresh'
      readonly failure: ApiFailure
    }

/** The share of the access token's lifetime after which a refresh is due (service's advice). */
const REFRESH_SHARE = 0.8
/** After a failed refresh, as long as the old access token lives: one try in this time. */
const QUIET_MS = 30_000

/**
 * 401 codes that blame the request or the app key. The refresh token was not looked at, so nothing is known about
 * it, and a create would log the customer out for nothing.
 */
const REQUEST_AT_FAULT: readonly string[] = [
  'MISSING_APP_KEY',
  'MISSING_SIGNATURE',
  'MISSING_ALGORITHM',
  'MISSING_NONCE',
  'MISSING_TIMESTAMP',
  'ILLEGAL_TIMESTAMP',
  'VERSION_NOT_SUPPORTED',
  'SIGNATURE_ALGORITHM_NOT_SUPPORTED',
  'ROUTE_NOT_PERMITTED',
]

const row = rowsOf<ClientTokenState, ClientTokenEvent, ClientTokenEffect>()

type Failed = { readonly failure: ApiFailure; readonly nowMs: number }

const refused = ({ kind, status, code }: ApiFailure): boolean =>
  kind === 'refused' &&
  (status === 417 || (status === 401 && !(code !== undefined && REQUEST_AT_FAULT.includes(code))))
const outcomeUnknown = ({ kind }: ApiFailure): boolean =>
  kind === 'no-answer' || kind === 'server-error' || kind === 'bad-answer'

/** A clock that was set back makes the pair look young: it is refreshed later, and never later than its end. */
const refreshAtMs = ({ pair, issuedAtMs }: IssuedPair): number =>
  Math.min(issuedAtMs + (pair.expiresAtMs - issuedAtMs) * REFRESH_SHARE, pair.expiresAtMs)

const deliver = (
  pair: ClientTokenPair,
  replacedAllSessions = false,
  failure?: ApiFailure | undefined,
): ClientTokenEffect => ({ type: 'deliver', pair, replacedAllSessions, failure })
const failed =
  (call: 'client-create' | 'client-refresh') =>
  (_state: unknown, { failure }: Failed) => [{ type: 'failed', call, failure } as const]
const held = ({ pair, issuedAtMs }: IssuedPair, quietUntilMs = 0) => ({
  name: 'held' as const,
  pair,
  issuedAtMs,
  quietUntilMs,
})
const save = (_state: unknown, _event: unknown, { pair, issuedAtMs }: IssuedPair) => [
  { type: 'save', pair, issuedAtMs } as const,
]

/** The table. First match wins. */
export const CLIENT_TOKEN_TABLE = [
  row('get', {
    from: ['none'],
    to: 'creating',
    next: () => ({ name: 'creating', previous: undefined }),
    effects: () => [{ type: 'create' }],
  }),
  row('get', {
    from: ['held'],
    when: ['under 80 % of its lifetime', (state, { nowMs }) => nowMs < refreshAtMs(state)],
    to: 'held',
    next: (state) => state,
    effects: ({ pair }) => [deliver(pair)],
  }),
  row('get', {
    from: ['held'],
    when: ['the refresh token is over', ({ pair }, { nowMs }) => nowMs >= pair.refreshExpiresAtMs],
    to: 'creating',
    next: ({ pair, issuedAtMs }) => ({ name: 'creating', previous: { pair, issuedAtMs } }),
    effects: () => [{ type: 'create' }],
  }),
  row('get', {
    from: ['held'],
    when: [
      'a refresh failed a moment ago, and the pair lives',
      ({ pair, quietUntilMs }, { nowMs }) =>
        nowMs < quietUntilMs && nowMs >= quietUntilMs - QUIET_MS && nowMs < pair.expiresAtMs,
    ],
    to: 'held',
    next: (state) => state,
    effects: ({ pair }) => [deliver(pair)],
  }),
  row('get', {
    from: ['held'],
    when: ['past 80 % of its lifetime', () => true],
    to: 'refreshing',
    next: ({ pair, issuedAtMs }) => ({ name: 'refreshing', pair, issuedAtMs, attempt: 1 }),
    effects: ({ pair }) => [{ type: 'refresh', pair }],
  }),
  row('get', {
    from: ['saving'],
    when: ['the store failed before', () => true],
    to: 'saving',
    next: (state) => state,
    effects: save,
  }),

  row('created', {
    from: ['creating'],
    to: 'saving',
    next: ({ previous }, { pair, nowMs }) => ({
      name: 'saving',
      pair,
      issuedAtMs: nowMs,
      replacedAllSessions: previous !== undefined,
    }),
    effects: save,
  }),
  row('create-failed', {
    from: ['creating'],
    when: ['there was a pair', ({ previous }) => previous !== undefined],
    to: 'held',
    next: ({ previous }) => held(previous as IssuedPair),
    effects: failed('client-create'),
  }),
  row('create-failed', {
    from: ['creating'],
    when: ['there was none', () => true],
    to: 'none',
    next: () => ({ name: 'none' }),
    effects: failed('client-create'),
  }),

  row('refreshed', {
    from: ['refreshing'],
    to: 'saving',
    next: (_state, { pair, nowMs }) => ({
      name: 'saving',
      pair,
      issuedAtMs: nowMs,
      replacedAllSessions: false,
    }),
    effects: save,
  }),
  row('refresh-failed', {
    from: ['refreshing'],
    when: ['definitely refused', (_state, { failure }) => refused(failure)],
    to: 'creating',
    next: ({ pair, issuedAtMs }) => ({ name: 'creating', previous: { pair, issuedAtMs } }),
    effects: () => [{ type: 'create' }],
  }),
  row('refresh-failed', {
    from: ['refreshing'],
    when: [
      'outcome not known, first attempt',
      ({ attempt }, { failure }) => attempt === 1 && outcomeUnknown(failure),
    ],
    to: 'refreshing',
    next: (state) => ({ ...state, attempt: 2 }),
    effects: ({ pair }) => [{ type: 'refresh', pair }],
  }),
  row('refresh-failed', {
    from: ['refreshing'],
    when: ['the access token’s time is not over', ({ pair }, { nowMs }) => nowMs < pair.expiresAtMs],
    to: 'held',
    next: (state, { nowMs }) => held(state, nowMs + QUIET_MS),
    effects: ({ pair }, { failure }) => [deliver(pair, false, failure)],
  }),
  row('refresh-failed', {
    from: ['refreshing'],
    when: ['the access token’s time is over', () => true],
    to: 'held',
    next: (state) => held(state),
    effects: failed('client-refresh'),
  }),

  row('saved', {
    from: ['saving'],
    when: ['it came expired', ({ pair, issuedAtMs }) => pair.expiresAtMs <= issuedAtMs],
    to: 'held',
    next: (state) => held(state),
    effects: () => [{ type: 'unusable' }],
  }),
  row('saved', {
    from: ['saving'],
    when: ['it has expired since', ({ pair }, { nowMs }) => pair.expiresAtMs <= nowMs],
    to: 'held',
    next: (state) => held(state),
    effects: ({ replacedAllSessions }) => [{ type: 'again', replacedAllSessions }],
  }),
  row('saved', {
    from: ['saving'],
    when: ['usable', () => true],
    to: 'held',
    next: (state) => held(state),
    effects: ({ pair, replacedAllSessions }) => [deliver(pair, replacedAllSessions)],
  }),
] as const

/**
 * One step in the life of a client-token pair. Pure: time arrives inside the events, effects are data.
 *
 * @returns The next state, and what is to be done, in this order. An event that does not fit the state is ignored on
 * purpose: the same state, no effects.
 */
export function clientTokenTransition(
  state: ClientTokenState,
  event: ClientTokenEvent,
): readonly [ClientTokenState, readonly ClientTokenEffect[]] {
  return runTable<ClientTokenState, ClientTokenEvent, ClientTokenEffect>(CLIENT_TOKEN_TABLE, state, event)
}
