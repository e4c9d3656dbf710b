/**
 * What the token endpoints hand out and take, and the ports through which they are called.
 *
 * Calls return their failures as values: whether a request left the process decides what may be repeated, and an
 * exception would lose that.
 */
import type { AbortSignalLike, BrokerwireError, Secret } from '@brokerwire/core'

/** Status of an access token (specification, "Access token status"). Unknown ones keep their text. */
export type TokenStatus = 'PENDING' | 'NORMAL' | 'INVALID' | 'EXPIRED' | (string & {})

/** An access token. */
export interface AccessToken {
  readonly token: Secret
  /** Milliseconds since the epoch; `undefined` where the service states none. */
  readonly expiresAtMs: number | undefined
}

/** An access-token record as the service answers it. */
export interface AccessTokenResponse extends AccessToken {
  readonly status: TokenStatus
  /** What differs from the documents and was accepted. Never holds a value. */
  readonly issues?: readonly ResponseIssue[] | undefined
}

/** A client-token pair as the service answers it. */
export interface ClientTokenPair extends Pick<AccessTokenResponse, 'issues'> {
  readonly accessToken: Secret
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number
  readonly refreshToken: Secret
  /** Milliseconds since the epoch. */
  readonly refreshExpiresAtMs: number
}

/** A difference between an answer and the documents that does not keep the answer from being used. */
export interface ResponseIssue {
  readonly field: string
  readonly expected: string
  readonly received: string
}

/** How a call failed. */
export type TokenCallFailureKind =
  /** The request never left, so nothing happened at the service. */
  | 'not-sent'
  /** It left, and its outcome is not known. */
  | 'no-response'
  /** A definite no: 4xx other than 408 and 429. */
  | 'rejected'
  /** 5xx: the outcome is not known. */
  | 'server-error'
  /** 429: nothing happened. */
  | 'rate-limited'
  /** A success whose body cannot be used: something happened. */
  | 'invalid-response'

/** A failed call. */
export interface TokenCallFailure {
  readonly kind: TokenCallFailureKind
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined
  /** The service's own error code, for example `INVALID_TOKEN`. */
  readonly code?: string | undefined
  /** What `Retry-After` asked for. */
  readonly retryAfterMs?: number | undefined
  readonly error: Error
}

/** The result of a call. */
export type TokenCallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: TokenCallFailure }

/** The calls that this package makes, as its errors name them. */
export type TokenCall = 'create' | 'check' | 'config' | 'client-create' | 'client-refresh'

/** Options of every call. */
export interface TokenCallOptions {
  readonly signal?: AbortSignalLike | undefined
  /**
   * Ends the call as long as it has not left, for example while it waits in a limiter: the result is then
   * `'not-sent'`. Afterwards it is not looked at, because the answer is needed whoever still waits for it.
   */
  readonly unsentSignal?: AbortSignalLike | undefined
}

/** The access-token endpoints. Never throws for what the network or the service does. */
export interface AccessTokenEndpoints {
  /** Origin that the calls go to. Tokens are refused for an identity with another `httpUrl`. @defaultValue not checked */
  readonly origin?: string | undefined
  /** `POST .../create`, with the previous token in the body where there is one. */
  create(
    input: { readonly previousToken?: Secret | undefined },
    options: TokenCallOptions,
  ): Promise<TokenCallResult<AccessTokenResponse>>
  /** `POST .../check`. */
  check(token: Secret, options: TokenCallOptions): Promise<TokenCallResult<AccessTokenResponse>>
  /** `GET /openapi/config`: whether the service wants a token at all. Needed for `tokenMode: 'auto'`. */
  config?(options: TokenCallOptions): Promise<TokenCallResult<{ readonly tokenCheckEnabled: boolean }>>
}

/** The client-token endpoints. Never throws for what the network or the service does. */
export interface ClientTokenEndpoints {
  /** Origin that the calls go to. Tokens are refused for an identity with another `httpUrl`. @defaultValue not checked */
  readonly origin?: string | undefined
  /** Ends every earlier token of that customer. */
  create(clientUserId: string, options: TokenCallOptions): Promise<TokenCallResult<ClientTokenPair>>
  /** Ends the old pair. */
  refresh(refreshToken: Secret, options: TokenCallOptions): Promise<TokenCallResult<ClientTokenPair>>
}

/** A call of a token endpoint that has ended. Holds no token. */
export interface TokenCallEnd {
  /** The call, as errors name it. */
  readonly call: TokenCall
  /** How the call failed; `undefined` if it succeeded. */
  readonly failure: TokenCallFailureKind | undefined
  /** HTTP status of the response; `undefined` if there was none or if the call succeeded. */
  readonly status: number | undefined
  /** The error of this toolkit that caused the failure. Other errors are left out: their message may quote the response. */
  readonly error: BrokerwireError | undefined
}

/** Functions that are called for every token call. They cannot change the outcome, and what they throw is discarded. */
export interface TokensObserver {
  /** Called when a call has ended, successful or not. */
  readonly onCall?: ((end: TokenCallEnd) => void) | undefined
  /** Called for each difference between a response and the documents; the response was accepted. */
  readonly onResponseIssue?:
    | ((report: { readonly call: TokenCall; readonly issue: ResponseIssue }) => void)
    | undefined
}
