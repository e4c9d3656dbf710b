/**
 * The error of this package.
 *
 * It never has a `cause`, because errors of a host's `fetch` may quote a header's value, and errors of
 * `JSON.parse` quote their input. The known facts about the cause are in `details`.
 */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'
import type { ProxyDetails } from './host/port.ts'

/** Which request failed. The path is without its query. */
export type RequestDetails = {
  /** HTTP method of the request. */
  readonly method: string
  /** Path of the request, without the query. */
  readonly path: string
}

/** Whether the last attempt was sent only once. */
export type SendingDetails = {
  /**
   * Whether the host is known to have sent the last attempt at most once. `false` in three cases:
   * - the host retries by itself and that cannot be prevented (browsers)
   * - your own `fetch` does not report how often it sends
   * - the request has `retry: 'always'` on Deno or Bun
   *
   * A dispatcher that your application sets with undici's `setGlobalDispatcher` is trusted. If that
   * dispatcher retries, as `RetryAgent` does, its retries are not noticed.
   */
  readonly sentOnce: boolean
}

/** The service that did not send a complete response. */
export type OriginDetails = {
  /** Scheme, host and port, for example `https://api.example.com`. */
  readonly origin: string
}

/** Details of a response with an unsuccessful status. A body that is empty, HTML or too large has no code. */
export type StatusDetails = RequestDetails &
  SendingDetails & {
    /** HTTP status of the response. */
    readonly status: number
    /** The service's own code, for example `INVALID_TOKEN`. Unknown codes are kept. */
    readonly serviceCode: string | undefined
    /**
     * The service's own message, cut at 500 characters. For a body of plain text, its first 200 characters; `undefined` for
     * HTML.
     */
    readonly serviceMessage: string | undefined
    /** `X-Request-Id` of the response. */
    readonly requestId: string | undefined
    /** Milliseconds that `Retry-After` asks for. If it is a date, it is compared with the response's own `Date`. */
    readonly retryAfterMs: number | undefined
  }

/** The part of the response that was missing. `body`: status and headers had arrived. */
export type RequestPhase = 'headers' | 'body'

/** The details of each error code. */
export interface HttpErrorDetails {
  /**
   * An option of the client or of a request is wrong.
   * @retryable no
   * @remedy Correct the option that `details.option` names.
   * @message accessToken must not be set for /auth/tokens/create, which takes no token
   */
  HTTP_OPTION_INVALID: {
    /** Path of the option, such as `headers.x-a`. */
    readonly option: string
    /** The accepted values, in words. */
    readonly expected: string
    /** The type of the received value, or the value if it cannot be secret. */
    readonly received: string
  }
  /**
   * A header that the client sets itself, or that must never be sent.
   * @retryable no
   * @remedy Do not set this header.
   * @message headers().x-signature must not be set: the client sets it
   */
  HTTP_HEADER_FORBIDDEN: {
    /** Name of the header, in lower case. */
    readonly header: string
    /** Why the header is not allowed. */
    readonly reason: string
  }
  /**
   * 401: the signature or the token was rejected.
   * @retryable if the token was replaced, or the connection ended within the body
   * @remedy See `details.serviceCode`. For `INVALID_SIGNATURE`, run `brokerwire explain` on the request, or use the
   *   workbench.
   * @message GET /x: status 401, INVALID_TOKEN: token is invalid
   */
  HTTP_UNAUTHORIZED: StatusDetails
  /**
   * 401 with the code ILLEGAL_TIMESTAMP and an implausible `Date`. Instants are milliseconds since the Unix epoch.
   * @retryable no
   * @remedy Correct the wrong clock: `details.serverNowMs` and `details.hostNowMs` are the two times.
   * @message POST /x: status 401, ILLEGAL_TIMESTAMP: timestamp is illegal; the service's clock must be within
   *   86400000 ms of this host's 2026-05-31T23:00:00.000Z; received 2099-01-01T00:00:00.000Z. Correct the wrong clock,
   *   or raise maxClockOffsetMs
   */
  HTTP_CLOCK_IMPLAUSIBLE: StatusDetails & {
    /** The service's time, from `Date` of its response. */
    readonly serverNowMs: number
    /** The time of this host's clock. */
    readonly hostNowMs: number
    /** The largest offset that is accepted, in milliseconds. */
    readonly maxClockOffsetMs: number
  }
  /**
   * 403: the app key or the account lacks a permission.
   * @retryable no
   * @remedy Ask the service for the permission that the call needs.
   * @message POST /x: status 403
   */
  HTTP_FORBIDDEN: StatusDetails
  /**
   * 417: the service's business rules rejected the request.
   * @retryable no
   * @remedy See `details.serviceCode` and `details.serviceMessage`.
   * @message POST /market-data/streaming/subscribe: status 417, INVALID_SYMBOL: The symbols does not exist in the
   *   category. [BAD]
   */
  HTTP_BUSINESS_ERROR: StatusDetails
  /**
   * 429: too many requests; nothing happened at the service.
   * @retryable yes
   * @remedy Wait `details.retryAfterMs` milliseconds, then send the request again.
   * @message POST /x: status 429
   */
  HTTP_RATE_LIMITED: StatusDetails
  /**
   * Any other 4xx: the service rejected the request.
   * @retryable no
   * @remedy Correct the request. See `details.serviceCode`.
   * @message POST /x: status 421; the host may have sent it more than once
   */
  HTTP_CLIENT_ERROR: StatusDetails
  /**
   * 5xx: whether the request took effect is unknown.
   * @retryable yes
   * @remedy Check whether the request took effect before you send it again.
   * @message GET /orders: status 503
   */
  HTTP_SERVER_ERROR: StatusDetails
  /**
   * 3xx: redirects are never followed, because a signature covers host and path. For a 3xx without
   * `Location`, the message states the status and the service's text instead.
   * @retryable no
   * @remedy If the message states a redirect, correct `baseUrl`. For 304, send no conditional headers.
   * @message POST /x: status 307, a redirect, which is never followed
   */
  HTTP_REDIRECT: StatusDetails
  /**
   * The request was never sent, in no attempt: nothing happened at the service. Not retryable if the host rejects
   * the request itself.
   * @retryable yes, unless a proxy rejects the connection permanently, or the host rejects the request
   * @remedy Send the request again. With a proxy, see `details.proxy`. For `bad_port`, correct `baseUrl`.
   * @message POST /x: no connection to https://h.example (ECONNREFUSED)
   */
  HTTP_NOT_SENT: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** A code such as `ECONNREFUSED`; `PROXY_REFUSED` or `PROXY_UNREACHABLE` if a proxy is the reason. */
      readonly reason: string
      /** The proxy that opened no connection. */
      readonly proxy?: ProxyDetails | undefined
    }
  /**
   * The connection ended before a complete response: whether the request took effect is unknown.
   * @retryable yes
   * @remedy Check whether the request took effect before you send it again.
   * @message POST /x: the connection to https://h.example ended before the response was complete (ECONNRESET); the
   *   host may have sent it more than once
   */
  HTTP_NO_RESPONSE: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** A code such as `ECONNRESET`. */
      readonly reason: string
      /** Whether the headers of the response had arrived. */
      readonly phase: RequestPhase
    }
  /**
   * The response was not complete in time: whether the request took effect is unknown.
   * @retryable yes
   * @remedy Check whether the request took effect before you send it again.
   * @message POST /x: no complete response from https://h.example within 1000 ms
   */
  HTTP_TIMEOUT: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** The time limit of the request in milliseconds; `undefined` if a limit of the host ended it. The message names that limit. */
      readonly timeoutMs: number | undefined
      /** Whether the headers of the response had arrived. */
      readonly phase: RequestPhase
    }
  /**
   * The response has more bytes than allowed.
   * @retryable no
   * @remedy Raise `maxResponseBytes`.
   * @message POST /x: the response must have at most 10 bytes (maxResponseBytes)
   */
  HTTP_RESPONSE_TOO_LARGE: RequestDetails & {
    /** The limit in bytes. */
    readonly maxResponseBytes: number
    /** `X-Request-Id` of the response. */
    readonly requestId: string | undefined
  }
  /**
   * A successful response whose body cannot be used.
   * @retryable no
   * @remedy Report it to the service with `details.requestId`.
   * @message GET /x: the response must be JSON; received text that is not JSON
   */
  HTTP_INVALID_RESPONSE: RequestDetails & {
    /** HTTP status of the response. */
    readonly status: number
    /** The expected body, in words. */
    readonly expected: string
    /** The kind of the received body, in words. */
    readonly received: string
    /** `X-Request-Id` of the response. */
    readonly requestId: string | undefined
  }
}

