/**
 * What both entries compose: signer, HTTP client, tokens. No decision is made here; each option goes to the package
 * that knows it. Client tokens and limiter come in as values, so that a bundle holds them only where somebody hands them over.
 */
import { type Clock, type Closable, createServerClock, type ServerClock, type Store } from '@brokerwire/core'
import type { Endpoint } from '@brokerwire/core/endpoints'
import { closable, func, optional, requireOptions } from '@brokerwire/core/internal'
import { createHttpClient, type HttpClient } from '@brokerwire/http'
import type { Signer } from '@brokerwire/signer'
import { createMemoryStore } from '@brokerwire/stores'
import {
  type AccessTokens,
  type AccessTokensOptions,
  type ClientTokens,
  type ClientTokensOptions,
  createAccessTokens,
  createTokenCalls,
  type TokenApiOptions,
  type TokenCallLimiter,
  type TokenKey,
  type TokenRateLimiterOptions,
} from '@brokerwire/tokens'
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
  /** Of access tokens. `observe` and `callTimeoutMs` are those of client tokens too. */
  readonly tokens?:
    | (Omit<AccessTokensOptions, 'api' | 'store' | 'key' | 'clock'> & {
        /** Form of the paths. @defaultValue 'auth' */
        readonly paths?: TokenApiOptions['paths']
        /** How a token that is still good is renewed. @defaultValue 'create' */
        readonly renewal?: TokenApiOptions['renewal']
        /** Options for `rateLimiter`, and refused without it. @defaultValue 10 requests in 30 s over all token endpoints */
        readonly rateLimit?:
          | (Omit<TokenRateLimiterOptions, 'clock' | 'store' | 'key'> & {
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
  /** Environment, region and app key as one text, under which a store keeps what belongs to this key. */
  readonly storeKey: string
}

type Group = NonNullable<EdgeBrokerageOptions['tokens']>
const OPTIONS = {
  ...SIGNING_OPTIONS,
  maxClockOffsetMs: 1,
  store: 1,
  clientTokens: 1,
  rateLimiter: 1,
  tokens: 1,
} as const satisfies { readonly [Name in keyof EdgeBrokerageOptions]-?: 1 }
// What the composition sets is not among them: it would be lost without a word.
const TOKEN_OPTIONS = {
  tokenMode: 1,
  secondFactor: 1,
  pollIntervalMs: 1,
  pollTimeoutMs: 1,
  expiringMs: 1,
  renewBeforeMs: 1,
  rejectionCodes: 1,
  storeLookMs: 1,
  callTimeoutMs: 1,
  keepAliveMs: 1,
  notify: 1,
  observe: 1,
  paths: 1,
  renewal: 1,
  rateLimit: 1,
} as const satisfies { readonly [Name in keyof Group]-?: 1 }

const LIMIT_OPTIONS = {
  limit: 1,
  windowMs: 1,
  marginMs: 1,
  scope: 1,
  maxWaitMs: 1,
  onWait: 1,
  shared: 1,
} as const satisfies { readonly [Name in keyof NonNullable<Group['rateLimit']>]-?: 1 }

/**
 * Composes.
 *
 * @throws The error of the package whose option is wrong.
 */
export function compose(
  given: EdgeBrokerageOptions & { readonly clientTokens: ClientTokensMaker },
): Composition & EdgeBrokerageWithClientTokens
export function compose(given: EdgeBrokerageOptions): Composition
export function compose(given: EdgeBrokerageOptions): Composition {
  // Nothing at all is refused like options without a region.
  const options = requireOptions(fail, 'options', given ?? {}, OPTIONS)
  const { region, environment, appKey, maxClockOffsetMs, store = createMemoryStore() } = options
  // `null` in the place of a group is no group.
  const tokens = requireOptions(fail, 'tokens', options.tokens ?? {}, TOKEN_OPTIONS)
  const { endpoint, signer, serverClock, clock, httpOptions } = signing(options, (clock) =>
    createServerClock(() => clock.now(), { maxClockOffsetMs }),
  )
  const { paths, renewal, rateLimit, ...tokenOptions } = tokens
  const makeClientTokens = optional(func())(options.clientTokens, 'clientTokens', fail)
  const makeLimiter = optional(func())(options.rateLimiter, 'rateLimiter', fail)
  // Nobody would follow it.
  if (rateLimit && makeLimiter === undefined)
    throw fail('rateLimiter', 'createTokenRateLimiter, where tokens.rateLimit is given', 'nothing')
  const { shared = options.store !== undefined, ...limits } = requireOptions(
    fail,
    'tokens.rateLimit',
    rateLimit ?? {},
    LIMIT_OPTIONS,
  )
  const key: TokenKey = { environment, region, appKey }
  const limiter = makeLimiter?.({ ...limits, clock, ...(shared ? { store, key } : {}) })
  const api = createTokenCalls(createHttpClient(httpOptions), { paths, renewal, limiter })
  const accessTokens = createAccessTokens({ ...tokenOptions, api, store, key, clock })
  const { observe, callTimeoutMs } = tokens
  const clientTokens = makeClientTokens?.({ api, store, key, clock, observe, callTimeoutMs })
  return {
    endpoint,
    signer,
    http: createHttpClient({ ...httpOptions, accessTokens }),
    accessTokens,
    clientTokens,
    clock,
    serverClock,
    store,
    storeKey: `${environment}/${region}/${appKey}`,
    ...closable(async () => {
      await Promise.all([accessTokens.close(), clientTokens?.close()])
    }),
  }
}
