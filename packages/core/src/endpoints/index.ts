/** The endpoint table: `@brokerwire/core/endpoints`. */
export { type Endpoint, type EndpointOptions, requireUrl, resolveEndpoint } from './resolve.ts'
export {
  ENDPOINTS,
  type EndpointEntry,
  type Environment,
  type Region,
  type SignatureAlgorithm,
} from './table.ts'
export {
  ACCESS_REFRESH_PATH,
  CLIENT_TOKEN_PATHS,
  CONFIG_PATH,
  PATHS_WITHOUT_TOKEN,
  TOKEN_PATHS,
  type TokenPathForm,
} from './token-paths.ts'
