/**
 * Schemas of options that access tokens, client tokens and the limiter share, and the keys of their records in a
 * store.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import type { ServiceIdentity } from '@brokerwire/core/endpoints'
import {
  clock,
  type FieldsOf,
  type InferFields,
  integer,
  observer,
  oldRecordKey,
  port,
  readOptions,
  recordKey,
  type Schema,
  serviceIdentity,
  signal,
  string,
  typeName,
} from '@brokerwire/core/internal'
import { nextClientId, TOKENS_OBSERVER, type TokensObserver } from './observer.ts'
import { optionInvalid } from './tokens-error.ts'

export const MONTH_MS = 30 * 86_400_000

/** The options that name the source of reports, and receive them. */
export interface ObserverOptions {
  /**
   * Name in reports to the observer. If reports become metrics, name the parts that you create again and again, because the default
   * names never repeat.
   * @defaultValue `tokens-1`, `tokens-2` and so on, in the order of creation
   */
  readonly clientId?: string | undefined
  /** Functions that are called for token calls, states and waits. @defaultValue none */
  readonly observer?: TokensObserver | undefined
}

const name = /* @__PURE__ */ string()

/** Schemas of {@link ObserverOptions}. */
export const OBSERVER_OPTIONS = {
  clientId: ((value = nextClientId(), path, fail) => name(value, path, fail)) as Schema<string>,
  observer: observer<TokensObserver>(TOKENS_OBSERVER),
} satisfies FieldsOf<ObserverOptions>

export const tokenStore = port<Store>(['get', 'compareAndSet'])

/** An identity with an HTTP origin: the tokens are sent to that origin only. */
const identityWithOrigin: Schema<ServiceIdentity & { readonly baseUrl: string }> = (value, path, fail) => {
  const identity = serviceIdentity(value, path, fail)
  const { baseUrl } = identity
  if (baseUrl === undefined) throw fail(`${path}.baseUrl`, 'the HTTP origin of the service', 'undefined')
  return { ...identity, baseUrl }
}

/** Options that access tokens and client tokens share. */
export interface TokensOptions<Endpoints> extends ObserverOptions {
  /** The calls to the service, from `createTokenEndpoints` or written by you. */
  readonly endpoints: Endpoints
  /** The store that keeps the tokens. */
  readonly store: Store
  /**
   * Service and app key that the tokens belong to: the result of `createServiceIdentity` of
   * `@brokerwire/core/endpoints`.
   */
  readonly identity: ServiceIdentity
  /** Source of time and timers. @defaultValue systemClock */
  readonly clock?: Clock | undefined
  /** Time limit of one call to the service in milliseconds, including waits in a limiter. @defaultValue 60000 */
  readonly callTimeoutMs?: number | undefined
}

/**
 * Schemas of {@link TokensOptions}.
 *
 * @param methods - Methods that `endpoints` must have.
 */
export const sharedOptions = <Endpoints>(methods: readonly (keyof Endpoints & string)[]) => ({
  endpoints: port<Endpoints>(methods),
  store: tokenStore,
  identity: identityWithOrigin,
  clock,
  callTimeoutMs: integer({ min: 1, max: MONTH_MS, default: 60_000 }),
  ...OBSERVER_OPTIONS,
})

/** @throws TokensError `TOKEN_OPTION_INVALID` if the calls go to another origin than that of the identity. */
export function requireSameOrigin(
  { origin }: { readonly origin?: string | undefined },
  { baseUrl }: { readonly baseUrl: string },
): void {
  if (origin !== undefined && origin !== baseUrl)
    throw optionInvalid('identity.baseUrl', `the origin of the HTTP client, ${origin}`, baseUrl)
}

/** The options that every call needs. */
export type CallSettings = Pick<
  InferFields<ReturnType<typeof sharedOptions<object>>>,
  'clock' | 'callTimeoutMs' | 'clientId' | 'observer'
>

/** Reads the options of a call that takes only a signal. @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readSignalOption(given: {
  readonly signal?: AbortSignalLike | undefined
}): AbortSignalLike | undefined {
  return readOptions(optionInvalid, given, { signal }).signal
}

/** The key of a record in the store, and its key in earlier versions, whose keys did not contain the origin. */
export interface RecordKeys {
  /** The current key of the record. */
  readonly key: string
  /** The key of earlier versions; `undefined` if no record of an earlier version is moved. */
  readonly oldKey: string | undefined
}

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
function recordKeys(kind: string, given: ServiceIdentity, ...rest: readonly string[]): RecordKeys {
  const identity = identityWithOrigin(given, 'identity', optionInvalid)
  const oldKey = identity.hasTableAddresses ? oldRecordKey(kind, identity, ...rest) : undefined
  return { key: recordKey(kind, identity, ...rest), oldKey }
}

/** Keys of the access-token record of an app key. @throws TokensError `TOKEN_OPTION_INVALID`. */
export const accessTokenKeys = (identity: ServiceIdentity): RecordKeys => recordKeys('access-token', identity)

/** Keys of the record of a customer's pair. @throws TokensError `TOKEN_OPTION_INVALID`. */
export function clientTokenKeys(identity: ServiceIdentity, clientUserId: string): RecordKeys {
  const isValidLength = typeof clientUserId === 'string' && clientUserId !== '' && clientUserId.length <= 1024
  if (isValidLength && !/\p{Surrogate}/u.test(clientUserId))
    return recordKeys('client-token', identity, clientUserId)
  const received = isValidLength ? 'a string with a lone surrogate' : typeName(clientUserId)
  throw optionInvalid('clientUserId', 'a well-formed string of 1 to 1024 characters', received)
}

/**
 * Returns the key under which a store contains the access token of an app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { accessTokenStoreKey } from '@brokerwire/tokens'
 *
 * const endpoint = resolveEndpoint({ environment: 'production', region: 'us' })
 * const identity = createServiceIdentity(endpoint, 'app-key')
 * console.log(accessTokenStoreKey(identity)) // access-token/production/us/app-key/https%3A%2F%2Fapi.webull.com
 * ```
 */
export function accessTokenStoreKey(identity: ServiceIdentity): string {
  return accessTokenKeys(identity).key
}

/**
 * Returns the key under which a store contains a customer's client-token pair.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createServiceIdentity, resolveEndpoint } from '@brokerwire/core/endpoints'
 * import { clientTokenStoreKey } from '@brokerwire/tokens'
 *
 * const endpoint = resolveEndpoint({ environment: 'production', region: 'us' })
 * const identity = createServiceIdentity(endpoint, 'app-key')
 * console.log(clientTokenStoreKey(identity, 'anna'))
 * // client-token/production/us/app-key/https%3A%2F%2Fapi.webull.com/anna
 * ```
 */
export function clientTokenStoreKey(identity: ServiceIdentity, clientUserId: string): string {
  return clientTokenKeys(identity, clientUserId).key
}

/** Returns the key of an access token in earlier versions, whose keys did not contain the origin. */
export const oldAccessTokenStoreKey = (identity: ServiceIdentity): string =>
  oldRecordKey('access-token', identity)

/** Returns the key of the record of a rate window. */
export const rateWindowKey = (identity: ServiceIdentity, name: string): string =>
  recordKey('rate-limit', identity, name)
