/** Connections through an HTTP proxy, on Node: the proxy that the environment names, and a `fetch` that uses it. */
export type { ProxyAddress, ProxyOption } from './address.ts'
export {
  chooseProxy,
  type ProxyChoice,
  type ProxyEnvironment,
  proxyFromEnvironment,
} from './environment.ts'
export { createNodeFetch, type NodeFetchOptions } from './node-fetch.ts'
