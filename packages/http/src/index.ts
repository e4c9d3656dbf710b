/** The signed HTTP client and the calls of the token endpoints. */

export type { ApiVersion } from './api-version.ts'
export { createHttpClient, type HttpClient } from './client.ts'
export type { HttpClientOptions } from './client-options.ts'
export {
  HttpError,
  type HttpErrorCode,
  type HttpErrorDetails,
  type HttpStatusCode,
  isHttpError,
  type RequestDetails,
  type RequestPhase,
  type StatusDetails,
} from './http-error.ts'
export type { HttpAttempt, HttpAttemptEnd, HttpObserver } from './observer.ts'
export type { HttpRequest, HttpResponse, RepeatRule } from './request.ts'
export { createTokenApi, type TokenApiOptions, type TokenApis, type TokenCallLimiter } from './token-api.ts'
export type { TokenPathForm } from './token-paths.ts'
