/**
 * What the store keeps of an app key's access token, and how a step of the machine changes it.
 *
 * `current` and `pending` side by side: during a renewal the old token stays in use until the service rejects it.
 * A record of a newer format is never overwritten; one that cannot be read only by an explicit `renew()`.
 */
import { isRecord, Secret } from '@brokerwire/core'
import type { AccessTokenState, PendingToken, UsableToken } from './access-state.ts'
import { TokensError } from './tokens-error.ts'
import type { TokenStatus } from './types.ts'

/** The present format. */
const FORMAT = 1

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
}

function invalid(reason: 'malformed' | 'newer-format', field: string): TokensError<'TOKEN_RECORD_INVALID'> {
  const message =
    reason === 'malformed'
      ? `the stored record cannot be read: ${field}`
      : 'the stored record was written by a newer version'
  return new TokensError('TOKEN_RECORD_INVALID', message, { details: { reason, field } })
}

/** The text of a record. Tokens stand in it as they are: encrypting is the store's part. */
export function encodeRecord({ current, pending, ended, lastCreate }: TokenRecord): string {
  return JSON.stringify({
    format: FORMAT,
    current: current && { ...current, token: current.token.reveal() },
    pending: pending && { ...pending, token: pending.token.reveal() },
    ended,
    lastCreate,
  })
}

/** @throws TokensError `TOKEN_RECORD_INVALID`. */
export function decodeRecord(text: string | undefined): TokenRecord {
  if (text === undefined) return {}
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not kept as the cause: the host's message quotes the text.
  }
  if (!isRecord(json) || typeof json.format !== 'number') throw invalid('malformed', 'format')
  if (json.format > FORMAT) throw invalid('newer-format', 'format')
  const part = (name: string): Record<string, unknown> | undefined => {
    const value = json[name]
    if (value !== undefined && !isRecord(value)) throw invalid('malformed', name)
    return value
  }
  const text1 = (from: Record<string, unknown>, name: string): string => {
    const value = from[name]
    if (typeof value !== 'string' || value === '') throw invalid('malformed', name)
    return value
  }
  const time = (from: Record<string, unknown>, name: string): number => {
    const value = from[name]
    if (typeof value !== 'number') throw invalid('malformed', name)
    return value
  }
  const optionalTime = (from: Record<string, unknown>, name: string): number | undefined =>
    from[name] === undefined ? undefined : time(from, name)
  const [current, pending, lastCreate] = [part('current'), part('pending'), part('lastCreate')]
  const outcome = lastCreate?.outcome
  if (lastCreate !== undefined && outcome !== 'started' && outcome !== 'answered' && outcome !== 'unknown')
    throw invalid('malformed', 'outcome')
  return {
    current: current && {
      token: new Secret(text1(current, 'token')),
      expiresAtMs: optionalTime(current, 'expiresAtMs'),
    },
    pending: pending && {
      token: new Secret(text1(pending, 'token')),
      status: text1(pending, 'status'),
      expiresAtMs: optionalTime(pending, 'expiresAtMs'),
      createdAtMs: time(pending, 'createdAtMs'),
      checkedAtMs: optionalTime(pending, 'checkedAtMs'),
    },
    ended: json.ended === undefined ? undefined : text1(json, 'ended'),
    lastCreate: lastCreate && {
      atMs: time(lastCreate, 'atMs'),
      outcome: outcome as LastCreate['outcome'],
    },
  }
}

/** Whether two secrets hold the same token. */
export function sameToken(one: Secret | undefined, other: Secret | undefined): boolean {
  return one !== undefined && other !== undefined && one.reveal() === other.reveal()
}

/** The record without its current token, which ended in `status`. */
function withoutCurrent(record: TokenRecord, status: TokenStatus): TokenRecord {
  return { ...record, current: undefined, ended: record.pending === undefined ? status : undefined }
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
      const current = { token: state.token, expiresAtMs: state.expiresAtMs }
      return { ...record, current, pending: wasPending ? undefined : record.pending, ended: undefined }
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
    case 'normal': {
      const current = { token: state.token, expiresAtMs: state.expiresAtMs }
      return { ...answered, current, pending: undefined, ended: undefined }
    }
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
