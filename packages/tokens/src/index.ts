/** The access-token and client-token lifecycles: machines, runners, readers of answers, rate limiter. */

export { createAccessTokens } from './access/access-tokens.ts'
export { nextCreateAtMs } from './access/create-budget.ts'
export {
  ACCESS_TOKEN_TABLE,
  type AccessTokenFact,
  type AccessTokenState,
  accessTokenState,
  accessTokenTransition,
} from './access/machine.ts'
export type { AccessTokensOptions } from './access/options.ts'
export {
  type CreateOutcome,
  type PendingToken,
  readAccessTokenRecord,
  type StoredAccessToken,
  type UsableToken,
} from './access/record.ts'
export type {
  AccessTokenGetOptions,
  AccessTokens,
  RejectionOutcome,
  TokenLifecycle,
  TokenNotice,
  TokenRejection,
} from './access/types.ts'
export {
  type ClientToken,
  type ClientTokenGetOptions,
  type ClientTokenRenewal,
  type ClientTokens,
  type ClientTokensOptions,
  createClientTokens,
} from './client/client-tokens.ts'
export {
  CLIENT_TOKEN_TABLE,
  type ClientTokenFact,
  type ClientTokenState,
  clientTokenTransition,
  type IssuedPair,
  readClientTokenRecord,
} from './client/machine.ts'
export { parseClientTokenPair } from './endpoints/client-calls.ts'
export { createTokenApi, type TokenApis } from './endpoints/token-api.ts'
export {
  createTokenCalls,
  type TokenApiOptions,
  type TokenCall,
  type TokenCallLimiter,
  type TokenCalls,
  type TokenRequest,
  type TokenRequestPort,
} from './endpoints/token-calls.ts'
export {
  createTokenRateLimiter,
  type RateLimitWait,
  type TokenRateLimiter,
  type TokenRateLimiterOptions,
} from './limiter/rate-limiter.ts'
export { type ParseResult, parseAccessTokenRecord } from './parse.ts'
export { accessTokenStoreKey, clientTokenStoreKey, type TokensOptions } from './shared-options.ts'
export type { TransitionRow } from './state-table.ts'
export { isTokensError, TokensError, type TokensErrorCode, type TokensErrorDetails } from './tokens-error.ts'
export type {
  AccessToken,
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
  TokenObservation,
  TokenStatus,
} from './types.ts'
