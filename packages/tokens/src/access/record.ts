/**
 * What the store keeps of an app key's access token, and how a step of the machine changes it.
 *
 * `current` and `pending` side by side: during a renewal the old token stays in use until the service rejects it.
 * A record of a newer format is never overwritten; one that cannot be read only by an explicit `renew()`.
 */
import type { Secret } from '@brokerwire/core'
import { openRecord, RECORD_FORMAT, recordInvalid } from '../record-reader.ts'
import type { TokenStatus } from '../types.ts'
import type { AccessTokenState, PendingToken, UsableToken } from './state.ts'

/** The last create that was begun. */
interface LastCreate {
  readonly atMs: number
  /** `started`: begun and not concluded, so whoever began it was killed if he does not hold the lock. */
  readonly outcome: 'started' | 'answered' | 'unknown'
}

/** A record in the store. */
export interface TokenRecord {
  readonly current?: UsableToken | undefined
  readonly pending?: PendingToken | undefined
  /** The status in which the last token ended, where no token is left. */
  readonly ended?: TokenStatus | undefined
  readonly lastCreate?: LastCreate | undefined
  /** The nearest threshold at which the end of `current` was announced. */
  readonly announcedMs?: number | undefined
}

/** The text of a record. Tokens stand in it as they are: encrypting is the store's part. */
export function encodeRecord({ current, pending, ended, lastCreate, announcedMs }: TokenRecord): string {
  return JSON.stringify({
    format: RECORD_FORMAT,
    current: current && { ...current, token: current.token.reveal() },
    pending: pending && { ...pending, token: pending.token.reveal() },
    ended,
    lastCreate,
    announcedMs,
  })
}

/** @throws TokensError `TOKEN_RECORD_INVALID`. */
export function decodeRecord(text: string | undefined): TokenRecord {
  if (text === undefined) return {}
  const record = openRecord(text, ['current', 'pending', 'ended', 'lastCreate', 'announcedMs'])
  const current = record.part('current', ['token', 'expiresAtMs', 'createdAtMs'])
  const pending = record.part('pending', ['token', 'status', 'expiresAtMs', 'createdAtMs', 'checkedAtMs'])
  const lastCreate = record.part('lastCreate', ['atMs', 'outcome'])
  return {
    current: current && {
      token: current.secret('token'),
      expiresAtMs: current.optional('expiresAtMs', current.time),
      createdAtMs: current.optional('createdAtMs', current.time),
    },
    pending: pending && {
      token: pending.secret('token'),
      status: pending.text('status'),
      expiresAtMs: pending.optional('expiresAtMs', pending.time),
      createdAtMs: pending.time('createdAtMs'),
      checkedAtMs: pending.optional('checkedAtMs', pending.time),
    },
    ended: record.optional('ended', record.text),
    lastCreate: lastCreate && {
      atMs: lastCreate.time('atMs'),
      outcome: readOutcome(lastCreate.text('outcome')),
    },
    announcedMs: record.optional('announcedMs', record.time),
  }
}

function readOutcome(text: string): LastCreate['outcome'] {
  if (text === 'started' || text === 'answered' || text === 'unknown') return text
  throw recordInvalid('malformed', 'outcome')
}

/** Whether two secrets hold the same token. */
export function sameToken(one: Secret | undefined, other: Secret | undefined): boolean {
  return one !== undefined && other !== undefined && one.reveal() === other.reveal()
}

/**
 * The record with this current token. Another one, or another end of it, is to be announced anew.
 *
 * @param createdAtMs - Of a token that was not the current one before.
 */
function withCurrent(
  record: TokenRecord,
  { token, expiresAtMs }: UsableToken,
  createdAtMs?: number | undefined,
): TokenRecord {
  const known = sameToken(record.current?.token, token) ? record.current : undefined
  return {
    ...record,
    current: { token, expiresAtMs, createdAtMs: known?.createdAtMs ?? createdAtMs },
    announcedMs: known?.expiresAtMs === expiresAtMs ? record.announcedMs : undefined,
  }
}

/** The record after an announcement; `undefined` where that one, or a nearer one, was made before. */
export function announced(record: TokenRecord, thresholdMs: number): TokenRecord | undefined {
  return (record.announcedMs ?? Number.POSITIVE_INFINITY) <= thresholdMs
    ? undefined
    : { ...record, announcedMs: thresholdMs }
}

/** The record without its current token, which ended in `status`. */
function withoutCurrent(record: TokenRecord, status: TokenStatus): TokenRecord {
  const ended = record.pending === undefined ? status : undefined
  return { ...record, current: undefined, ended, announcedMs: undefined }
}

/** The record without its pending token, which ended in `status`. */
export function withoutPending(record: TokenRecord, status: TokenStatus): TokenRecord {
  return { ...record, pending: undefined, ended: record.current === undefined ? status : undefined }
}

/**
 * The record after a step of the machine that followed `token`, its pending or its current one.
 *
 * @returns `undefined` where the record holds that token no more: somebody else has replaced it, and the step says
 * nothing about what is stored now.
 */
export function recordAfter(
  record: TokenRecord,
  token: Secret,
  state: AccessTokenState,
): TokenRecord | undefined {
  const wasPending = sameToken(record.pending?.token, token)
  if (!wasPending && !sameToken(record.current?.token, token)) return undefined
  switch (state.name) {
    case 'normal': {
      const pending = wasPending ? undefined : record.pending
      return {
        ...withCurrent(record, state, wasPending ? record.pending?.createdAtMs : undefined),
        pending,
        ended: undefined,
      }
    }
    case 'invalid':
    case 'expired': {
      const status = state.name === 'invalid' ? 'INVALID' : 'EXPIRED'
      return wasPending ? withoutPending(record, status) : withoutCurrent(record, status)
    }
    case 'pending':
    case 'waiting':
    case 'checking':
      if (wasPending) return { ...record, pending: state.pending }
      // A NORMAL token that went back: it waits like any other, unless one is waiting already.
      return {
        ...withoutCurrent(record, state.pending.status),
        pending: record.pending ?? state.pending,
        ended: undefined,
      }
    default:
      return record
  }
}

/** The record after a create. The current token stays beside a new one that is pending. */
export function recordAfterCreate(record: TokenRecord, state: AccessTokenState, atMs: number): TokenRecord {
  const answered: TokenRecord = { ...record, lastCreate: { atMs, outcome: 'answered' } }
  switch (state.name) {
    case 'normal':
      return { ...withCurrent(answered, state, atMs), pending: undefined, ended: undefined }
    case 'pending':
      return { ...answered, pending: state.pending, ended: undefined }
    case 'invalid':
    case 'expired':
      return withoutPending(answered, state.name === 'invalid' ? 'INVALID' : 'EXPIRED')
    case 'uncertain':
      return { ...record, lastCreate: { atMs, outcome: 'unknown' } }
    default:
      return { ...record, lastCreate: undefined }
  }
}
