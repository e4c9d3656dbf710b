/** Signer, HTTP client and tokens, composed, for every runtime. `@brokerwire/client` adds the streams. */
export type {
  BrokerageWithPlugins,
  EdgeBrokerage,
  EdgeBrokerageOptions,
  EdgeBrokerageWithClientTokens,
} from './compose.ts'
export { createBrokerage } from './create-brokerage.ts'
export type { EdgeObserver } from './observer.ts'
export {
  type ClientTokensPlugin,
  clientTokens,
  type EdgePlugin,
  type OperationLimiterOptions,
  type OperationRateLimiterPlugin,
  operationRateLimiter,
  type RateLimiterOptions,
  type RateLimiterParts,
  type RateLimiterPlugin,
  rateLimiter,
} from './plugins.ts'
export type { SigningOptions } from './signing.ts'
