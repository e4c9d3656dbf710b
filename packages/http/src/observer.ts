/**
 * Observers see every attempt and can steer none: what they throw is dropped, and what they are told holds no
 * header, no query and no body, so that it can be logged as it is.
 */

import { ownOptions, readFunction, requireObject } from '@brokerwire/core/internal'
import type { ApiVersion } from './api-version.ts'
import { type HttpErrorCode, optionFailure } from './http-error.ts'

/** An attempt that begins. */
export interface HttpAttempt {
  /** Counts the requests of a client from 1. */
  readonly request: number
  /** Counts the attempts of the request from 1. */
  readonly attempt: number
  readonly method: string
  readonly path: string
  readonly apiVersion: ApiVersion
  readonly authenticated: boolean
}

/** An attempt that ended. */
export interface HttpAttemptEnd extends HttpAttempt {
  /** From sending to the last byte; `undefined` where the caller ended it. */
  readonly durationMs: number | undefined
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined
  readonly requestId: string | undefined
  /** `undefined` for a success; `'ABORTED'` where the caller's signal ended it. */
  readonly errorCode: HttpErrorCode | 'ABORTED' | undefined
  /** The service's own code. */
  readonly serviceCode: string | undefined
  /** Milliseconds until the next attempt; `undefined` where this was the last. */
  readonly retryDelayMs: number | undefined
}

/** Plain functions that are told. */
export interface HttpObserver {
  readonly onAttempt?: ((attempt: HttpAttempt) => void) | undefined
  readonly onAttemptEnd?: ((attempt: HttpAttemptEnd) => void) | undefined
}

/**
 * Reads an observer. Its methods are called on it, so it may be of a class.
 *
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 */
export function readObserver(observer: unknown = ownOptions({})): HttpObserver {
  requireObject(optionFailure, 'observer', observer)
  const { onAttempt, onAttemptEnd }: HttpObserver = observer
  return {
    onAttempt: readFunction(optionFailure, 'observer.onAttempt', onAttempt, undefined)?.bind(observer),
    onAttemptEnd: readFunction(optionFailure, 'observer.onAttemptEnd', onAttemptEnd, undefined)?.bind(
      observer,
    ),
  }
}
