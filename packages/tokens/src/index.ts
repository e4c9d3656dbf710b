/** The access-token and client-token lifecycles: machines, runners, readers of answers, rate limiter. */
export type {
  AccessToken,
  AccessTokenGetOptions,
  AccessTokens,
  RejectionOutcome,
  TokenLifecycle,
  TokenNotice,
  TokenRejection,
} from './access-types.ts'
export { type ParseResult, parseAccessTokenRecord, parseClientTokenPair } from './parse.ts'
export { isTokensError, TokensError, type TokensErrorCode, type TokensErrorDetails } from './tokens-error.ts'
export type {
  AccessTokenRecord,
  AnswerIssue,
  ApiCall,
  ApiCallOptions,
  ApiFailure,
  ApiFailureKind,
  ApiResult,
  ClientTokenApi,
  ClientTokenPair,
  TokenApi,
  TokenKey,
  TokenStatus,
} from './types.ts'
