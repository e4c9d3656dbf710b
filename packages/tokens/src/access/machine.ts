/**
 * The state machine of an access token (specification, "Access token status"), as a table over the stored record.
 *
 * An event is a response of the service, an action of this package, or the passing of time. A pending token becomes
 * EXPIRED only if the service returns that status, never by this host's clock: a clock that jumps must not discard
 * a verification that a person gave.
 */
import type { Secret } from '@brokerwire/core'
import {
  applyEvent,
  createRowBuilder,
  describeTransitions,
  type TransitionRow,
  type When,
} from '../state-table.ts'
import { isOutcomeUnknown } from '../token-call.ts'
import type {
  AccessToken,
  AccessTokenResponse,
  AccessTokenState,
  TokenCallFailureKind,
  TokenStatus,
} from '../types.ts'
import { type StoredAccessToken, sameToken, type UsableToken } from './record.ts'

/** How long a second factor may take, and the shortest time between two create requests that need one. */
export const VERIFICATION_WINDOW_MS = 300_000

/** An event that changes the record. Instants are milliseconds since the epoch. */
export type AccessTokenEvent =
  /** A create request is about to be sent. */
  | {
      readonly type: 'create'
      /** Time of the request, which identifies the create. */
      readonly atMs: number
    }
  /** The response to the create that began at `atMs`. */
  | ({
      readonly type: 'created'
      /** Time of the request, which identifies the create. */
      readonly atMs: number
    } & ServiceResponse)
  /** The failure of the create that began at `atMs`. */
  | {
      readonly type: 'create-failed'
      /** Time of the request, which identifies the create. */
      readonly atMs: number
      /** The state of the request, as far as it is known. */
      readonly kind: TokenCallFailureKind
    }
  /** The response to a check of this token. */
  | ({
      readonly type: 'checked'
      /** The token that was checked. */
      readonly token: Secret
    } & ServiceResponse)
  /** A renewal discards a pending token that can no longer be checked. */
  | {
      readonly type: 'abandoned'
      /** The pending token that is discarded. */
      readonly token: Secret
    }
  /** `onExpiring` was called for this threshold. */
  | {
      readonly type: 'announced'
      /** The token that the warning is about. */
      readonly token: Secret
      /** The threshold of `expiryWarningsMs`, in milliseconds. */
      readonly thresholdMs: number
    }
  /** The view of a reader at this instant. It is not stored: only the service ends a token. */
  | {
      readonly type: 'time'
      /** The instant of the view. */
      readonly nowMs: number
    }

/** A response, and when it was received. */
interface ServiceResponse {
  /** The parsed response of the service. */
  readonly response: AccessTokenResponse
  /** When the response was received, in milliseconds since the epoch. */
  readonly nowMs: number
}
type Event<Type> = Extract<AccessTokenEvent, { readonly type: Type }>
type Stored = StoredAccessToken

/**
 * Returns the state of a record.
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
  if (pending !== undefined) return pending.status === 'PENDING' ? 'pending' : 'unrecognized'
  if (ended === undefined) return lastCreate === undefined ? 'none' : 'unresolved'
  if (ended === 'INVALID') return 'invalid'
  return ended === 'EXPIRED' ? 'expired' : 'unreadable'
}

/** Whether the token is past its expiry. A token without an expiry never expires. */
export function isExpired({ expiresAtMs }: Pick<AccessToken, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs
}

/** Returns the status of a created token. A token that is NORMAL but already expired counts as EXPIRED. */
export function createdStatus({ response, nowMs }: ServiceResponse): TokenStatus {
  return response.status === 'NORMAL' && isExpired(response, nowMs) ? 'EXPIRED' : response.status
}

/**
 * Returns the expiry after a check. If the response has none, the known expiry is kept, unless it has passed.
 */
function expiryAfter(knownMs: number | undefined, { response, nowMs }: ServiceResponse): number | undefined {
  return response.expiresAtMs ?? (knownMs !== undefined && knownMs > nowMs ? knownMs : undefined)
}

/** Returns the record with this current token. A new token or a new expiry restarts the expiry warnings. */
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

function createdUsable(record: Stored, event: Event<'created'>): Stored {
  const { token, expiresAtMs } = event.response
  const after = withCurrent(answered(record, event), { token, expiresAtMs, createdAtMs: event.atMs })
  return { ...after, pending: undefined }
}
function createdPending(record: Stored, event: Event<'created'>): Stored {
  const { token, status, expiresAtMs } = event.response
  const pending = { token, status, expiresAtMs, createdAtMs: event.nowMs, checkedAtMs: undefined }
  return { ...answered(record, event), pending, ended: undefined }
}
const createdUnusable = (record: Stored, event: Event<'created'>): Stored =>
  withoutPending(answered(record, event), createdStatus(event))

