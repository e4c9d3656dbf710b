/** Signer, HTTP client and tokens, composed, for every runtime. `@brokerwire/client` adds the streams. */
export type { EdgeBrokerage, EdgeBrokerageOptions } from './compose.ts'
export { createBrokerage } from './create-brokerage.ts'
