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
export interface AccessTokenRecord extends AccessToken {
  readonly status: TokenStatus
  /** What differs from the documents and was accepted. Never holds a value. */
  readonly issues?: readonly AnswerIssue[] | undefined
}

/** A client-token pair as the service answers it. */
export interface ClientTokenPair extends Pick<AccessTokenRecord, 'issues'> {
  readonly accessToken: Secret
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number
  readonly refreshToken: Secret
  /** Milliseconds since the epoch. */
  readonly refreshExpiresAtMs: number
}

/** A difference between an answer and the documents that does not keep the answer from being used. */
export interface AnswerIssue {
  readonly field: string
  readonly expected: string
  readonly received: string
}

/** How a call failed. */
export type ApiFailureKind =
  /** The request never left, so nothing happened at the service. */
  | 'not-sent'
  /** It left, and its outcome is not known. */
  | 'no-answer'
  /** A definite no: 4xx other than 408 and 429. */
  | 'refused'
  /** 5xx: the outcome is not known. */
  | 'server-error'
  /** 429: nothing happened. */
  | 'rate-limited'
  /** A success whose body cannot be used: something happened. */
  | 'bad-answer'

/** A failed call. */
export interface ApiFailure {
  readonly kind: ApiFailureKind
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined
  /** The service's own error code, for example `INVALID_TOKEN`. */
  readonly code?: string | undefined
  /** What `Retry-After` asked for. */
  readonly retryAfterMs?: number | undefined
  readonly error: Error
}

/** The result of a call. */
export type ApiResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ApiFailure }

/** The calls that this package makes, as its errors name them. */
export type ApiCall = 'create' | 'check' | 'config' | 'client-create' | 'client-refresh'

/** Options of every call. */
export interface ApiCallOptions {
  readonly signal?: AbortSignalLike | undefined
  /**
   * Ends the call as long as it has not left, for example while it waits in a limiter: the result is then
   * `'not-sent'`. Afterwards it is not looked at, because the answer is needed whoever still waits for it.
   */
  readonly unsentSignal?: AbortSignalLike | undefined
}

/** The access-token endpoints. Never throws for what the network or the service does. */
export interface TokenApi {
  /** `POST .../create`, with the previous token in the body where there is one. */
  create(
    input: { readonly previousToken?: Secret | undefined },
    options: ApiCallOptions,
  ): Promise<ApiResult<AccessTokenRecord>>
  /** `POST .../check`. */
  check(token: Secret, options: ApiCallOptions): Promise<ApiResult<AccessTokenRecord>>
  /** `GET /openapi/config`: whether the service wants a token at all. Needed for `tokenMode: 'ask'`. */
  config?(options: ApiCallOptions): Promise<ApiResult<{ readonly tokenCheckEnabled: boolean }>>
}

/** The client-token endpoints. Never throws for what the network or the service does. */
export interface ClientTokenApi {
  /** Ends every earlier token of that customer. */
  create(clientUserId: string, options: ApiCallOptions): Promise<ApiResult<ClientTokenPair>>
  /** Ends the old pair. */
  refresh(refreshToken: Secret, options: ApiCallOptions): Promise<ApiResult<ClientTokenPair>>
}

/** What an observer is told. Never holds a token. */
export type TokenObservation =
  | {
      readonly type: 'call'
      readonly call: ApiCall
      /** `undefined`: it succeeded. */
      readonly failure: ApiFailureKind | undefined
      readonly status: number | undefined
      /** The toolkit's own error behind the failure. A foreign one is kept back: its text may quote the answer. */
      readonly error: BrokerwireError | undefined
    }
  /** An answer differs from the documents and was accepted. */
  | { readonly type: 'answer-issue'; readonly call: ApiCall; readonly issue: AnswerIssue }