/** Makes the pending token, which is verified now, the current one. */
function promotePending(record: Stored, event: Event<'checked'>): Stored {
  const expiresAtMs = expiryAfter(record.pending?.expiresAtMs, event)
  const token = { token: event.token, expiresAtMs, createdAtMs: record.pending?.createdAtMs }
  return { ...withCurrent(record, token), pending: undefined }
}
/**
 * Records a token that is not usable yet: the pending token, or a usable one that the service returned as
 * PENDING again.
 */
function updatePending(record: Stored, { response, token, nowMs }: Event<'checked'>): Stored {
  const { current, pending } = record
  const expiresAtMs = response.expiresAtMs ?? (pending ?? current)?.expiresAtMs
  const createdAtMs = pending?.createdAtMs ?? nowMs
  const { status } = response
  return {
    ...record,
    pending: { token, status, expiresAtMs, createdAtMs, checkedAtMs: nowMs },
    ended: undefined,
  }
}
const demoteCurrent = (record: Stored, event: Event<'checked'>): Stored =>
  withoutCurrent(updatePending(record, event), event.response.status)
const endPending = (record: Stored, { response }: Event<'checked'>): Stored =>
  withoutPending(record, response.status)
const endCurrent = (record: Stored, { response }: Event<'checked'>): Stored =>
  withoutCurrent(record, response.status)
const confirmCurrent = (record: Stored, event: Event<'checked'>): Stored =>
  withCurrent(record, { token: event.token, expiresAtMs: expiryAfter(record.current?.expiresAtMs, event) })

const announced = (record: Stored, { thresholdMs }: Event<'announced'>): Stored => ({
  ...record,
  announcedMs: thresholdMs,
})

/** Removes the last create from the record after the verification window. */
function removeOldCreate(record: Stored, { nowMs }: Event<'time'>): Stored {
  // The age is an absolute difference, so that an old create is removed even if the clock was set back.
  const ageMs = record.lastCreate === undefined ? 0 : Math.abs(nowMs - record.lastCreate.atMs)
  return ageMs < VERIFICATION_WINDOW_MS ? record : withoutCreate(record)
}
const expireCurrent = (record: Stored, event: Event<'time'>): Stored =>
  withoutCurrent(removeOldCreate(record, event), 'EXPIRED')

type ResponseEvent = Event<'created'> | Event<'checked'>
const responseStatus = (event: ResponseEvent): TokenStatus =>
  event.type === 'created' ? createdStatus(event) : event.response.status
const isNormal: When<Stored, ResponseEvent> = (_record, event) => responseStatus(event) === 'NORMAL'
const isEnded: When<Stored, ResponseEvent> = (_record, event) =>
  ['INVALID', 'EXPIRED'].includes(responseStatus(event))
const forPending =
  (test: When<Stored, Event<'checked'>>): When<Stored, Event<'checked'>> =>
  (record, event) =>
    sameToken(record.pending?.token, event.token) && test(record, event)
const anyOtherStatus = (): boolean => true
const pendingNormal = forPending(isNormal)
const pendingEnded = forPending(isEnded)
const pendingOther = forPending(anyOtherStatus)
const currentNotNormal = (): boolean => true
const isCreateUnresolved: When<Stored, Event<'create-failed'>> = (_record, { kind }) => isOutcomeUnknown(kind)
const noTokenCreated = (): boolean => true
const isCurrentExpired: When<Stored, Event<'time'>> = ({ current }, { nowMs }) =>
  current !== undefined && isExpired(current, nowMs)
const isCreateOld: When<Stored, Event<'time'>> = (record, event) => removeOldCreate(record, event) !== record
const isSmallerThreshold: When<Stored, Event<'announced'>> = (
  { announcedMs = Number.POSITIVE_INFINITY },
  { thresholdMs },
) => thresholdMs < announcedMs

const row = createRowBuilder<Stored, AccessTokenState, AccessTokenEvent>()
const WAITING = ['pending', 'unrecognized'] as const
const USABLE = ['normal', 'renewing'] as const
const ENDED = ['invalid', 'expired'] as const
const TOKEN_LOST = [...ENDED, 'unreadable'] as const
/** The states without a usable token, except `none`. */
const TOKENLESS = ['unresolved', ...WAITING, ...TOKEN_LOST] as const
/** States in which the response to a create request may arrive. */
const AWAITING_CREATE = [...TOKENLESS, 'normal'] as const
/** The record changes, but its state stays the same. */
const SAME_STATE = [] as const

