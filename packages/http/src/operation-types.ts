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
  /**
   * Accepts fields that the table of operations only guesses, because no source shows them.
   * @defaultValue false
   */
  readonly allowGuessed?: boolean | undefined
}

/** A successful response of an operation. */
export interface OperationResponse<Output> extends HttpResponse {
  /** The decoded body of the response. */
  readonly data: Output
  /** The values that could not be decoded. In `data`, such a value is in `extra` of its object. */
  readonly issues: readonly OperationIssue[]
}
