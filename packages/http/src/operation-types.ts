/** Types of requests that an operation creates. */
import type { OperationIssue, PathFamily } from '@brokerwire/core'
import type { HttpRequest, HttpResponse } from './request.ts'

/** Options of a request that an operation creates. */
export interface OperationOptions
  extends Pick<
    HttpRequest,
    | 'accessToken'
    | 'headers'
    | 'retry'
    | 'timeoutMs'
    | 'maxResponseBytes'
    | 'beforeAttempt'
    | 'onAttemptEnd'
    | 'signal'
  > {
  /** Path family of this request. @defaultValue that of the client */
  readonly pathFamily?: PathFamily | undefined
  /** Accepts fields that no source shows and the table only guesses. @defaultValue false */
  readonly allowGuessed?: boolean | undefined
}

/** A successful response of an operation. */
export interface OperationResponse<Output> extends HttpResponse {
  /** The decoded body of the response. */
  readonly data: Output
  /** Values that could not be decoded and were left out. They are in `extra` of their object. */
  readonly issues: readonly OperationIssue[]
}
