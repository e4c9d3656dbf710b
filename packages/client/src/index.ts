/** The composition of all packages. `@brokerwire/edge` is the same without streams. */
export {
  type EdgeBrokerage,
  type EdgeBrokerageOptions,
  type EdgeObserver,
  operationRateLimiter,
  rateLimiter,
} from '@brokerwire/edge'
export type { BrokerageBackfillOptions } from './backfill.ts'
export {
  type Brokerage,
  type BrokerageObserver,
  type BrokerageOptions,
  type BrokerageQuotesOptions,
  createBrokerage,
} from './brokerage.ts'
