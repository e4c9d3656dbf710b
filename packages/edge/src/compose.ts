/**
 * The composition of signer, HTTP client and tokens, for `@brokerwire/edge` and `@brokerwire/client`. Each option is passed to the
 * package that defines it. Client tokens and the rate limiter are options, so that a bundle contains them only if you pass them.
 */
import { type Clock, type Closable, createServerClock, type ServerClock, type Store } from '@brokerwire/core'
import { createServiceIdentity, type Endpoint, type ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  boolean,
  closable,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  object,
  omit,
  optional,
  port,
  readOptions,
  type Schema,
} from '@brokerwire/core/internal'
import { createHttpClient, type HttpClient } from '@brokerwire/http'
import type { Signer } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import {
  type AccessTokens,
  type AccessTokensOptions,
  type ClientTokens,
  type ClientTokensOptions,
  createAccessTokens,
  createTokenEndpoints,
  type TokenCallLimiter,
  type TokenEndpointsOptions,
  type TokenRateLimiterOptions,
} from '@brokerwire/tokens'
import {
  ACCESS_TOKENS_OPTIONS,
  TOKEN_ENDPOINTS_OPTIONS,
  TOKEN_RATE_LIMITER_OPTIONS,
} from '@brokerwire/tokens/internal'
import { fail, SIGNING_OPTIONS, type SigningOptions, signing } from './signing.ts'

/** Creates client tokens: `createClientTokens` of `@brokerwire/tokens`. */
export type ClientTokensMaker = (options: ClientTokensOptions) => ClientTokens

/** Creates the rate limiter of the token endpoints: `createTokenRateLimiter` of `@brokerwire/tokens`, or your own function. */
export type RateLimiterMaker = (options: TokenRateLimiterOptions) => TokenCallLimiter

/** Options of `createBrokerage`. Region and environment have no default. They are read once. */
export interface EdgeBrokerageOptions extends SigningOptions {
  /**
   * The largest difference between the service's clock and `clock` that is corrected, in milliseconds. If it is larger, a rejected
   * timestamp is an error that names the clock.
   * @defaultValue 86400000 (a day)
   */
  readonly maxClockOffsetMs?: number | undefined
  /**
   * The store for tokens and cursors. Give all processes of an app key the same store; otherwise each of them asks for a second
   * factor.
   * @defaultValue a store in memory, which is lost when the process ends
   */
  readonly store?: Store | undefined
  /**
   * `createClientTokens` of `@brokerwire/tokens`, if you use client tokens. The result then has the property `clientTokens`.
   * @defaultValue none in `@brokerwire/edge`, to keep bundles small; `createClientTokens` in `@brokerwire/client`
   */
  readonly clientTokens?: ClientTokensMaker | undefined
  /**
   * `createTokenRateLimiter` of `@brokerwire/tokens`: token calls wait until the service's rate limit allows them. Without it, a
   * call over the limit fails with `retryable: true` and the wait that the service asked for.
   * @defaultValue none in `@brokerwire/edge`, to keep bundles small; `createTokenRateLimiter` in `@brokerwire/client`
   */
  readonly rateLimiter?: RateLimiterMaker | undefined
  /** Options of access tokens. `observer` and `callTimeoutMs` also apply to client tokens. @defaultValue those of the package */
  readonly tokens?:
    | (Omit<AccessTokensOptions, 'endpoints' | 'store' | 'identity' | 'clock'> & {
        /** Form of the token paths. @defaultValue 'auth' */
        readonly paths?: TokenEndpointsOptions['paths']
        /** How a token that is still usable is renewed. @defaultValue 'create' */
        readonly renewal?: TokenEndpointsOptions['renewal']
        /** Options for `rateLimiter`; without it they are an error. @defaultValue the service's limits, see {@link TokenRateLimiterOptions} */
        readonly rateLimit?:
          | (Omit<TokenRateLimiterOptions, 'clock' | 'store' | 'identity'> & {
              /**
               * Whether all processes with the same `store` share one limit. The service counts calls by app key.
               * @defaultValue `true` if `store` is set
               */
              readonly shared?: boolean | undefined
            })
          | undefined
      })
    | undefined
}

