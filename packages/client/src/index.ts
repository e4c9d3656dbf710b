/** The umbrella: one composition of all packages. `@brokerwire/client/edge` is the same without streams. */
export { type Brokerage, type BrokerageOptions, createBrokerage } from './brokerage.ts'
export type { EdgeBrokerage, EdgeBrokerageOptions } from './compose.ts'
