/** The signed HTTP client and its errors. */

export type {
  Operation,
  OperationIssue,
  OperationRateLimiter,
  OperationRequest,
  PathFamily,
  QueryInput,
  QueryPair,
  RateLimits,
  SearchParamsLike,
  TokenProvider,
} from '@brokerwire/core'
export type { ApiVersion } from './api-version.ts'
export { createHttpClient, type HttpClient } from './client.ts'
export type { HttpClientOptions } from './client-options.ts'
export {
  HttpError,
  type HttpErrorCode,
  type HttpErrorDetails,
  type HttpStatusErrorCode,
  isHttpError,
  type RequestDetails,
  type RequestPhase,
  type StatusDetails,
} from './http-error.ts'
export type { HttpAttempt, HttpAttemptEnd, HttpObserver } from './observer.ts'
export type { OperationOptions, OperationResponse } from './operation-types.ts'
export type { HttpRequest, HttpResponse, RequestSender, RetryRule } from './request.ts'
