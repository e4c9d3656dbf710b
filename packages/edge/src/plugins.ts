/**
 * Plugins: the parts of the composition that a bundle contains only if you pass them. Each plugin is an object with a name and a
 * function, so you can also write your own.
 */
import type { Clock, OperationRateLimiter, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import { array, boolean, custom, isRecord, omit, readOptions, type Schema } from '@brokerwire/core/internal'
import {
  type ClientTokens,
  type ClientTokensOptions,
  createClientTokens,
  createOperationRateLimiter,
  createTokenRateLimiter,
  type OperationRateLimiterOptions,
  type TokenCallLimiter,
  type TokenRateLimiterOptions,
} from '@brokerwire/tokens'
import { OPERATION_RATE_LIMITER_OPTIONS, TOKEN_RATE_LIMITER_OPTIONS } from '@brokerwire/tokens/internal'
import type { EdgeObserver } from './observer.ts'
import { fail } from './signing.ts'

/** Adds client tokens. The result of `createBrokerage` then has the property `clientTokens`. */
export interface ClientTokensPlugin {
  /** Name of the plugin, always `'clientTokens'`. */
  readonly name: 'clientTokens'
  /** Creates the client tokens, with the endpoints, the store and the clock of the composition. */
  readonly create: (options: ClientTokensOptions) => ClientTokens
}

/** Parts of the composition that a rate limiter may use. `store` is `undefined` if no store was passed. */
export interface RateLimiterParts {
  /** Source of time and timers. */
  readonly clock: Clock
  /** Service and app key of the composition. */
  readonly identity: ServiceIdentity
  /** The store that was passed, if there is one. */
  readonly store: Store | undefined
  /** Name of the composition in reports. */
  readonly clientId: string
  /** The observer of the composition. */
  readonly observer: EdgeObserver
}

/** Adds a rate limiter: calls of the token endpoints wait until the service's limit allows them. */
export interface RateLimiterPlugin {
  /** Name of the plugin, always `'rateLimiter'`. */
  readonly name: 'rateLimiter'
  /** Creates the rate limiter, with the clock, the store and the identity of the composition. */
  readonly create: (parts: RateLimiterParts) => TokenCallLimiter
}

/** Adds a rate limiter of operations: requests of `@brokerwire/operations` wait until the service's limit allows them. */
export interface OperationRateLimiterPlugin {
  /** Name of the plugin, always `'operationRateLimiter'`. */
  readonly name: 'operationRateLimiter'
  /** Creates the rate limiter, with the clock, the store and the identity of the composition. */
  readonly create: (parts: RateLimiterParts) => OperationRateLimiter
}

/** A plugin of `createBrokerage`. */
export type EdgePlugin = ClientTokensPlugin | RateLimiterPlugin | OperationRateLimiterPlugin

/** Options of {@link rateLimiter}. Clock, store and identity come from the composition. */
export interface RateLimiterOptions
  extends Omit<TokenRateLimiterOptions, 'clock' | 'store' | 'identity' | 'clientId' | 'observer'> {
  /**
   * Whether all processes with the same `store` share one limit, because the service counts calls by app key. It has no effect if
   * no store was passed.
   * @defaultValue true
   */
  readonly shared?: boolean | undefined
}

const RATE_LIMITER_OPTIONS = {
  ...omit(TOKEN_RATE_LIMITER_OPTIONS, 'clock', 'store', 'identity', 'clientId', 'observer'),
  shared: boolean(true),
}

/**
 * The plugin of client tokens.
 *
 * @example
 * ```ts
 * import { clientTokens, createBrokerage } from '@brokerwire/edge'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const brokerage = createBrokerage({
 *   region: 'us',
 *   environment: 'sandbox',
 *   appKey,
 *   appSecret,
 *   plugins: [clientTokens()],
 * })
 * const { accessToken } = await brokerage.clientTokens.get('customer-1')
 * console.log(accessToken)
 * ```
 */
export function clientTokens(): ClientTokensPlugin {
  return { name: 'clientTokens', create: createClientTokens }
}

/**
 * The plugin of the rate limiter. Without this plugin, a call over the service's limit fails with an error that has `retryable:
 * true` and the wait that the service requested.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `rateLimiter.limit`.
 *
 * @example
 * ```ts
 * import { createBrokerage, rateLimiter } from '@brokerwire/edge'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const brokerage = createBrokerage({
 *   region: 'us',
 *   environment: 'sandbox',
 *   appKey,
 *   appSecret,
 *   plugins: [rateLimiter()],
 *   observer: { onTokenWait: ({ call, atLeastMs }) => console.log(call, atLeastMs) },
 * })
 * await brokerage.accessTokens.get()
 * ```
 */
export function rateLimiter(options: RateLimiterOptions = {}): RateLimiterPlugin {
  const { shared, ...limits } = readOptions(fail, options, RATE_LIMITER_OPTIONS, 'rateLimiter')
  return {
    name: 'rateLimiter',
    create({ clock, store, identity, clientId, observer }) {
      const window = shared && store !== undefined ? { store, identity } : {}
      return createTokenRateLimiter({ ...limits, ...window, clock, clientId, observer })
    },
  }
}

/** Options of {@link operationRateLimiter}. Clock, store and identity come from the composition. */
export interface OperationLimiterOptions
  extends Omit<OperationRateLimiterOptions, 'clock' | 'store' | 'identity' | 'clientId' | 'observer'> {
  /**
   * Whether all processes with the same `store` share their counters, because the service counts requests by app key. It has no
   * effect if no store was passed.
   * @defaultValue true
   */
  readonly shared?: boolean | undefined
}

const OPERATION_LIMITER_OPTIONS = {
  ...omit(OPERATION_RATE_LIMITER_OPTIONS, 'clock', 'store', 'identity', 'clientId', 'observer'),
  shared: boolean(true),
}

/**
 * The plugin of the rate limiter of operations. Without this plugin, a request over the service's limit fails with
 * `HTTP_RATE_LIMITED`.
 *
 * @throws CoreError `OPTION_INVALID`, with the path of the option, such as `operationRateLimiter.maxWaitMs`.
 *
 * @example
 * ```ts
 * import { createBrokerage, operationRateLimiter } from '@brokerwire/edge'
 * import { listAccounts } from '@brokerwire/operations'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const brokerage = createBrokerage({
 *   region: 'us',
 *   environment: 'sandbox',
 *   appKey,
 *   appSecret,
 *   plugins: [operationRateLimiter()],
 * })
 * const { data } = await brokerage.http.request(listAccounts, {})
 * console.log(data.map(({ accountId }) => accountId))
 * ```
 */
export function operationRateLimiter(options: OperationLimiterOptions = {}): OperationRateLimiterPlugin {
  const { shared, ...limits } = readOptions(fail, options, OPERATION_LIMITER_OPTIONS, 'operationRateLimiter')
  return {
    name: 'operationRateLimiter',
    create({ clock, store, identity, clientId, observer }) {
      return createOperationRateLimiter({
        ...limits,
        store: shared ? store : undefined,
        identity,
        clock,
        clientId,
        observer,
      })
    },
  }
}

const NAMES: readonly unknown[] = [
  'clientTokens',
  'rateLimiter',
  'operationRateLimiter',
] satisfies EdgePlugin['name'][]

const pluginArray = array(
  custom<EdgePlugin>(
    'a plugin, such as clientTokens() or rateLimiter()',
    (value) => isRecord(value) && NAMES.includes(value.name) && typeof value.create === 'function',
  ),
  { expected: 'an array of plugins', default: [] },
)

/** Schema of the option `plugins`, which contains each plugin at most once. */
export const plugins: Schema<readonly EdgePlugin[]> = (value, path, fail) => {
  const read = pluginArray(value, path, fail)
  const names = read.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw fail(path, 'an array with each plugin once', `two of ${repeated}()`)
  return read
}

/** Returns the plugin with this name. `undefined` if it was not passed. */
export function findPlugin<Name extends EdgePlugin['name']>(
  plugins: readonly EdgePlugin[],
  name: Name,
): Extract<EdgePlugin, { readonly name: Name }> | undefined {
  return plugins.find(
    (plugin): plugin is Extract<EdgePlugin, { readonly name: Name }> => plugin.name === name,
  )
}
