/**
 * The error of this package.
 *
 * It never has a `cause`: what a host's `fetch` throws may quote a header's value, and `JSON.parse` quotes the text.
 * What is known of the cause is in `details`.
 */
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard } from '@brokerwire/core'
import { type OptionFailure, optionMessage } from '@brokerwire/core/internal'
import type { ProxyDetails } from './host/port.ts'

/** Which request failed. The path is without its query. */
export type RequestDetails = {
  readonly method: string
  readonly path: string
}

/** How often the last attempt was sent. */
export type SendingDetails = {
  /**
   * Whether it is known that the host sent it at most once. A dispatcher that your application sets with undici's
   * `setGlobalDispatcher` is trusted: one that retries, such as `RetryAgent`, is not noticed. `false` if the host retries by itself and that cannot be
   * prevented (browsers), if a `fetch` of your own does not show it, and for requests with `retry: 'always'`
   * on Deno and Bun.
   */
  readonly sentOnce: boolean
}

/** The service that sent no whole response. */
export type OriginDetails = {
  /** Scheme, host and port, for example `https://api.example.com`. */
  readonly origin: string
}

/** An answer with a status that is no success. */
export type StatusDetails = RequestDetails &
  SendingDetails & {
    /** HTTP status. */
    readonly status: number
    /** The service's own code, for example `INVALID_TOKEN`; unknown ones are kept. */
    readonly serviceCode: string | undefined
    /** The service's own words, cut at 500 characters. */
    readonly serviceMessage: string | undefined
    /** `X-Request-Id` of the answer. */
    readonly requestId: string | undefined
    /** Milliseconds that `Retry-After` asks for. A date in it is compared with the response's own `Date`. */
    readonly retryAfterMs: number | undefined
  }

/** How far a request came. `body`: status and headers had arrived. */
export type RequestPhase = 'headers' | 'body'

/** Details by code. */
export interface HttpErrorDetails {
  /** An option of the client or of a request is wrong. */
  HTTP_OPTION_INVALID: { readonly option: string; readonly expected: string; readonly received: string }
  /** A header that the client sets itself, or that must never be sent. */
  HTTP_HEADER_FORBIDDEN: { readonly header: string; readonly reason: string }
  /** 401 */
  HTTP_UNAUTHORIZED: StatusDetails
  /** 401 of the code ILLEGAL_TIMESTAMP, with a `Date` that is no plausible time. In ms since the Unix epoch. */
  HTTP_CLOCK_IMPLAUSIBLE: StatusDetails & {
    readonly serverNowMs: number
    readonly hostNowMs: number
    readonly maxClockOffsetMs: number
  }
  /** 403 */
  HTTP_FORBIDDEN: StatusDetails
  /** 417: the service's business rules refused the request. */
  HTTP_BUSINESS_ERROR: StatusDetails
  /** 429 */
  HTTP_RATE_LIMITED: StatusDetails
  /** Any other 4xx. */
  HTTP_CLIENT_ERROR: StatusDetails
  /** 5xx: whether the request took effect is unknown. */
  HTTP_SERVER_ERROR: StatusDetails
  /** 3xx: a redirect is never followed, because a signature covers its host and path. One without `Location` has its status as message. */
  HTTP_REDIRECT: StatusDetails
  /** The request was never sent: nothing happened at the service. Not retryable if the host rejects the request itself. */
  HTTP_NOT_SENT: RequestDetails &
    OriginDetails & {
      /** A code such as `ECONNREFUSED`; `PROXY_REFUSED` or `PROXY_UNREACHABLE` if a proxy is the reason. */
      readonly reason: string
      /** The proxy that opened no connection. */
      readonly proxy?: ProxyDetails | undefined
    }
  /** The connection ended before the answer did: whether the request took effect is unknown. */
  HTTP_NO_RESPONSE: RequestDetails &
    OriginDetails &
    SendingDetails & { readonly reason: string; readonly phase: RequestPhase }
  /** The answer was not complete in time: whether the request took effect is unknown. */
  HTTP_TIMEOUT: RequestDetails &
    OriginDetails &
    SendingDetails & {
      /** The limit of the request; `undefined` if a limit of the host ended it, which the message names. */
      readonly timeoutMs: number | undefined
      readonly phase: RequestPhase
    }
  /** The answer has more bytes than allowed. */
  HTTP_RESPONSE_TOO_LARGE: RequestDetails & {
    readonly maxResponseBytes: number
    readonly requestId: string | undefined
  }
  /** A success whose body is not what it has to be. */
  HTTP_INVALID_RESPONSE: RequestDetails & {
    readonly status: number
    readonly expected: string
    readonly received: string
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
  override readonly name = 'HttpError'

  constructor(code: C, message: string, options: Omit<BrokerwireErrorOptions<HttpErrorDetails[C]>, 'cause'>) {
    super('http', code, message, options)
  }
}

/**
 * Whether `value` is an error of this package, and of this code where one is given.
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
 * @param text - What happened. The message starts with the request's method and path.
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

/** Details of an error that came with a status, which alone have `retryAfterMs`; `undefined` for others. */
export const statusDetails = (error: HttpError | undefined): StatusDetails | undefined =>
  error !== undefined && Object.hasOwn(error.details, 'retryAfterMs')
    ? (error.details as StatusDetails)
    : undefined