/** Stable codes of {@link HttpError}. */
export type HttpErrorCode = keyof HttpErrorDetails

/** Codes of errors that came with an HTTP status. Their details are {@link StatusDetails}. */
export type HttpStatusErrorCode = {
  [C in HttpErrorCode]: HttpErrorDetails[C] extends StatusDetails ? C : never
}[HttpErrorCode]

/** The error of `@brokerwire/http`. */
export class HttpError<C extends HttpErrorCode = HttpErrorCode> extends BrokerwireError<
  C,
  HttpErrorDetails[C]
> {
  /** Name of the error class. */
  override readonly name = 'HttpError'

  constructor(code: C, message: string, options: Omit<BrokerwireErrorOptions<HttpErrorDetails[C]>, 'cause'>) {
    super('http', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and has this code if one is given.
 *
 * @example
 * ```ts
 * import { isHttpError } from '@brokerwire/http'
 *
 * declare function work(): Promise<void>
 *
 * try {
 *   await work()
 * } catch (error) {
 *   if (!isHttpError(error)) throw error
 *   console.log(error.code, error.retryable)
 * }
 * ```
 */
export const isHttpError = errorGuard<{ [C in HttpErrorCode]: HttpError<C> }>('http')

/** @internal */
export const optionFailure: OptionFailure = (
  option,
  expected,
  received,
  message = optionMessage(option, expected, received),
) => new HttpError('HTTP_OPTION_INVALID', message, { details: { option, expected, received } })

/**
 * Creates the error of a request.
 *
 * @param text - Description of the failure. The message starts with the request's method and path.
 * @param more - Details other than method and path.
 */
export function requestError<C extends HttpErrorCode>(
  code: C,
  request: RequestDetails,
  text: string,
  more: Omit<HttpErrorDetails[C], keyof RequestDetails>,
  retryable?: boolean,
): HttpError<C> {
  const details = { ...request, ...more } as unknown as HttpErrorDetails[C]
  return new HttpError(code, `${request.method} ${request.path}: ${text}`, { details, retryable })
}

/**
 * Returns the details of an error that came with a status, and `undefined` for other errors. Only errors with
 * a status have `retryAfterMs`.
 */
export const statusDetails = (error: HttpError | undefined): StatusDetails | undefined =>
  error !== undefined && Object.hasOwn(error.details, 'retryAfterMs')
    ? (error.details as StatusDetails)
    : undefined
