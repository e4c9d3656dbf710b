/** Public types of access tokens. */
import type { AbortSignalLike, Closable, Secret } from '@brokerwire/core'
import type { AccessToken, TokenStatus } from '../types.ts'

/** Options of {@link AccessTokens.get} and {@link AccessTokens.renew}. */
export interface AccessTokenGetOptions {
  /**
   * Whether to wait for the second factor. With `false`, the call fails with `TOKEN_PENDING` while the token
   * is pending.
   * @defaultValue true
   */
  readonly wait?: boolean | undefined
  /** Ends the wait of this caller; other callers continue. */
  readonly signal?: AbortSignalLike | undefined
}

/** The response of the service to a request that carried the token. */
export interface TokenRejection {
  /** HTTP status of the response. */
  readonly status: number
  /** The service's error code, for example `INVALID_TOKEN`. */
  readonly code?: string | undefined
}

/** The result of reporting a rejected token. */
export type RejectionOutcome =
  /** A retry does not help: the failure is not about the token, or the service still returns NORMAL. */
  | {
      /** Whether there is a new token. */
      readonly changed: false
    }
  /** There is a new token: the request may be sent again with it if that is harmless. */
  | {
      /** Whether there is a new token. */
      readonly changed: true
      /** The new token and its expiry. */
      readonly token: AccessToken
    }

/** A state in the lifecycle of the token, as {@link AccessTokens.watch} yields it. */
export type TokenLifecycle =
  /** There is no token. */
  | { readonly type: 'none' }
  /** A code is needed. `renewal`: a current token stays in use meanwhile. */
  | {
      readonly type: 'pending'
      /** End of the verification window, milliseconds since the epoch. */
      readonly deadlineMs: number
      /** Milliseconds until the deadline, at least 0. */
      readonly remainingMs: number
      /** Whether a current token stays in use meanwhile. */
      readonly renewal: boolean
    }
  /** A token is usable. */
  | {
      readonly type: 'normal'
      /** Milliseconds since the epoch; `undefined` if the service states no expiry. */
      readonly expiresAtMs: number | undefined
      /** Milliseconds until the expiry; `undefined` if the service states none. */
      readonly remainingMs: number | undefined
    }
  /** The token expires soon; `thresholdMs` is the threshold of `expiryWarningsMs`. */
  | {
      readonly type: 'expiring'
      /** Expiry of the token, milliseconds since the epoch. */
      readonly expiresAtMs: number
      /** Milliseconds until the expiry. */
      readonly remainingMs: number
      /** The threshold of `expiryWarningsMs` that was passed, in milliseconds. */
      readonly thresholdMs: number
    }
  /** The token has ended, and no other is usable. */
  | {
      readonly type: 'ended'
      /** The last status that the service returned. */
      readonly status: TokenStatus
    }

/** A person must enter a code in the broker's app before `deadlineMs`. */
export type SecondFactorNotice = Extract<TokenLifecycle, { readonly type: 'pending' }>

/** The token expires soon, so a person should renew it. */
export type ExpiringNotice = Extract<TokenLifecycle, { readonly type: 'expiring' }>

/**
 * Access tokens of one app key. Created by {@link createAccessTokens}. `close()` ends polling and watching, and
 * waits for a create that was already sent, so that its token is saved.
 */
export interface AccessTokens extends Closable {
  /** The only HTTP origin that the tokens are sent to. */
  readonly origin: string
  /**
   * Returns the usable token; `undefined` if the service requires none (`tokenMode`).
   *
   * @throws TokensError with the codes of the README; the signal's reason if it aborts.
   */
  get(options?: AccessTokenGetOptions): Promise<AccessToken | undefined>
  /**
   * Returns the stored token if it is usable by this host's clock, else `undefined`. It only reads the store. It
   * does not call the service, create a token or wait for a second factor.
   *
   * @throws TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`, `TOKEN_CLOSED`.
   */
  peek(): Promise<AccessToken | undefined>
  /**
   * Reports that the service rejected a request that carried `token`. Only codes of `rejectionCodes` affect the
   * token.
   */
  reportRejected(
    token: Secret,
    rejection: TokenRejection,
    options?: {
      /** Ends the wait of this caller; other callers continue. */
      readonly signal?: AbortSignalLike | undefined
    },
  ): Promise<RejectionOutcome>
  /** Requests a new token. In production a person is asked for the second factor. */
  renew(options?: AccessTokenGetOptions): Promise<AccessToken | undefined>
  /**
   * Yields the current state of the token, and then its changes, until the loop ends or the signal aborts.
   */
  watch(options?: {
    /** Ends the iteration when it aborts. */
    readonly signal?: AbortSignalLike | undefined
  }): AsyncIterable<TokenLifecycle>
}
