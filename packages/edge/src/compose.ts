/**
 * The composition of signer, HTTP client and tokens, for `@brokerwire/edge` and `@brokerwire/client`. Each option is passed to the
 * package that defines it.
 */
import { type Clock, type Closable, createServerClock, type ServerClock, type Store } from '@brokerwire/core'
import { createServiceIdentity, type Endpoint, type ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  closable,
  type FieldsOf,
  integer,
  object,
  observer,
  omit,
  optional,
  port,
  readOptions,
} from '@brokerwire/core/internal'
import { createHttpClient, type HttpClient } from '@brokerwire/http'
import type { Signer } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import {
  type AccessTokens,
  type AccessTokensOptions,
  type ClientTokens,
  createAccessTokens,
  createTokenEndpoints,
  type TokenEndpointsOptions,
} from '@brokerwire/tokens'
import { ACCESS_TOKENS_OPTIONS, TOKEN_ENDPOINTS_OPTIONS } from '@brokerwire/tokens/internal'
import { EDGE_OBSERVER, type EdgeObserver, nextClientId } from './observer.ts'
import { type ClientTokensPlugin, type EdgePlugin, findPlugin, plugins } from './plugins.ts'
import { fail, SIGNING_OPTIONS, type SigningOptions, signing } from './signing.ts'

/** Options of `createBrokerage`. Region and environment have no default. The options are read once. */
export interface EdgeBrokerageOptions extends SigningOptions {
  /**
   * The maximum difference between the service's clock and `clock` that is corrected, in milliseconds. If the
   * difference is larger, a request whose timestamp the service rejects fails with an error that names the
   * clock.
   * @defaultValue 86400000 (a day)
   */
  readonly maxClockOffsetMs?: number | undefined
  /**
   * The store for tokens and cursors. Give all processes of an app key the same store. Otherwise each of them
   * asks a person for a second factor.
   * @defaultValue a store in memory, which is lost when the process ends
   */
  readonly store?: Store | undefined
  /**
   * Parts that a bundle contains only if you pass them: `clientTokens()` and `rateLimiter()`.
   * @defaultValue none in `@brokerwire/edge`, to keep bundles small; both in `@brokerwire/client`
   */
  readonly plugins?: readonly EdgePlugin[] | undefined
  /**
   * Functions that receive reports of requests and tokens and change nothing. The reports have the `clientId` of the composition; those
   * of the requests for tokens have it with `-tokens` at the end. @defaultValue none
   */
  readonly observer?: EdgeObserver | undefined
  /** Options of access tokens. `callTimeoutMs` also applies to client tokens. @defaultValue those of the package */
  readonly tokens?:
    | (Omit<AccessTokensOptions, 'endpoints' | 'store' | 'identity' | 'clock' | 'clientId' | 'observer'> & {
        /** Form of the token paths. @defaultValue 'auth' */
        readonly paths?: TokenEndpointsOptions['paths']
        /**
         * The call that replaces a token that is still usable.
         * @defaultValue 'create'
         */
        readonly renewal?: TokenEndpointsOptions['renewal']
      })
    | undefined
}

/** The result of `createBrokerage`. */
export interface EdgeBrokerage extends Closable {
  /** The addresses and algorithms in use. */
  readonly endpoint: Endpoint
  /**
   * The identity that the keys of this brokerage's records contain, for example for `accessTokenStoreKey(identity)` of
   * `@brokerwire/tokens`.
   */
  readonly identity: ServiceIdentity
  /** The signer of requests and streams. */
  readonly signer: Signer
  /**
   * The HTTP client. It sends the access token with all requests except those with `authenticated: false`.
   */
  readonly http: HttpClient
  /** The access token of the app key. */
  readonly accessTokens: AccessTokens
}

/** The result of `createBrokerage` with the plugin `clientTokens()`. */
export interface EdgeBrokerageWithClientTokens extends EdgeBrokerage {
  /** The tokens of the app's customers. */
  readonly clientTokens: ClientTokens
}

/** The result of `createBrokerage` with these plugins. `clientTokens` is optional if the plugins are an array of unknown length. */
export type BrokerageWithPlugins<Plugins extends readonly EdgePlugin[]> = number extends Plugins['length']
  ? EdgeBrokerage & Partial<Pick<EdgeBrokerageWithClientTokens, 'clientTokens'>>
  : ClientTokensPlugin extends Plugins[number]
    ? EdgeBrokerageWithClientTokens
    : EdgeBrokerage

/** The result of {@link compose}, with the parts that streams need. */
export interface Composition extends EdgeBrokerage {
  readonly clientTokens: ClientTokens | undefined
  readonly clock: Clock
  readonly serverClock: ServerClock
  readonly store: Store
}

/** Schemas of {@link EdgeBrokerageOptions}. */
export const EDGE_BROKERAGE_OPTIONS = {
  ...SIGNING_OPTIONS,
  maxClockOffsetMs: optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  store: optional(port<Store>(['get', 'compareAndSet'])),
  plugins,
  observer: observer<EdgeObserver>(EDGE_OBSERVER),
  tokens: object(
    {
      ...omit(ACCESS_TOKENS_OPTIONS, 'endpoints', 'store', 'identity', 'clock', 'clientId', 'observer'),
      ...omit(TOKEN_ENDPOINTS_OPTIONS, 'limiter'),
    },
    {},
  ),
} satisfies FieldsOf<EdgeBrokerageOptions>

/**
 * Composes signer, HTTP client and tokens.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `http.timeoutMs`; `ENDPOINT_INVALID`.
 */
export function compose<const Plugins extends readonly EdgePlugin[] = []>(
  given: EdgeBrokerageOptions & { readonly plugins?: Plugins | undefined },
): Composition & BrokerageWithPlugins<Plugins>
export function compose(given: EdgeBrokerageOptions): Composition {
  const options = readOptions(fail, given, EDGE_BROKERAGE_OPTIONS)
  const { appKey, clock, maxClockOffsetMs, plugins, observer, store = createMemoryStore() } = options
  const clientId = options.clientId ?? nextClientId()
  const named = { clientId, observer }
  const { endpoint, signer, serverClock, httpOptions } = signing(options, (clock) =>
    createServerClock(() => clock.now(), { maxClockOffsetMs }),
  )
  const { paths, renewal, ...tokenOptions } = options.tokens
  const identity = createServiceIdentity(endpoint, appKey)
  const limiterParts = { ...named, clock, store: options.store, identity }
  const limiter = findPlugin(plugins, 'rateLimiter')?.create(limiterParts)
  const operationRateLimiter =
    findPlugin(plugins, 'operationRateLimiter')?.create(limiterParts) ?? httpOptions.operationRateLimiter
  const tokensHttp = createHttpClient({ ...httpOptions, clientId: `${clientId}-tokens`, observer })
  const { access, client } = createTokenEndpoints(tokensHttp, { paths, renewal, limiter })
  const parts = { ...named, store, identity, clock }
  const accessTokens = createAccessTokens({ ...tokenOptions, ...parts, endpoints: access })
  const clientTokens = findPlugin(plugins, 'clientTokens')?.create({
    ...parts,
    endpoints: client,
    callTimeoutMs: tokenOptions.callTimeoutMs,
  })
  return {
    endpoint,
    signer,
    http: createHttpClient({ ...httpOptions, ...named, operationRateLimiter, accessTokens }),
    accessTokens,
    clientTokens,
    clock,
    serverClock,
    store,
    identity,
    ...closable(async () => {
      await Promise.all([accessTokens.close(), clientTokens?.close()])
    }),
  }
}