const TABLE = [
  row('create', ['none', 'unresolved'], ['unresolved'], withCreate('started')),
  row('create', ['normal', ...TOKEN_LOST], SAME_STATE, withCreate('started')),
  row('created', AWAITING_CREATE, ['normal'], createdUsable, isNormal),
  row('created', ['normal'], SAME_STATE, createdUnusable, isEnded),
  row('created', ['normal'], ['renewing'], createdPending, anyOtherStatus),
  row('created', TOKENLESS, ENDED, createdUnusable, isEnded),
  row('created', TOKENLESS, WAITING, createdPending, anyOtherStatus),
  row('create-failed', AWAITING_CREATE, SAME_STATE, withCreate('unknown'), isCreateUnresolved),
  row('create-failed', ['unresolved'], ['none'], withoutCreate, noTokenCreated),
  row('create-failed', ['normal', ...WAITING, ...TOKEN_LOST], SAME_STATE, withoutCreate, noTokenCreated),

  // The service decides whether the token is usable, not this host's clock.
  row('checked', WAITING, ['normal'], promotePending, isNormal),
  row('checked', WAITING, ENDED, endPending, isEnded),
  row('checked', WAITING, WAITING, updatePending, anyOtherStatus),
  row('checked', ['renewing'], ['normal'], promotePending, pendingNormal),
  row('checked', ['renewing'], ['normal'], endPending, pendingEnded),
  row('checked', ['renewing'], SAME_STATE, updatePending, pendingOther),
  row('checked', USABLE, SAME_STATE, confirmCurrent, isNormal),
  row('checked', ['normal'], ENDED, endCurrent, isEnded),
  row('checked', ['normal'], WAITING, demoteCurrent, anyOtherStatus),
  row('checked', ['renewing'], WAITING, endCurrent, currentNotNormal),
  row('abandoned', WAITING, ['expired'], (record) => withoutPending(record, 'EXPIRED')),
  row('abandoned', ['renewing'], ['normal'], (record) => withoutPending(record, 'EXPIRED')),
  row('announced', USABLE, SAME_STATE, announced, isSmallerThreshold),

  row('time', ['normal'], ['expired'], expireCurrent, isCurrentExpired),
  row('time', ['renewing'], WAITING, expireCurrent, isCurrentExpired),
  row('time', ['unresolved'], ['none'], removeOldCreate, isCreateOld),
  row('time', [...WAITING, ...USABLE, ...TOKEN_LOST], SAME_STATE, removeOldCreate, isCreateOld),
]

/** The transitions, for diagrams and tests. If several rows match, the first one applies. */
export const ACCESS_TOKEN_TRANSITIONS: readonly TransitionRow<AccessTokenState>[] =
  /* @__PURE__ */ describeTransitions(
    TABLE,
    new Map<unknown, string>([
      [isNormal, 'NORMAL'],
      [isEnded, 'INVALID or EXPIRED'],
      [anyOtherStatus, 'PENDING or another status'],
      [pendingNormal, 'the new token: NORMAL'],
      [pendingEnded, 'the new token: INVALID or EXPIRED'],
      [pendingOther, 'the new token: PENDING or another status'],
      [currentNotNormal, 'the old token: another status than NORMAL'],
      [isCreateUnresolved, 'its outcome is unknown'],
      [noTokenCreated, 'no token was created'],
      [isCurrentExpired, 'past its expiry'],
      [isCreateOld, 'five minutes after the create'],
      [isSmallerThreshold, 'a smaller threshold than before'],
    ]),
  )

/**
 * Whether the event is about a stored token or the last create. An event about one that was replaced has no
 * effect.
 */
function appliesTo({ current, pending, lastCreate }: Stored, event: AccessTokenEvent): boolean {
  if ('token' in event && !sameToken(pending?.token, event.token))
    return event.type !== 'abandoned' && sameToken(current?.token, event.token)
  if (event.type === 'announced') return sameToken(current?.token, event.token)
  if (event.type !== 'created' && event.type !== 'create-failed') return true
  return lastCreate?.atMs === event.atMs && lastCreate.outcome === 'started'
}

/**
 * Returns the record after an event. The function is pure, and it makes every change of a stored access
 * token.
 *
 * @returns The same object if the event does not apply or changes nothing.
 *
 * @example
 * ```ts
 * import { accessTokenState, accessTokenTransition } from '@brokerwire/tokens'
 *
 * const begun = accessTokenTransition({}, { type: 'create', atMs: 0 })
 * const failed = accessTokenTransition(begun, { type: 'create-failed', atMs: 0, kind: 'no-response' })
 * console.log(accessTokenState(failed)) // unresolved
 * ```
 */
export function accessTokenTransition(record: StoredAccessToken, event: AccessTokenEvent): StoredAccessToken {
  return appliesTo(record, event) ? applyEvent(TABLE, accessTokenState(record), record, event) : record
}
