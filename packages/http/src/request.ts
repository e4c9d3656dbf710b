/** Types of requests and responses. */
import type { AbortSignalLike, HeadersLike, QueryInput, SecretInput } from '@brokerwire/core'
import type { ApiVersion } from './api-version.ts'
import type { HttpError } from './http-error.ts'
import type { HttpObserver } from './observer.ts'

/**
 * When a failed request may be sent again:
 * - `always`: also if it may have arrived, for example after no response, a 5xx or a 429. Use it for a
 *   request without side effects, or with an identifier by which the service recognizes duplicates
 * - `unsent`: if it was never sent, or after 429 with `Retry-After`, because nothing happened at the service. Not
 *   after a 429 if the host may have sent the request twice, because then the other one may have had an effect
 * - `never`: no retry
 *
 * With each rule, a client with `serverClock` sends a request once more after `ILLEGAL_TIMESTAMP`, because
 * the service had checked only the clock. With `always`, it also sends a request once more after a rejected
 * token was replaced.
 */
export type RetryRule = 'always' | 'unsent' | 'never'

/** A request of {@link HttpClient.request}. */
export interface HttpRequest {
  /** HTTP method; GET and HEAD have no body. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Percent-encoded path that starts with `/`, without a query. */
  readonly path: string
  /**
   * Name of the request in reports to observers, such as `orders.place`. It may become a label of a metric, so it must not contain
   * identifiers.
   * @defaultValue none
   */
  readonly operation?: string | undefined
  /**
   * Names and values in any order, without percent-encoding: pairs, a record or a `URLSearchParams`. In a
   * record, a repeated name has a list of values, and values `undefined` and `null` are not sent.
   */
  readonly query?: QueryInput | undefined
  /**
   * The body as a value, sent as compact JSON with the rules of `JSON.stringify`: `toJSON` is applied, and
   * properties that are `undefined` are left out. A `Secret` is sent as its string. Must not be set together
   * with `body`.
   *
   * A value that JSON cannot represent is rejected with `HTTP_OPTION_INVALID` and its path: a number that is not
   * finite, an integer beyond 2^53 - 1 (it has lost digits: use a string, `JSON.rawJSON` or `body`), an invalid
   * date, a function, a symbol, a bigint, a `Map` or another collection, bytes, `undefined` in an array, a cycle,
   * more than 100 levels.
   */
  readonly json?: unknown
  /** The body as it is sent; a string is encoded as UTF-8. */
  readonly body?: string | Uint8Array | undefined
  /**
   * Additional headers. The client sets those of the signature, the version, the token and the connection itself.
   * Two names that differ only in case are the same.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Whether the request carries `x-access-token`. Requests to the token endpoints never carry it.
   * @defaultValue true
   */
  readonly authenticated?: boolean | undefined
  /**
   * The token of this request, for example a client token, instead of the provider's. Rejected together with
   * `authenticated: false`.
   */
  readonly accessToken?: SecretInput | undefined
  /** The API version of this request, sent as `x-version`. @defaultValue the client's version for this path */
  readonly apiVersion?: ApiVersion | undefined
  /** When the request may be sent again after a failure. @defaultValue 'always' for GET and HEAD, else 'never' */
  readonly retry?: RetryRule | undefined
  /**
   * Time limit of each attempt in milliseconds, from sending to the last byte. A host may have its own limit:
   * Node's `fetch` fails if it receives no headers, or no further byte of the body, for 300 s.
   * @defaultValue the client's `timeoutMs`
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum size of the response body in bytes, after decompression.
   * @defaultValue the client's `maxResponseBytes`
   */
  readonly maxResponseBytes?: number | undefined
  /**
   * Called and awaited before each attempt, when the token is known. After it only the signature is created,
   * and the request is sent. This time does not count for `timeoutMs`. Use it for a rate limiter, or to record
   * that the request may be sent. If it rejects, the attempt is not sent, and the request fails with its error.
   */
  readonly beforeAttempt?:
    | ((options: {
        readonly signal: AbortSignalLike | undefined
        /** The error of the attempt before this one; `undefined` for the first attempt. */
        readonly lastError: HttpError | undefined
      }) => Promise<void>)
    | undefined
  /** Called at the end of each attempt of this request, after the client's observer. */
  readonly onAttemptEnd?: HttpObserver['onHttpAttemptEnd']
  /** Aborts the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
}

/** A successful response (2xx). */
export interface HttpResponse {
  /** HTTP status of the response, 200 to 299. */
  readonly status: number
  /** Headers of the response; names are case-insensitive. */
  readonly headers: HeadersLike
  /** `X-Request-Id` of the response. Give it to the service's support. */
  readonly requestId: string | undefined
  /** The body as it was received, after content decoding. */
  readonly bytes: Uint8Array
  /** Returns the body as text. @throws {@link HttpError} `HTTP_INVALID_RESPONSE` if it is not UTF-8. */
  text(): string
  /**
   * Returns the body as JSON. Numbers beyond 2^53 lose digits, as in any `JSON.parse`: parse `text()` yourself if
   * you need them.
   *
   * @throws {@link HttpError} `HTTP_INVALID_RESPONSE` if it is not JSON.
   */
  json(): unknown
}

/** Sends requests: the part of `HttpClient` that other packages need. */
export interface RequestSender {
  /** Sends a request and resolves with its successful response. */
  request(request: HttpRequest): Promise<HttpResponse>
}
