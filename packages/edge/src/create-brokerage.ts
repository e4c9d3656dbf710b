/** The composition without streams, for runtimes that have no HTTP/2 client. */
import { closable } from '@brokerwire/core/internal'
import { type BrokerageWithPlugins, compose, type EdgeBrokerageOptions } from './compose.ts'
import type { EdgePlugin } from './plugins.ts'

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
export function createBrokerage<const Plugins extends readonly EdgePlugin[] = []>(
  options: EdgeBrokerageOptions & { readonly plugins?: Plugins | undefined },
): BrokerageWithPlugins<Plugins>
export function createBrokerage(options: EdgeBrokerageOptions): BrokerageWithPlugins<readonly EdgePlugin[]> {
  const { endpoint, identity, signer, http, accessTokens, clientTokens, close } = compose(options)
  const brokerage = { endpoint, identity, signer, http, accessTokens, ...closable(close) }
  return clientTokens === undefined ? brokerage : { ...brokerage, clientTokens }
}
