/** The endpoint table: `@brokerwire/core/endpoints`. */
export { type Endpoint, type EndpointOptions, requireUrl, resolveEndpoint } from './resolve.ts'
export {
  ENDPOINTS,
  type EndpointEntry,
  type Environment,
  type Region,
  type SignatureAlgorithm,
} from './table.ts'
