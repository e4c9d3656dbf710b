/** Requests and responses as callers see them. */
import type { AbortSignalLike, HeadersLike, QueryInput, SecretInput } from '@brokerwire/core'
import type { ApiVersion } from './api-version.ts'
import type { HttpObserver } from './observer.ts'

/**
 * When a request may be sent again:
 * - `always`: also if it may have arrived, so after no response, 5xx and 429 too: for a request without side effects, or with an
 *   identifier by which the service recognizes a duplicate;
 * - `unsent`: if it was never sent, or after 429 with `Retry-After`: nothing happened at the service;
 * - `never`.
 *
 * After `ILLEGAL_TIMESTAMP` each of them is sent once more, because the service checked nothing but the clock (with `serverClock`).
 * After the token was replaced, `always` is sent once more.
 */
export type RetryRule = 'always' | 'unsent' | 'never'

/** A request of {@link HttpClient.request}. */
export interface HttpRequest {
  /** HTTP method; GET and HEAD have no body. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Percent-encoded, from `/` on, without query. */
  readonly path: string
  /**
   * Decoded names and values in any order, as pairs, as a record or as a `URLSearchParams`; a name may come again, in a
   * record as a list of values. What is `undefined` or `null` in a record is left out.
   */
  readonly query?: QueryInput | undefined
  /**
   * Sent as compact JSON, as `JSON.stringify` does: `toJSON` is applied, and properties that are `undefined` are left out. A `Secret`
   * is sent as its text. Not together with `body`.
   *
   * A value that JSON cannot hold is refused with `HTTP_OPTION_INVALID` and its path: a number that is not finite, an integer beyond
   * 2^53 - 1 (it has lost digits: use a string, `JSON.rawJSON` or `body`), an invalid date, a function, a symbol, a bigint, a `Map` or
   * another collection, bytes, `undefined` in an array, a cycle, more than 100 levels.
   */
  readonly json?: unknown
  /** Sent as it is; a text as UTF-8. */
  readonly body?: string | Uint8Array | undefined
  /** More headers. Those of the signature, the version, the token and the connection are the client's own. Case does not make two names. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the request carries `x-access-token`. The token endpoints never do. @defaultValue true */
  readonly authenticated?: boolean | undefined
  /** This token instead of the client's, for example a client token. Not for a request that carries none. */
  readonly accessToken?: SecretInput | undefined
  /** @defaultValue the client's for this path */
  readonly apiVersion?: ApiVersion | undefined
  /** @defaultValue 'always' for GET and HEAD, else 'never' */
  readonly retry?: RetryRule | undefined
  /**
   * Of each attempt, from sending to the last byte. A host may have a limit of its own: Node's `fetch` gives up after
   * 300 s without headers, or without another byte.
   * @defaultValue the client's
   */
  readonly timeoutMs?: number | undefined
  /** @defaultValue the client's */
  readonly maxResponseBytes?: number | undefined
  /** Awaited before each attempt, outside its time limit: for a rate limiter. */
  readonly beforeAttempt?:
    | ((options: { readonly signal: AbortSignalLike | undefined }) => Promise<void>)
    | undefined
  /** Told of the end of each attempt of this request, after the client's observer. */
  readonly onAttemptEnd?: HttpObserver['onAttemptEnd']
  /** Ends the request; it rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
}

/** A successful answer (2xx). */
export interface HttpResponse {
  /** HTTP status of the response, 200 to 299. */
  readonly status: number
  /** Headers of the response; names are case-insensitive. */
  readonly headers: HeadersLike
  /** `X-Request-Id` of the answer: what the service's support asks for. */
  readonly requestId: string | undefined
  /** The body as it was received, after content decoding. */
  readonly bytes: Uint8Array
  /**
   * The body as text.
   *
   * @throws {@link HttpError} `HTTP_INVALID_RESPONSE` where it is not UTF-8.
   */
  text(): string
  /**
   * The body as JSON. Numbers beyond 2^53 lose digits, as in any `JSON.parse`: take `text()` for those.
   *
   * @throws {@link HttpError} `HTTP_INVALID_RESPONSE` where it is not JSON.
   */
  json(): unknown
}
