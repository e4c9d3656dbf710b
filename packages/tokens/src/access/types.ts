/** The public face of the access-token runner. */
import type { AbortSignalLike, Closable, Secret } from '@brokerwire/core'
import type { AccessToken, TokenStatus } from '../types.ts'

/** Options of {@link AccessTokens.get} and {@link AccessTokens.renew}. */
export interface AccessTokenGetOptions {
  /**
   * Whether to follow the second factor. `false`: fails with `TOKEN_PENDING` while it is not given.
   * @defaultValue true
   */
  readonly wait?: boolean | undefined
  /** Ends this caller's wait; other callers go on. */
  readonly signal?: AbortSignalLike | undefined
}

/** What the service answered to a request that carried the token. */
export interface TokenRejection {
  /** HTTP status. */
  readonly status: number
  /** The service's error code. */
  readonly code?: string | undefined
}

/** What became of a rejected token. */
export type RejectionOutcome =
  /** The failure is not about the token, or the service still calls it NORMAL: a retry changes nothing. */
  | { readonly changed: false }
  /** There is another token now: the request may be sent again with it, if that is harmless. */
  | { readonly changed: true; readonly token: AccessToken }

/** A change in the life of the token, as {@link AccessTokens.watch} reports it. */
export type TokenLifecycle =
  /** There is no token. */
  | { readonly type: 'none' }
  /** A second factor is needed. `renewal`: a current token stays in use meanwhile. */
  | {
      readonly type: 'pending'
      readonly deadlineMs: number
      readonly remainingMs: number
      readonly renewal: boolean
    }
  /** A token is usable. */
  | {
      readonly type: 'normal'
      readonly expiresAtMs: number | undefined
      readonly remainingMs: number | undefined
    }
  /** The token comes to its end; `thresholdMs` says which announcement this is. */
  | {
      readonly type: 'expiring'
      readonly expiresAtMs: number
      readonly remainingMs: number
      readonly thresholdMs: number
    }
  /** The token is over, and no other is usable. */
  | { readonly type: 'ended'; readonly status: TokenStatus }

/** A code is needed: a person enters it in the broker's app before `deadlineMs`. */
export type SecondFactorNotice = Extract<TokenLifecycle, { readonly type: 'pending' }>

/** The token expires soon: a person should renew it. */
export type ExpiringNotice = Extract<TokenLifecycle, { readonly type: 'expiring' }>

/**
 * Access tokens of one app key. Made by {@link createAccessTokens}. Closing stops polling and watching; a create that
 * was already sent is waited for, so that its token is not lost.
 */
export interface AccessTokens extends Closable {
  /** The only HTTP origin that the tokens are sent to. */
  readonly origin: string
  /**
   * The usable token; `undefined` where the service wants none (`tokenMode`).
   *
   * @throws TokensError, see the table of codes. The signal's reason, when it aborts.
   */
  get(options?: AccessTokenGetOptions): Promise<AccessToken | undefined>
  /**
   * The stored token where it is usable by this host's clock, else `undefined`. Reads the store and nothing else: never
   * asks the service, never creates, never waits for a second factor.
   *
   * @throws TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`, `TOKEN_CLOSED`.
   */
  peek(): Promise<AccessToken | undefined>
  /** Tells that the service refused a request that carried `token`. Only codes of `rejectionCodes` touch it. */
  reportRejected(
    token: Secret,
    rejection: TokenRejection,
    options?: { readonly signal?: AbortSignalLike | undefined },
  ): Promise<RejectionOutcome>
  /** Asks for a new token: in production a person will be asked for the second factor. */
  renew(options?: AccessTokenGetOptions): Promise<AccessToken | undefined>
  /** Changes of the token, the present state first, until the loop is left or the signal aborts. */
  watch(options?: { readonly signal?: AbortSignalLike | undefined }): AsyncIterable<TokenLifecycle>
}
