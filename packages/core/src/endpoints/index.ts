/** The endpoint table: `@brokerwire/core/endpoints`. */
export {
  type Endpoint,
  type EndpointAddress,
  type EndpointOptions,
  requireUrl,
  resolveEndpoint,
} from './resolve.ts'
export { createServiceIdentity, type ServiceIdentity } from './service-identity.ts'
export {
  ENDPOINTS,
  type EndpointEntry,
  type EndpointTable,
  type Environment,
  FURTHER_ENDPOINTS,
  type FurtherRegion,
  type Region,
  type SignatureAlgorithm,
  type SourcedEndpointEntry,
} from './table.ts'
export {
  ACCESS_REFRESH_PATH,
  CLIENT_TOKEN_PATHS,
  CONFIG_PATH,
  PATHS_WITHOUT_TOKEN,
  TOKEN_PATHS,
  type TokenPathForm,
} from './token-paths.ts'
