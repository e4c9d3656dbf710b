/**
 * The life of an access token (specification, "Access token status"), as a table over what the store keeps.
 *
 * A fact is what the service said, what was done, or that time has come. EXPIRED for a pending token is always the
 * service's word, never this host's clock: a clock that jumps must not throw away a verification that a person gave.
 */
import type { Secret } from '@brokerwire/core'
import { applyFact, described, rowsOf, type TransitionRow, type When } from '../state-table.ts'
import { isOutcomeUnknown } from '../token-call.ts'
import type { AccessToken, AccessTokenResponse, TokenCallFailureKind, TokenStatus } from '../types.ts'
import { type StoredAccessToken, sameToken, type UsableToken } from './record.ts'

/** How long a second factor may take, and how long no other create follows one in production. */
export const VERIFICATION_WINDOW_MS = 300_000

/** The state of what is stored. */
export type AccessTokenState =
  /** There never was a token. */
  | 'none'
  /** No token, and a create whose outcome is not known. */
  | 'uncertain'
  /** PENDING: the token awaits its second factor. */
  | 'pending'
  /** A status that is not documented: neither usable nor final. */
  | 'unknown'
  /** NORMAL: a token is usable. */
  | 'normal'
  /** NORMAL, and a new token beside it that is not decided yet. */
  | 'renewing'
  | 'invalid'
  | 'expired'
  /** There was a token, and its record could not be read. */
  | 'unreadable'

/** What changes the record. Instants are milliseconds since the epoch. */
export type AccessTokenEvent =
  /** A create is about to be sent. */
  | { readonly type: 'create'; readonly atMs: number }
  /** The create that began at `atMs` was answered. */
  | ({ readonly type: 'created'; readonly atMs: number } & Answered)
  | { readonly type: 'create-failed'; readonly atMs: number; readonly kind: TokenCallFailureKind }
  /** The service said this of the token. */
  | ({ readonly type: 'checked'; readonly token: Secret } & Answered)
  /** A renewal gives up a pending token that cannot be asked about any more. */
  | { readonly type: 'abandoned'; readonly token: Secret }
  /** A person was told that the end of the token comes near. */
  | { readonly type: 'announced'; readonly token: Secret; readonly thresholdMs: number }
  /** What a reader sees at this instant. Not stored: only the service ends a token. */
  | { readonly type: 'time'; readonly nowMs: number }

/** What the service said, and when it was heard. */
interface Answered {
  readonly answer: AccessTokenResponse
  readonly nowMs: number
}
type Fact<Type> = Extract<AccessTokenEvent, { readonly type: Type }>
type Stored = StoredAccessToken

/**
 * The state of a record.
 *
 * @example
 * ```ts
 * import { accessTokenState } from '@brokerwire/tokens'
 *
 * console.log(accessTokenState({})) // none
 * console.log(accessTokenState({ ended: 'EXPIRED' })) // expired
 * ```
 */
export function accessTokenState({ current, pending, ended, lastCreate }: Stored): AccessTokenState {
  if (current !== undefined) return pending === undefined ? 'normal' : 'renewing'
  if (pending !== undefined) return pending.status === 'PENDING' ? 'pending' : 'unknown'
  if (ended === undefined) return lastCreate === undefined ? 'none' : 'uncertain'
  if (ended === 'INVALID') return 'invalid'
  return ended === 'EXPIRED' ? 'expired' : 'unreadable'
}

/** Whether the token is past its expiry. One without an expiry never is. */
export function isOver({ expiresAtMs }: Pick<AccessToken, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs
}

/** What a create's answer makes of its token: one that comes NORMAL and over is EXPIRED. */
export function createdStatus({ answer, nowMs }: Answered): TokenStatus {
  return answer.status === 'NORMAL' && isOver(answer, nowMs) ? 'EXPIRED' : answer.status
}

/** The expiry after a check: one that states none leaves the known one, unless the token is NORMAL past it. */
function expiryAfter(knownMs: number | undefined, { answer, nowMs }: Answered): number | undefined {
  return answer.expiresAtMs ?? (knownMs !== undefined && knownMs > nowMs ? knownMs : undefined)
}

/** The record with this current token. Another one, or another end of it, is to be announced anew. */
function withCurrent(record: Stored, token: UsableToken): Stored {
  const known = sameToken(record.current?.token, token.token) ? record.current : undefined
  const announcedMs = known?.expiresAtMs === token.expiresAtMs ? record.announcedMs : undefined
  const current = { ...token, createdAtMs: known?.createdAtMs ?? token.createdAtMs }
  return { ...record, current, ended: undefined, announcedMs }
}
function withoutCurrent(record: Stored, status: TokenStatus): Stored {
  const ended = record.pending === undefined ? status : undefined
  return { ...record, current: undefined, ended, announcedMs: undefined }
}
function withoutPending(record: Stored, status: TokenStatus): Stored {
  return { ...record, pending: undefined, ended: record.current === undefined ? status : undefined }
}
const withCreate =
  (outcome: 'started' | 'answered' | 'unknown') =>
  (record: Stored, { atMs }: { readonly atMs: number }): Stored => ({
    ...record,
    lastCreate: { atMs, outcome },
  })
