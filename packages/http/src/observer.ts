/**
 * Observers receive a report of every attempt and cannot change the attempt. Their exceptions are discarded.
 * Their reports contain no header, query or body, so they are safe to log.
 */

import type { ApiVersion } from './api-version.ts'
import type { HttpErrorCode } from './http-error.ts'

/** An attempt that begins. */
export interface HttpAttempt {
  /** Name of the client: its option `clientId`. */
  readonly clientId: string
  /** Number of the request within the client, from 1. */
  readonly request: number
  /** Number of the attempt within the request, from 1. */
  readonly attempt: number
  /** Origin that the attempt is sent to, such as `https://api.example.com`. */
  readonly origin: string
  /**
   * Name of the operation, such as `orders.place`: the option `operation` of the request. `undefined` for a request without a name.
   * There are few names, so it may be a label of a metric.
   */
  readonly operation: string | undefined
  /** HTTP method of the request. */
  readonly method: string
  /** Path of the request, without the query. It may contain identifiers, so it must not be a label of a metric. */
  readonly path: string
  /** The API version that the attempt sends as `x-version`. */
  readonly apiVersion: ApiVersion
  /** Whether the attempt carries an access token. */
  readonly authenticated: boolean
}

/** An attempt that ended. */
export interface HttpAttemptEnd extends HttpAttempt {
  /**
   * Milliseconds from sending to the last byte. 0 if the result of the function `headers` of the client was rejected, `undefined` if there was
   * no result.
   */
  readonly durationMs: number | undefined
  /**
   * HTTP status, if the headers of a response arrived. `errorCode` may still be `HTTP_NO_RESPONSE` or
   * `HTTP_TIMEOUT`.
   */
  readonly status: number | undefined
  /** `X-Request-Id`, if the headers of a response arrived. */
  readonly requestId: string | undefined
  /**
   * `undefined` for a success. `'ABORTED'` if the caller's signal ended the attempt, or if the function `headers` of the
   * client failed.
   */
  readonly errorCode: HttpErrorCode | 'ABORTED' | undefined
  /** The service's own error code, if it sent one. */
  readonly serviceCode: string | undefined
  /** Milliseconds that `Retry-After` of an unsuccessful response asks for; `undefined` without the header. */
  readonly retryAfterMs: number | undefined
  /** Milliseconds until the next attempt; `undefined` if this was the last. */
  readonly retryDelayMs: number | undefined
}

/**
 * Functions that are called at the start and the end of each attempt. The names differ from those of the other packages, so one
 * object can observe all of them.
 */
export interface HttpObserver {
  /** Called before an attempt is sent. */
  readonly onHttpAttempt?: ((attempt: HttpAttempt) => void) | undefined
  /** Called when an attempt has ended, successful or not. */
  readonly onHttpAttemptEnd?: ((end: HttpAttemptEnd) => void) | undefined
}

/** The names of the functions of {@link HttpObserver}. */
export const HTTP_OBSERVER = {
  onHttpAttempt: true,
  onHttpAttemptEnd: true,
} as const satisfies Record<keyof HttpObserver, true>
