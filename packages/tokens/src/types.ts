/**
 * Types of the token endpoints: their responses, their failures, and the calls as two interfaces.
 *
 * A failed call is a value, not an exception: the caller must know whether the request was sent, because that
 * decides whether it may retry.
 */
import type { AbortSignalLike, Secret } from '@brokerwire/core'

/**
 * Status of an access token (specification, "Access token status"). A status that this package does not know
 * is kept as it is.
 */
export type TokenStatus = 'PENDING' | 'NORMAL' | 'INVALID' | 'EXPIRED' | (string & {})

/** The state of the stored record of an access token. */
export type AccessTokenState =
  /** No token was ever stored. */
  | 'none'
  /** No token, and a create request that is in flight or whose outcome is unknown. */
  | 'unresolved'
  /** PENDING: the token waits for its second factor. */
  | 'pending'
  /** The service returned a status that is not documented: neither usable nor final. */
  | 'unrecognized'
  /** NORMAL: a token is usable. */
  | 'normal'
  /** NORMAL, and a new token that is still pending. */
  | 'renewing'
  /** INVALID: no token is usable. */
  | 'invalid'
  /** EXPIRED: no token is usable. */
  | 'expired'
  /** There was a token, but its record could not be parsed. */
  | 'unreadable'

/** An access token and its expiry. */
export interface AccessToken {
  /** The token itself, protected against accidental logging. */
  readonly token: Secret
  /** Milliseconds since the epoch; `undefined` if the service states no expiry. */
  readonly expiresAtMs: number | undefined
}

/** The response of the access-token endpoints. */
export interface AccessTokenResponse extends AccessToken {
  /** The status that the service returned. */
  readonly status: TokenStatus
  /** Differences from the documents that were accepted. They never contain a value. */
  readonly issues?: readonly ResponseIssue[] | undefined
}

/** The response of the client-token endpoints: an access token and the refresh token that renews it. */
export interface ClientTokenPair extends Pick<AccessTokenResponse, 'issues'> {
  /** The token for the customer's requests. */
  readonly accessToken: Secret
  /** Expiry of the access token, milliseconds since the epoch. */
  readonly expiresAtMs: number
  /** The token that renews the pair once. */
  readonly refreshToken: Secret
  /** Expiry of the refresh token, milliseconds since the epoch. */
  readonly refreshExpiresAtMs: number
}

/** A difference between a response and the documents. The response was accepted nevertheless. */
export interface ResponseIssue {
  /** Name of the field in the response. */
  readonly field: string
  /** The value that the documents describe. */
  readonly expected: string
  /** The type of the value in the response, never the value itself. */
  readonly received: string
}

/** The kind of a failure: what is known about the request. */
export type TokenCallFailureKind =
  /** The request was not sent, so nothing happened at the service. */
  | 'not-sent'
  /** The request was sent, and its outcome is unknown. */
  | 'no-response'
  /** The service rejected the request: 4xx except 408 and 429. */
  | 'rejected'
  /** 5xx: the outcome is unknown. */
  | 'server-error'
  /** 429: nothing happened at the service. */
  | 'rate-limited'
  /** A successful response whose body cannot be used: something happened at the service. */
  | 'invalid-response'

/** The failure of a call. */
export interface TokenCallFailure {
  /** The kind of the failure. It states what is known about the request. */
  readonly kind: TokenCallFailureKind
  /** HTTP status of the response; `undefined` if there was none. */
  readonly status?: number | undefined
  /** The service's own error code, for example `INVALID_TOKEN`. */
  readonly code?: string | undefined
  /** The wait that `Retry-After` asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The error behind the failure. Its message may quote the response. */
  readonly error: Error
}

/** The result of a call: a value or a failure. */
export type TokenCallResult<T> =
  | {
      readonly ok: true
      /** The parsed response of the service. */
      readonly value: T
    }
  | {
      readonly ok: false
      /** The failure of the call. */
      readonly failure: TokenCallFailure
    }

/** The calls that this package makes, by the names that its errors use. */
export type TokenCall = 'create' | 'check' | 'config' | 'client-create' | 'client-refresh'

/** Options of every call. */
export interface TokenCallOptions {
  /** Aborts the call, even after its request was sent. */
  readonly signal?: AbortSignalLike | undefined
  /**
   * Ends the call only if its request was not sent yet, for example while it waits in a limiter. The result is then
   * `'not-sent'`. After the request was sent this signal has no effect, because other callers may need the
   * response.
   */
  readonly unsentSignal?: AbortSignalLike | undefined
}

/**
 * The access-token endpoints. The calls return network and service failures as results, and do not reject
 * because of them.
 */
export interface AccessTokenEndpoints {
  /** Origin that the calls go to. An identity with another `baseUrl` is rejected. @defaultValue not checked */
  readonly origin?: string | undefined
  /** `POST .../create`, with the previous token in the body if there is one. */
  create(
    input: {
      /** The token that the new one replaces. */
      readonly previousToken?: Secret | undefined
    },
    options: TokenCallOptions,
  ): Promise<TokenCallResult<AccessTokenResponse>>
  /** `POST .../check`: returns the token's current status. */
  check(token: Secret, options: TokenCallOptions): Promise<TokenCallResult<AccessTokenResponse>>
  /** `GET /openapi/config`: whether the service requires a token. Needed for `tokenMode: 'auto'`. */
  config?(options: TokenCallOptions): Promise<
    TokenCallResult<{
      /** Whether the service requires an access token. */
      readonly tokenCheckEnabled: boolean
    }>
  >
}

/**
 * The client-token endpoints. The calls return network and service failures as results, and do not reject
 * because of them.
 */
export interface ClientTokenEndpoints {
  /** Origin that the calls go to. An identity with another `baseUrl` is rejected. @defaultValue not checked */
  readonly origin?: string | undefined
  /** Creates a pair and ends every earlier token of that customer. */
  create(clientUserId: string, options: TokenCallOptions): Promise<TokenCallResult<ClientTokenPair>>
  /** Creates a pair from the refresh token and ends the old pair. */
  refresh(refreshToken: Secret, options: TokenCallOptions): Promise<TokenCallResult<ClientTokenPair>>
}