const withoutCreate = (record: Stored): Stored => ({ ...record, lastCreate: undefined })
const answered = withCreate('answered')

function createdUsable(record: Stored, fact: Fact<'created'>): Stored {
  const { token, expiresAtMs } = fact.answer
  const after = withCurrent(answered(record, fact), { token, expiresAtMs, createdAtMs: fact.atMs })
  return { ...after, pending: undefined }
}
function createdPending(record: Stored, fact: Fact<'created'>): Stored {
  const { token, status, expiresAtMs } = fact.answer
  const pending = { token, status, expiresAtMs, createdAtMs: fact.nowMs, checkedAtMs: undefined }
  return { ...answered(record, fact), pending, ended: undefined }
}
const createdOver = (record: Stored, fact: Fact<'created'>): Stored =>
  withoutPending(answered(record, fact), createdStatus(fact))

/** The pending token is usable: from here on it is the current one. */
function verified(record: Stored, fact: Fact<'checked'>): Stored {
  const expiresAtMs = expiryAfter(record.pending?.expiresAtMs, fact)
  const token = { token: fact.token, expiresAtMs, createdAtMs: record.pending?.createdAtMs }
  return { ...withCurrent(record, token), pending: undefined }
}
/** The pending token, or a usable one that the service calls PENDING again, waits. */
function waiting(record: Stored, { answer, token, nowMs }: Fact<'checked'>): Stored {
  const { current, pending } = record
  const expiresAtMs = answer.expiresAtMs ?? (pending ?? current)?.expiresAtMs
  const createdAtMs = pending?.createdAtMs ?? nowMs
  const { status } = answer
  return {
    ...record,
    pending: { token, status, expiresAtMs, createdAtMs, checkedAtMs: nowMs },
    ended: undefined,
  }
}
const waitingAgain = (record: Stored, fact: Fact<'checked'>): Stored =>
  withoutCurrent(waiting(record, fact), fact.answer.status)
const pendingOver = (record: Stored, { answer }: Fact<'checked'>): Stored =>
  withoutPending(record, answer.status)
const currentOver = (record: Stored, { answer }: Fact<'checked'>): Stored =>
  withoutCurrent(record, answer.status)
const stillUsable = (record: Stored, fact: Fact<'checked'>): Stored =>
  withCurrent(record, { token: fact.token, expiresAtMs: expiryAfter(record.current?.expiresAtMs, fact) })

const announced = (record: Stored, { thresholdMs }: Fact<'announced'>): Stored => ({
  ...record,
  announcedMs: thresholdMs,
})

/** A create is of no consequence any more when the window of its second factor is over. */
function withoutOldCreate(record: Stored, { nowMs }: Fact<'time'>): Stored {
  // A clock that was set back by less than the window does not make a create older.
  const ageMs = record.lastCreate === undefined ? 0 : Math.abs(nowMs - record.lastCreate.atMs)
  return ageMs < VERIFICATION_WINDOW_MS ? record : withoutCreate(record)
}
const timeIsOver = (record: Stored, fact: Fact<'time'>): Stored =>
  withoutCurrent(withoutOldCreate(record, fact), 'EXPIRED')

type Said = Fact<'created'> | Fact<'checked'>
const saidStatus = (fact: Said): TokenStatus =>
  fact.type === 'created' ? createdStatus(fact) : fact.answer.status
const isNormal: When<Stored, Said> = (_record, fact) => saidStatus(fact) === 'NORMAL'
const isEnded: When<Stored, Said> = (_record, fact) => ['INVALID', 'EXPIRED'].includes(saidStatus(fact))
const ofNew =
  (test: When<Stored, Fact<'checked'>>): When<Stored, Fact<'checked'>> =>
  (record, fact) =>
    sameToken(record.pending?.token, fact.token) && test(record, fact)
const another = (): boolean => true
const newNormal = ofNew(isNormal)
const newEnded = ofNew(isEnded)
const newAnother = ofNew(another)
const oldNotNormal = (): boolean => true
const unknownOutcome: When<Stored, Fact<'create-failed'>> = (_record, { kind }) => isOutcomeUnknown(kind)
const nothingCreated = (): boolean => true
const validityOver: When<Stored, Fact<'time'>> = ({ current }, { nowMs }) =>
  current !== undefined && isOver(current, nowMs)
const windowOver: When<Stored, Fact<'time'>> = (record, fact) => withoutOldCreate(record, fact) !== record
const firstTime: When<Stored, Fact<'announced'>> = (
  { announcedMs = Number.POSITIVE_INFINITY },
  { thresholdMs },
) => thresholdMs < announcedMs

