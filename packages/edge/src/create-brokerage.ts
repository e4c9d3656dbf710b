/** The composition without streams, for runtimes that have no HTTP/2 client. */
import { closable } from '@brokerwire/core/internal'
import {
  type ClientTokensMaker,
  compose,
  type EdgeBrokerage,
  type EdgeBrokerageOptions,
  type EdgeBrokerageWithClientTokens,
} from './compose.ts'

/**
 * Composes signer, HTTP client and tokens for one app key in one environment.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `http.timeoutMs`; `ENDPOINT_INVALID` for an insecure
 * override.
 *
 * @example
 * ```ts
 * import { createBrokerage } from '@brokerwire/edge'
 * import { createMemoryStore } from '@brokerwire/stores'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const brokerage = createBrokerage({
 *   region: 'us',
 *   environment: 'sandbox',
 *   appKey,
 *   appSecret,
 *   store: createMemoryStore(),
 * })
 * console.log(brokerage.endpoint.baseUrl)
 * await brokerage.close()
 * ```
 */
export function createBrokerage(
  options: EdgeBrokerageOptions & { readonly clientTokens: ClientTokensMaker },
): EdgeBrokerageWithClientTokens
export function createBrokerage(options: EdgeBrokerageOptions): EdgeBrokerage
export function createBrokerage(
  options: EdgeBrokerageOptions,
): EdgeBrokerage | EdgeBrokerageWithClientTokens {
  const { endpoint, identity, signer, http, accessTokens, clientTokens, close } = compose(options)
  const brokerage = { endpoint, identity, signer, http, accessTokens, ...closable(close) }
  return clientTokens === undefined ? brokerage : { ...brokerage, clientTokens }
}
