/** Access tokens and client tokens: state machines, stored records, endpoints and the rate limiter. */

export { createAccessTokens } from './access/access-tokens.ts'
export { nextCreateAtMs } from './access/create-budget.ts'
export {
  ACCESS_TOKEN_TRANSITIONS,
  type AccessTokenEvent,
  accessTokenState,
  accessTokenTransition,
} from './access/machine.ts'
export type { AccessTokensOptions } from './access/options.ts'
export {
  type CreateOutcome,
  type PendingToken,
  parseStoredAccessToken,
  type StoredAccessToken,
  type UsableToken,
} from './access/record.ts'
export type {
  AccessTokenGetOptions,
  AccessTokens,
  ExpiringNotice,
  RejectionOutcome,
  SecondFactorNotice,
  TokenLifecycle,
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
  CLIENT_TOKEN_TRANSITIONS,
  type ClientTokenEvent,
  type ClientTokenState,
  clientTokenTransition,
  parseStoredClientToken,
  type StoredClientToken,
} from './client/machine.ts'
export { parseClientTokenPair } from './endpoints/client-token-endpoints.ts'
export {
  createTokenEndpoints,
  type TokenEndpoints,
  type TokenEndpointsOptions,
} from './endpoints/token-endpoints.ts'
export type { TokenCallLimiter, TokenRequest, TokenRequestPort } from './endpoints/token-requests.ts'
export {
  createOperationRateLimiter,
  type OperationRateLimiterOptions,
} from './limiter/operation-rate-limiter.ts'
export {
  createTokenRateLimiter,
  type TokenRateLimiter,
  type TokenRateLimiterOptions,
} from './limiter/rate-limiter.ts'
export type {
  OperationWait,
  TokenCallEnd,
  TokenResponseIssueReport,
  TokenSecondFactorReport,
  TokenSource,
  TokenStateReport,
  TokensObserver,
  TokenWait,
} from './observer.ts'
export { type ParseResult, parseAccessTokenResponse } from './parse.ts'
export {
  accessTokenStoreKey,
  clientTokenStoreKey,
  type ObserverOptions,
  type TokensOptions,
} from './shared-options.ts'
export type { TransitionRow } from './state-table.ts'
export { isTokensError, TokensError, type TokensErrorCode, type TokensErrorDetails } from './tokens-error.ts'
export type {
  AccessToken,
  AccessTokenEndpoints,
  AccessTokenResponse,
  AccessTokenState,
  ClientTokenEndpoints,
  ClientTokenPair,
  ResponseIssue,
  TokenCall,
  TokenCallFailure,
  TokenCallFailureKind,
  TokenCallOptions,
  TokenCallResult,
  TokenStatus,
} from './types.ts'
