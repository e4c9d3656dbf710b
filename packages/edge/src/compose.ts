/**
 * What both entries compose: signer, HTTP client, tokens. No decision is made here; each option goes to the package
 * that knows it. Client tokens and limiter come in as values, so that a bundle holds them only where somebody hands them over.
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

/** Makes client tokens: `createClientTokens` of `@brokerwire/tokens`. */
export type ClientTokensMaker = (options: ClientTokensOptions) => ClientTokens

/** Makes the limiter of the token endpoints: `createTokenRateLimiter` of `@brokerwire/tokens`, or one of your own. */
export type RateLimiterMaker = (options: TokenRateLimiterOptions) => TokenCallLimiter

/** Options of both entries. Region and environment have no default. Read once. */
export interface EdgeBrokerageOptions extends SigningOptions {
  /**
   * The furthest that the service's clock may be from `clock`, in milliseconds. Beyond it a refused timestamp is an error
   * that names the clock.
   * @defaultValue 86400000 (a day)
   */
  readonly maxClockOffsetMs?: number | undefined
  /**
   * Keeps tokens and cursors. Processes that use one app key share one, or each of them asks for a second factor.
   * @defaultValue a store in memory: everything is forgotten with the process
   */
  readonly store?: Store | undefined
  /**
   * `createClientTokens` of `@brokerwire/tokens`, where client tokens are used: `clientTokens` is there with it.
   * @defaultValue none in `@brokerwire/edge`, so that no bundle holds what nobody asked for; there in `@brokerwire/client`
   */
  readonly clientTokens?: ClientTokensMaker | undefined
  /**
   * `createTokenRateLimiter` of `@brokerwire/tokens`: no token call leaves before the service's limit allows it. Without
   * one, a call that the service refuses for its rate fails with `retryable` and the wait that was asked for.
   * @defaultValue none in `@brokerwire/edge`, so that no bundle holds what nobody asked for; there in `@brokerwire/client`
   */
  readonly rateLimiter?: RateLimiterMaker | undefined
  /** Of access tokens. `observer` and `callTimeoutMs` are those of client tokens too. */
  readonly tokens?:
    | (Omit<AccessTokensOptions, 'endpoints' | 'store' | 'identity' | 'clock'> & {
        /** Form of the paths. @defaultValue 'auth' */
        readonly paths?: TokenEndpointsOptions['paths']
        /** How a token that is still good is renewed. @defaultValue 'create' */
        readonly renewal?: TokenEndpointsOptions['renewal']
        /** Options for `rateLimiter`, and refused without it. @defaultValue the service's limits, see {@link TokenRateLimiterOptions} */
        readonly rateLimit?:
          | (Omit<TokenRateLimiterOptions, 'clock' | 'store' | 'identity'> & {
              /**
               * One window for all that share `store`, instead of one for each brokerage. The service counts by app
               * key, whoever calls.
               * @defaultValue whether `store` is given
               */
              readonly shared?: boolean | undefined
            })
          | undefined
      })
    | undefined
}

/** What both entries give. */
export interface EdgeBrokerage extends Closable {
  readonly endpoint: Endpoint
  /** Names the records of this brokerage in a store: `accessTokenStoreKey(identity)` of `@brokerwire/tokens`. */
  readonly identity: ServiceIdentity
  readonly signer: Signer
  /** Sends the access token with every request that does not say `authenticated: false`. */
  readonly http: HttpClient
  readonly accessTokens: AccessTokens
}

/** With the client tokens that were asked for. */
export interface EdgeBrokerageWithClientTokens extends EdgeBrokerage {
  readonly clientTokens: ClientTokens
}

/** The parts, with what the streams need besides. */
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
 * Composes.
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
