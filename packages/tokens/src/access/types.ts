/** Public types of access tokens. */
import type { AbortSignalLike, Closable, Secret } from '@brokerwire/core'
import type { AccessToken, TokenStatus } from '../types.ts'

/** Options of {@link AccessTokens.get} and {@link AccessTokens.renew}. */
export interface AccessTokenGetOptions {
  /**
   * Whether to wait for the second factor. With `false`, the call fails with `TOKEN_PENDING` while the token
   * is pending. It still checks the token with the service, once in `pollIntervalMs` at most, and waits at most five
   * seconds for that response. If there is no token yet, it waits for the create: pass a `signal` to wait less.
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
 * Access tokens of one app key. Created by {@link createAccessTokens}.
 *
 * - Concurrent callers share one call of the service and one read of the store, which begins after their calls. A `signal` ends
 *   the wait of its caller; work that was already sent continues, because other callers may share it.
 * - If the store does not respond within a minute, the call fails with `TOKEN_STORE_FAILED`. Later calls continue.
 * - `close()` ends polling and watching. It cancels a create that still waits in a limiter, and waits for one that was sent, so
 *   that its token is saved. A store that never responds delays this by at most `callTimeoutMs` plus 40 seconds. It never rejects.
 */
export interface AccessTokens extends Closable {
  /** The only HTTP origin that the tokens are sent to. */
  readonly origin: string
  /**
   * Returns the usable token; `undefined` if the service requires none (`tokenMode`). If a new token needs a second factor, it
   * creates one only if the store never held a token.
   *
   * @throws TokensError; the signal's reason if it aborts.
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
   * Reports that the service rejected a request that carried `token`. Only a 401 with a code of `rejectionCodes` affects the
   * token. The store is read again, because another process may have a newer token. Then the token is checked, and only the
   * service's response ends it. If a new token needs a second factor, none is created.
   */
  reportRejected(
    token: Secret,
    rejection: TokenRejection,
    options?: {
      /** Ends the wait of this caller; other callers continue. */
      readonly signal?: AbortSignalLike | undefined
    },
  ): Promise<RejectionOutcome>
  /**
   * Requests a new token. In production a person is asked for the second factor.
   *
   * - The old token is checked first. If the service has extended it by an hour or more, it is returned and no token is created.
   * - While the new token is pending, the old one stays in use. A second pending token is never created.
   * - If the new token never becomes usable, the call fails, even if the old token still works.
   *
   * @throws TokensError; the signal's reason if it aborts.
   */
  renew(options?: AccessTokenGetOptions): Promise<AccessToken | undefined>
  /**
   * Yields the current state of the token, and then its changes, until the loop ends or the signal aborts.
   */
  watch(options?: {
    /** Ends the iteration when it aborts. */
    readonly signal?: AbortSignalLike | undefined
  }): AsyncIterable<TokenLifecycle>
}
