/**
 * What the store keeps of an app key's access token, and its text.
 *
 * `current` and `pending` side by side: during a renewal the old token stays in use until the service rejects it.
 * A record of a newer format is never overwritten; one that cannot be read only by an explicit `renew()`.
 */
import type { Secret } from '@brokerwire/core'
import { type FieldsOf, object, oneOf, optional, ownOptions, string } from '@brokerwire/core/internal'
import { RECORD_FORMAT, readRecord, storedInstant, storedSecret } from '../record-reader.ts'
import type { AccessToken, TokenStatus } from '../types.ts'

/** A token that awaits its second factor, or whose status is not known. */
export interface PendingToken extends AccessToken {
  readonly status: TokenStatus
  /** When the create was answered: the verification window is counted from here. */
  readonly createdAtMs: number
  readonly checkedAtMs: number | undefined
}

/** A token that was NORMAL when last heard of. */
export interface UsableToken extends AccessToken {
  /** When its create was sent or answered, where that is known: its lifetime is counted from here. */
  readonly createdAtMs?: number | undefined
}

/** What is known of a create. `started`: noted before it was sent, and not concluded. */
export type CreateOutcome = 'started' | 'answered' | 'unknown'

interface LastCreate {
  readonly atMs: number
  readonly outcome: CreateOutcome
}

/** A record in the store. Instants are milliseconds since the epoch. */
export interface StoredAccessToken {
  readonly current?: UsableToken | undefined
  readonly pending?: PendingToken | undefined
  /** The status in which the last token ended, where no token is left. */
  readonly ended?: TokenStatus | undefined
  /** The last create that was begun. If it stays `started`, the process that began it was killed or lost its store. */
  readonly lastCreate?: LastCreate | undefined
  /** The nearest threshold at which the end of `current` was announced. */
  readonly announcedMs?: number | undefined
}

/** The text of a record. Tokens stand in it as they are: encrypting is the store's part. */
export function encodeRecord(record: StoredAccessToken): string {
  const { current, pending, ...others } = ownOptions(record)
  return JSON.stringify({
    format: RECORD_FORMAT,
    current: current && { ...current, token: current.token.reveal() },
    pending: pending && { ...pending, token: pending.token.reveal() },
    ...others,
  })
}

const optionalTime = optional(storedInstant)
const FIELDS = {
  current: optional(
    object({
      token: storedSecret,
      expiresAtMs: optionalTime,
      createdAtMs: optionalTime,
    } satisfies FieldsOf<UsableToken>),
  ),
  pending: optional(
    object({
      token: storedSecret,
      status: string(),
      expiresAtMs: optionalTime,
      createdAtMs: storedInstant,
      checkedAtMs: optionalTime,
    } satisfies FieldsOf<PendingToken>),
  ),
  ended: optional(string()),
  lastCreate: optional(object({ atMs: storedInstant, outcome: oneOf(['started', 'answered', 'unknown']) })),
  announcedMs: optionalTime,
} satisfies FieldsOf<StoredAccessToken>

/**
 * Reads the text under `accessTokenStoreKey`; `undefined`, where there is none, is the empty record.
 *
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 *
 * @example
 * ```ts
 * import { accessTokenState, parseStoredAccessToken } from '@brokerwire/tokens'
 *
 * declare const text: string | undefined
 *
 * console.log(accessTokenState(parseStoredAccessToken(text)))
 * ```
 */
export function parseStoredAccessToken(stored: string | undefined): StoredAccessToken {
  return stored === undefined ? NO_TOKEN : readRecord(stored, FIELDS)
}

/** Without a prototype: what somebody wrote into `Object.prototype` is no token. */
const NO_TOKEN: StoredAccessToken = /* @__PURE__ */ ownOptions({})

/** Whether it is the same token, or none as before. */
export function sameToken(one: Secret | undefined, other: Secret | undefined): boolean {
  return one?.reveal() === other?.reveal()
}