/** The result of `createBrokerage`. */
export interface EdgeBrokerage extends Closable {
  /** The addresses and algorithms in use. */
  readonly endpoint: Endpoint
  /** The identity in the keys of this brokerage's records: `accessTokenStoreKey(identity)` of `@brokerwire/tokens`. */
  readonly identity: ServiceIdentity
  /** The signer of requests and streams. */
  readonly signer: Signer
  /** Sends the access token with all requests except those with `authenticated: false`. */
  readonly http: HttpClient
  /** The access token of the app key. */
  readonly accessTokens: AccessTokens
}

/** The result of `createBrokerage` with the option `clientTokens`. */
export interface EdgeBrokerageWithClientTokens extends EdgeBrokerage {
  /** The tokens of the app's customers. */
  readonly clientTokens: ClientTokens
}

/** The result of {@link compose}, with the parts that streams need. */
export interface Composition extends EdgeBrokerage {
  readonly clientTokens: ClientTokens | undefined
  readonly clock: Clock
  readonly serverClock: ServerClock
  readonly store: Store
}

const RATE_LIMIT_OPTIONS = {
  ...omit(TOKEN_RATE_LIMITER_OPTIONS, 'clock', 'store', 'identity'),
  shared: optional(boolean(true)),
}

/** Schemas of {@link EdgeBrokerageOptions}. */
export const EDGE_BROKERAGE_OPTIONS = {
  ...SIGNING_OPTIONS,
  maxClockOffsetMs: optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  store: optional(port<Store>(['get', 'compareAndSet'])),
  clientTokens: optional(func<ClientTokensMaker>()),
  rateLimiter: optional(func<RateLimiterMaker>()),
  tokens: object(
    {
      ...omit(ACCESS_TOKENS_OPTIONS, 'endpoints', 'store', 'identity', 'clock'),
      ...omit(TOKEN_ENDPOINTS_OPTIONS, 'limiter'),
      rateLimit: ((value, path, fail) =>
        value === undefined || value === null
          ? undefined
          : readOptions(fail, value, RATE_LIMIT_OPTIONS, path)) as Schema<
        InferFields<typeof RATE_LIMIT_OPTIONS> | undefined
      >,
    },
    {},
  ),
} satisfies FieldsOf<EdgeBrokerageOptions>

/**
 * Composes signer, HTTP client and tokens.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `http.timeoutMs`; `ENDPOINT_INVALID`.
 */
export function compose(
  given: EdgeBrokerageOptions & { readonly clientTokens: ClientTokensMaker },
): Composition & EdgeBrokerageWithClientTokens
export function compose(given: EdgeBrokerageOptions): Composition
export function compose(given: EdgeBrokerageOptions): Composition {
  const options = readOptions(fail, given, EDGE_BROKERAGE_OPTIONS)
  const { appKey, clock, maxClockOffsetMs, store = createMemoryStore() } = options
  const { endpoint, signer, serverClock, httpOptions } = signing(options, (clock) =>
    createServerClock(() => clock.now(), { maxClockOffsetMs }),
  )
  const { paths, renewal, rateLimit, ...tokenOptions } = options.tokens
  const { clientTokens: makeClientTokens, rateLimiter: makeLimiter } = options
  if (rateLimit && makeLimiter === undefined)
    throw fail('rateLimiter', 'createTokenRateLimiter if tokens.rateLimit is set', 'undefined')
  const { shared = options.store !== undefined, ...limits } = rateLimit ?? {}
  const identity = createServiceIdentity(endpoint, appKey)
  const limiter = makeLimiter?.({ ...limits, clock, ...(shared ? { store, identity } : {}) })
  const { access, client } = createTokenEndpoints(createHttpClient(httpOptions), { paths, renewal, limiter })
  const accessTokens = createAccessTokens({ ...tokenOptions, endpoints: access, store, identity, clock })
  const { observer, callTimeoutMs } = tokenOptions
  const clientTokens = makeClientTokens?.({
    endpoints: client,
    store,
    identity,
    clock,
    observer,
    callTimeoutMs,
  })
  return {
    endpoint,
    signer,
    http: createHttpClient({ ...httpOptions, accessTokens }),
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
