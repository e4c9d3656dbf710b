/**
 * Connections through an HTTP proxy, on Node: selects the proxy from environment variables, and creates a
 * `fetch` that uses a proxy.
 */
export type { ProxyAddress, ProxyOption } from './address.ts'
export {
  chooseProxy,
  type ProxyChoice,
  type ProxyEnvironment,
  proxyFromEnvironment,
} from './environment.ts'
export { createNodeFetch, type NodeFetchOptions } from './node-fetch.ts'
