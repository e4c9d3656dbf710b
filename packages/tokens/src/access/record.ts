/**
 * The stored record of an app key's access token, and its encoding.
 *
 * A record can have both `current` and `pending`, because during a renewal the old token stays in use until the new
 * one is verified or the service rejects the old one. A record of a newer format is never overwritten. A malformed
 * record is overwritten only by an explicit `renew()`.
 */
import type { Secret } from '@brokerwire/core'
import { type FieldsOf, object, oneOf, optional, ownOptions, string } from '@brokerwire/core/internal'
import { instantField, parseRecord, RECORD_FORMAT, secretField } from '../stored-record.ts'
import type { AccessToken, TokenStatus } from '../types.ts'

/** A token that waits for its second factor, or has an unknown status. */
export interface PendingToken extends AccessToken {
  /** PENDING, or an undocumented status that is not final. */
  readonly status: TokenStatus
  /**
   * Start of the verification window: when the response to the create was received, milliseconds since the
   * epoch.
   */
  readonly createdAtMs: number
  /** When the service last returned this status, milliseconds since the epoch; `undefined` before the first check. */
  readonly checkedAtMs: number | undefined
}

/** A token whose last known status is NORMAL. */
export interface UsableToken extends AccessToken {
  /**
   * Start of its lifetime, in milliseconds since the epoch: when its create was sent or, if it was pending
   * first, when the response was received. `undefined` if unknown.
   */
  readonly createdAtMs?: number | undefined
}

/**
 * The recorded outcome of a create request. `started`: the request was recorded before it was sent, and its
 * outcome is not recorded yet.
 */
export type CreateOutcome = 'started' | 'answered' | 'unknown'

/** The last create request of an app key. */
interface LastCreate {
  /** Time of the request, in milliseconds since the epoch. */
  readonly atMs: number
  /** Outcome of the request, as far as it is known. */
  readonly outcome: CreateOutcome
}

/** A stored record. Instants are milliseconds since the epoch. */
export interface StoredAccessToken {
  /** The token that requests carry; `undefined` if none is usable. */
  readonly current?: UsableToken | undefined
  /** The new token that waits for its second factor. */
  readonly pending?: PendingToken | undefined
  /** The last status of the last token, if no token is left. */
  readonly ended?: TokenStatus | undefined
  /**
   * The last create. If it stays `started`, the process that sent it was killed or could not write the
   * outcome.
   */
  readonly lastCreate?: LastCreate | undefined
  /** The smallest threshold at which `onExpiring` was called for `current`. */
  readonly announcedMs?: number | undefined
}

/** Encodes a record. Tokens are not encrypted here, because `createEncryptedStore` does that. */
export function encodeRecord(record: StoredAccessToken): string {
  const { current, pending, ...others } = ownOptions(record)
  return JSON.stringify({
    format: RECORD_FORMAT,
    current: current && { ...current, token: current.token.reveal() },
    pending: pending && { ...pending, token: pending.token.reveal() },
    ...others,
  })
}

const optionalTime = optional(instantField)
const FIELDS = {
  current: optional(
    object({
      token: secretField,
      expiresAtMs: optionalTime,
      createdAtMs: optionalTime,
    } satisfies FieldsOf<UsableToken>),
  ),
  pending: optional(
    object({
      token: secretField,
      status: string(),
      expiresAtMs: optionalTime,
      createdAtMs: instantField,
      checkedAtMs: optionalTime,
    } satisfies FieldsOf<PendingToken>),
  ),
  ended: optional(string()),
  lastCreate: optional(object({ atMs: instantField, outcome: oneOf(['started', 'answered', 'unknown']) })),
  announcedMs: optionalTime,
} satisfies FieldsOf<StoredAccessToken>

/**
 * Parses the string under `accessTokenStoreKey`; `undefined` becomes the empty record.
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
  return stored === undefined ? NO_TOKEN : parseRecord(stored, FIELDS)
}

/** The empty record. It has no prototype, so that properties of `Object.prototype` do not count as tokens. */
const NO_TOKEN: StoredAccessToken = /* @__PURE__ */ ownOptions({})

/** Whether both are the same token, or both are absent. */
export function sameToken(one: Secret | undefined, other: Secret | undefined): boolean {
  return one?.reveal() === other?.reveal()
}
