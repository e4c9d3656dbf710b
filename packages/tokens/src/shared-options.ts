/** Schemas of options that access tokens, client tokens and the limiter share, and keys in the store. */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import {
  clock,
  describe,
  func,
  type InferFields,
  integer,
  object,
  port,
  readOptions,
  type Schema,
  signal,
  string,
} from '@brokerwire/core/internal'
import { isTokenCalls, type TokenCalls } from './endpoints/token-calls.ts'
import { optionInvalid } from './tokens-error.ts'
import type { TokenKey, TokenObservation } from './types.ts'

export const MONTH_MS = 30 * 86_400_000

export const tokenStore = port<Store>(['get', 'compareAndSet'])

/** The app key travels in a header, so only text that a header can carry. */
const keyPart = string({ pattern: /^[\x21-\x7e]{1,256}$/, expected: '1 to 256 visible ASCII characters' })

export const tokenKey: Schema<TokenKey> = object({ environment: keyPart, region: keyPart, appKey: keyPart })

/** The options that both kinds of tokens have. */
export interface TokensOptions<Api> {
  /** The calls to the service, or what makes them: `createTokenCalls`. */
  readonly api: Api | TokenCalls
  readonly store: Store
  readonly key: TokenKey
  readonly clock?: Clock | undefined
  /** The longest that a call to the service may take, waits in a limiter included. @defaultValue 60000 */
  readonly callTimeoutMs?: number | undefined
  /** Told of every call. Cannot steer. */
  readonly observe?: ((observation: TokenObservation) => void) | undefined
}

/**
 * Their schemas.
 *
 * @param methods - Methods that `api` must have.
 * @param callsOf - Makes `api` of {@link TokenCalls}.
 */
export const sharedOptions = <Api>(
  methods: readonly (keyof Api & string)[],
  callsOf: (calls: TokenCalls) => Api,
) => ({
  api: ((value, path, fail) =>
    isTokenCalls(value) ? callsOf(value) : port<Api>(methods)(value, path, fail)) as Schema<Api>,
  store: tokenStore,
  key: tokenKey,
  clock,
  callTimeoutMs: integer({ min: 1, max: MONTH_MS, default: 60_000 }),
  observe: func<(observation: TokenObservation) => void>(() => {}),
})

/** The options as every call needs them. */
export type CallSettings = Pick<
  InferFields<ReturnType<typeof sharedOptions<object>>>,
  'clock' | 'callTimeoutMs' | 'observe'
>

/** The options of a call that takes a signal and nothing else. @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readSignalOption(given: {
  readonly signal?: AbortSignalLike | undefined
}): AbortSignalLike | undefined {
  return readOptions(optionInvalid, given, { signal }).signal
}

/**
 * The key of one record: its kind, environment, region, app key, and what else tells records apart.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function storeKey(kind: string, key: TokenKey, ...rest: readonly string[]): string {
  const { environment, region, appKey } = tokenKey(key, 'key', optionInvalid)
  return [kind, environment, region, appKey, ...rest].map(encodeURIComponent).join('/')
}

/**
 * The key under which a store holds the access token of an app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { accessTokenStoreKey } from '@brokerwire/tokens'
 *
 * const key = { environment: 'production', region: 'us', appKey: 'app-key' }
 * console.log(accessTokenStoreKey(key)) // access-token/production/us/app-key
 * ```
 */
export function accessTokenStoreKey(key: TokenKey): string {
  return storeKey('access-token', key)
}

/**
 * The key under which a store holds a customer's pair.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { clientTokenStoreKey } from '@brokerwire/tokens'
 *
 * const key = { environment: 'production', region: 'us', appKey: 'app-key' }
 * console.log(clientTokenStoreKey(key, 'anna')) // client-token/production/us/app-key/anna
 * ```
 */
export function clientTokenStoreKey(key: TokenKey, clientUserId: string): string {
  const isText = typeof clientUserId === 'string' && clientUserId !== '' && clientUserId.length <= 1024
  if (isText && !/\p{Surrogate}/u.test(clientUserId)) return storeKey('client-token', key, clientUserId)
  const received = isText ? 'a text with half a character' : describe(clientUserId)
  throw optionInvalid('clientUserId', 'a well-formed text of 1 to 1024 characters', received)
}
