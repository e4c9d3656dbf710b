/** Signer, HTTP client and tokens, composed, for every runtime. `@brokerwire/client` adds the streams. */
export type {
  ClientTokensMaker,
  EdgeBrokerage,
  EdgeBrokerageOptions,
  EdgeBrokerageWithClientTokens,
  RateLimiterMaker,
} from './compose.ts'
export { createBrokerage } from './create-brokerage.ts'
export type { SigningOptions } from './signing.ts'
