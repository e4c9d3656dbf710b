/**
 * States, events and effects of one access token's life, as data.
 *
 * The machine follows one token. A renewal is a second machine beside the first: the old token stays NORMAL in its
 * own until the service says otherwise.
 */
import type { Secret } from '@brokerwire/core'
import type { AccessTokenRecord, ApiFailure, TokenStatus } from '../types.ts'

/** A token that awaits its second factor, or whose status is not known. */
export interface PendingToken {
  readonly token: Secret
  readonly status: TokenStatus
  readonly expiresAtMs: number | undefined
  /** When the create was answered: the verification window is counted from here. */
  readonly createdAtMs: number
  readonly checkedAtMs: number | undefined
}

/** A poll of the check endpoint. */
export interface Poll {
  readonly intervalMs: number
  readonly endsAtMs: number
  readonly nextAtMs: number
  /** When the present wait or check began; a later event with an earlier time means that the clock was set back. */
  readonly sinceMs: number
}

/** A token that was NORMAL when last heard of. */
export interface UsableToken {
  readonly token: Secret
  readonly expiresAtMs: number | undefined
  /** When its create was sent or answered, where that is known: its lifetime is counted from here. */
  readonly createdAtMs?: number | undefined
}

/** States of {@link accessTokenTransition}. `invalid` and `expired` are final: a new token is a new machine. */
export type AccessTokenState =
  | { readonly name: 'none' }
  | { readonly name: 'creating' }
  /** A create whose outcome is not known: no other until `untilMs`. */
  | { readonly name: 'uncertain'; readonly untilMs: number }
  /** PENDING, nobody polls. */
  | { readonly name: 'pending'; readonly pending: PendingToken }
  /** PENDING, between two checks. */
  | { readonly name: 'waiting'; readonly pending: PendingToken; readonly poll: Poll }
  /** PENDING, a check is in flight. */
  | { readonly name: 'checking'; readonly pending: PendingToken; readonly poll: Poll }
  | ({ readonly name: 'normal' } & UsableToken)
  /** NORMAL, a check is in flight. */
  | ({ readonly name: 'verifying' } & UsableToken)
  | { readonly name: 'invalid'; readonly token: Secret; readonly from: 'created' | 'pending' | 'normal' }
  | {
      readonly name: 'expired'
      readonly token: Secret
      /** `window`: the second factor came too late; `validity`: its time was over; `created`: it came expired. */
      readonly reason: 'window' | 'validity' | 'created'
    }

/** Events of {@link accessTokenTransition}. Every one carries its time, in milliseconds since the epoch. */
export type AccessTokenEvent = { readonly nowMs: number } & (
  | { readonly type: 'create'; readonly previousToken?: Secret | undefined }
  | { readonly type: 'created'; readonly record: AccessTokenRecord }
  /** `quietMs`: how long no other create is made where the outcome is not known. */
  | { readonly type: 'create-failed'; readonly failure: ApiFailure; readonly quietMs: number }
  /** Poll until the status is decided; a `timeoutMs` of 0 asks once. */
  | { readonly type: 'follow'; readonly intervalMs: number; readonly timeoutMs: number }
  | { readonly type: 'time' }
  /** Ask for the status of a NORMAL token. */
  | { readonly type: 'verify' }
  | { readonly type: 'checked'; readonly record: AccessTokenRecord }
  | { readonly type: 'check-failed'; readonly failure: ApiFailure }
)

/** How an undertaking ended. */
export type AccessTokenOutcome =
  | 'usable'
  | 'invalid'
  | 'expired'
  /** PENDING became EXPIRED: the second factor was not given in time. */
  | 'window-over'
  /** The poll's own time ended; the service had not decided. */
  | 'poll-timeout'
  /** A call failed in a way that ends the undertaking. */
  | 'failed'

/** Effects of {@link accessTokenTransition}, in the order in which they are to be done. */
export type AccessTokenEffect =
  | { readonly type: 'create'; readonly previousToken: Secret | undefined }
  | { readonly type: 'check'; readonly token: Secret }
  /** Come back with `time` at this instant. */
  | { readonly type: 'wait'; readonly untilMs: number }
  /** Put the new state into the store before anything else is done with it. */
  | { readonly type: 'save' }
  /** Tell a person that the second factor is needed. */
  | { readonly type: 'notify'; readonly createdAtMs: number }
  | {
      readonly type: 'settled'
      readonly outcome: AccessTokenOutcome
      readonly failure?: ApiFailure | undefined
    }