const row = rowsOf<Stored, AccessTokenState, AccessTokenEvent>()
const WAITING = ['pending', 'unknown'] as const
const USABLE = ['normal', 'renewing'] as const
const ENDED = ['invalid', 'expired'] as const
const OVER = [...ENDED, 'unreadable'] as const
/** Where the answer of a create may find the record, beside a usable token. */
const TOKENLESS = ['uncertain', ...WAITING, ...OVER] as const
const CREATED = [...TOKENLESS, 'normal'] as const
const SAME = [] as const

const TABLE = [
  row('create', ['none', 'uncertain'], ['uncertain'], withCreate('started')),
  row('create', ['normal', ...OVER], SAME, withCreate('started')),
  row('created', CREATED, ['normal'], createdUsable, isNormal),
  row('created', ['normal'], SAME, createdOver, isEnded),
  row('created', ['normal'], ['renewing'], createdPending, another),
  row('created', TOKENLESS, ENDED, createdOver, isEnded),
  row('created', TOKENLESS, WAITING, createdPending, another),
  row('create-failed', CREATED, SAME, withCreate('unknown'), unknownOutcome),
  row('create-failed', ['uncertain'], ['none'], withoutCreate, nothingCreated),
  row('create-failed', ['normal', ...WAITING, ...OVER], SAME, withoutCreate, nothingCreated),

  // Whatever this host's clock says of its expiry: the service takes the token, or does not.
  row('checked', WAITING, ['normal'], verified, isNormal),
  row('checked', WAITING, ENDED, pendingOver, isEnded),
  row('checked', WAITING, WAITING, waiting, another),
  row('checked', ['renewing'], ['normal'], verified, newNormal),
  row('checked', ['renewing'], ['normal'], pendingOver, newEnded),
  row('checked', ['renewing'], SAME, waiting, newAnother),
  row('checked', USABLE, SAME, stillUsable, isNormal),
  row('checked', ['normal'], ENDED, currentOver, isEnded),
  row('checked', ['normal'], WAITING, waitingAgain, another),
  row('checked', ['renewing'], WAITING, currentOver, oldNotNormal),
  row('abandoned', WAITING, ['expired'], (record) => withoutPending(record, 'EXPIRED')),
  row('abandoned', ['renewing'], ['normal'], (record) => withoutPending(record, 'EXPIRED')),
  row('announced', USABLE, SAME, announced, firstTime),

  row('time', ['normal'], ['expired'], timeIsOver, validityOver),
  row('time', ['renewing'], WAITING, timeIsOver, validityOver),
  row('time', ['uncertain'], ['none'], withoutOldCreate, windowOver),
  row('time', [...WAITING, ...USABLE, ...OVER], SAME, withoutOldCreate, windowOver),
]

/** The table: for diagrams, and for tests that walk through it. First match wins. */
export const ACCESS_TOKEN_TRANSITIONS: readonly TransitionRow<AccessTokenState>[] = /* @__PURE__ */ described(
  TABLE,
  new Map<unknown, string>([
    [isNormal, 'NORMAL'],
    [isEnded, 'INVALID or EXPIRED'],
    [another, 'PENDING or another status'],
    [newNormal, 'the new token: NORMAL'],
    [newEnded, 'the new token: INVALID or EXPIRED'],
    [newAnother, 'the new token: PENDING or another status'],
    [oldNotNormal, 'the old token: another status than NORMAL'],
    [unknownOutcome, 'its outcome is not known'],
    [nothingCreated, 'nothing was created'],
    [validityOver, 'its validity is over'],
    [windowOver, 'five minutes are over'],
    [firstTime, 'for the first time'],
  ]),
)

/** Whether the fact is about what the record holds, not about a token or create that was replaced. */
function concerns({ current, pending, lastCreate }: Stored, fact: AccessTokenEvent): boolean {
  if ('token' in fact && !sameToken(pending?.token, fact.token))
    return fact.type !== 'abandoned' && sameToken(current?.token, fact.token)
  if (fact.type === 'announced') return sameToken(current?.token, fact.token)
  if (fact.type !== 'created' && fact.type !== 'create-failed') return true
  return lastCreate?.atMs === fact.atMs && lastCreate.outcome === 'started'
}

/**
 * The record after a fact. Pure, and the only way in which what is stored of an access token changes.
 *
 * @returns The very same record where the fact does not concern it, or changes nothing.
 *
 * @example
 * ```ts
 * import { accessTokenState, accessTokenTransition } from '@brokerwire/tokens'
 *
 * const begun = accessTokenTransition({}, { type: 'create', atMs: 0 })
 * const failed = accessTokenTransition(begun, { type: 'create-failed', atMs: 0, kind: 'no-response' })
 * console.log(accessTokenState(failed)) // uncertain
 * ```
 */
export function accessTokenTransition(record: StoredAccessToken, fact: AccessTokenEvent): StoredAccessToken {
  return concerns(record, fact) ? applyFact(TABLE, accessTokenState(record), record, fact) : record
}
