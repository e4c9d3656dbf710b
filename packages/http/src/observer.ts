/**
 * Observers receive a report of every attempt and cannot change the attempt. Their exceptions are discarded.
 * Their events contain no header, query or body, so they are safe to log.
 */

import { func, isRecord, optional, type Schema, typeName } from '@brokerwire/core/internal'
import type { ApiVersion } from './api-version.ts'
import type { HttpErrorCode } from './http-error.ts'

/** An attempt that begins. */
export interface HttpAttempt {
  /** Number of the request within the client, from 1. */
  readonly request: number
  /** Number of the attempt within the request, from 1. */
  readonly attempt: number
  /** HTTP method of the request. */
  readonly method: string
  /** Path of the request, without the query. */
  readonly path: string
  /** The API version that the attempt sends as `x-version`. */
  readonly apiVersion: ApiVersion
  /** Whether the attempt carries an access token. */
  readonly authenticated: boolean
}

/** An attempt that ended. */
export interface HttpAttemptEnd extends HttpAttempt {
  /** Milliseconds from sending to the last byte; `undefined` if the caller aborted the attempt. */
  readonly durationMs: number | undefined
  /**
   * HTTP status, if the headers of a response arrived. `errorCode` may still be `HTTP_NO_RESPONSE` or
   * `HTTP_TIMEOUT`.
   */
  readonly status: number | undefined
  /** `X-Request-Id`, if the headers of a response arrived. */
  readonly requestId: string | undefined
  /** `undefined` for a success; `'ABORTED'` if the caller's signal ended the attempt. */
  readonly errorCode: HttpErrorCode | 'ABORTED' | undefined
  /** The service's own error code, if it sent one. */
  readonly serviceCode: string | undefined
  /** Milliseconds that `Retry-After` of an unsuccessful response asks for; `undefined` without the header. */
  readonly retryAfterMs: number | undefined
  /** Milliseconds until the next attempt; `undefined` if this was the last. */
  readonly retryDelayMs: number | undefined
}

/** Functions that are called at the start and the end of each attempt. */
export interface HttpObserver {
  /** Called before an attempt is sent. */
  readonly onAttempt?: ((attempt: HttpAttempt) => void) | undefined
  /** Called when an attempt has ended, successful or not. */
  readonly onAttemptEnd?: ((attempt: HttpAttemptEnd) => void) | undefined
}

const LISTENERS = {
  onAttempt: optional(func<HttpObserver['onAttempt'] & object>()),
  onAttemptEnd: optional(func<HttpObserver['onAttemptEnd'] & object>()),
}

/** An observer. Its methods are called on it, so it may be an instance of a class. */
export const observer: Schema<HttpObserver> = (value = { __proto__: null }, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'an object', typeName(value))
  const { onAttempt, onAttemptEnd }: { readonly onAttempt?: unknown; readonly onAttemptEnd?: unknown } = value
  return {
    onAttempt: LISTENERS.onAttempt(onAttempt, `${path}.onAttempt`, fail)?.bind(value),
    onAttemptEnd: LISTENERS.onAttemptEnd(onAttemptEnd, `${path}.onAttemptEnd`, fail)?.bind(value),
  }
}
