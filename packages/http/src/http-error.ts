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

/** Details of a response with an unsuccessful status. */
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
  /** An option of the client or of a request is wrong. */
  HTTP_OPTION_INVALID: {
    /** Path of the option, such as `headers.x-a`. */
    readonly option: string
    /** The accepted values, in words. */
    readonly expected: string
    /** The type of the received value, or the value if it cannot be secret. */
    readonly received: string
  }
  /** A header that the client sets itself, or that must never be sent. */
  HTTP_HEADER_FORBIDDEN: {
    /** Name of the header, in lower case. */
    readonly header: string
    /** Why the header is not allowed. */
    readonly reason: string
  }
  /** 401: the signature or the token was rejected. */
  HTTP_UNAUTHORIZED: StatusDetails
  /**
   * 401 with the code ILLEGAL_TIMESTAMP and an implausible `Date`. Instants are milliseconds since the Unix epoch.
   */
  HTTP_CLOCK_IMPLAUSIBLE: StatusDetails & {
    /** The service's time, from `Date` of its response. */
    readonly serverNowMs: number
    /** The time of this host's clock. */
    readonly hostNowMs: number
    /** The largest offset that is accepted, in milliseconds. */
    readonly maxClockOffsetMs: number
  }
  /** 403: the app key or the account lacks a permission. */
  HTTP_FORBIDDEN: StatusDetails
  /** 417: the service's business rules rejected the request. */
  HTTP_BUSINESS_ERROR: StatusDetails
  /** 429: too many requests; nothing happened at the service. */
  HTTP_RATE_LIMITED: StatusDetails
  /** Any other 4xx: the service rejected the request. */
  HTTP_CLIENT_ERROR: StatusDetails
  /** 5xx: whether the request took effect is unknown. */
  HTTP_SERVER_ERROR: StatusDetails
  /**
   * 3xx: redirects are never followed, because a signature covers host and path. For a 3xx without
   * `Location`, the message states the status and the service's text instead.
   */
  HTTP_REDIRECT: StatusDetails
  /**
   * The request was never sent, in no attempt: nothing happened at the service. Not retryable if the host rejects
   * the request itself.
   */
  HTTP_NOT_SENT: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** A code such as `ECONNREFUSED`; `PROXY_REFUSED` or `PROXY_UNREACHABLE` if a proxy is the reason. */
      readonly reason: string
      /** The proxy that opened no connection. */
      readonly proxy?: ProxyDetails | undefined
    }
  /** The connection ended before a complete response: whether the request took effect is unknown. */
  HTTP_NO_RESPONSE: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** A code such as `ECONNRESET`. */
      readonly reason: string
      /** Whether the headers of the response had arrived. */
      readonly phase: RequestPhase
    }
  /** The response was not complete in time: whether the request took effect is unknown. */
  HTTP_TIMEOUT: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** The time limit of the request in milliseconds; `undefined` if a limit of the host ended it. The message names that limit. */
      readonly timeoutMs: number | undefined
      /** Whether the headers of the response had arrived. */
      readonly phase: RequestPhase
    }
  /** The response has more bytes than allowed. */
  HTTP_RESPONSE_TOO_LARGE: RequestDetails & {
    /** The limit in bytes. */
    readonly maxResponseBytes: number
    /** `X-Request-Id` of the response. */
    readonly requestId: string | undefined
  }
  /** A successful response whose body cannot be used. */
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
