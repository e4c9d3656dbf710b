/** What the runners and the limiter have in common: rows of options, and keys in the store. */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import {
  clockRow,
  describe,
  functionRow,
  integerRow,
  type OptionRow,
  type OptionsRead,
  portRow,
  readOptionTable,
  signalRow,
  tableRow,
  textRow,
} from '@brokerwire/core/internal'
import { isTokenCalls, type TokenCalls } from './endpoints/token-calls.ts'
import { optionInvalid } from './tokens-error.ts'
import type { TokenKey, TokenObservation } from './types.ts'

export const MONTH_MS = 30 * 86_400_000

/** One row for each option. */
export type Rows<Options> = { readonly [Name in keyof Options]-?: OptionRow<Options[Name]> }

export const storeRow = portRow<Store>(['get', 'compareAndSet'])

/** Header-safe text only: the app key travels in a header, the others name an endpoint. */
const keyPartRow: OptionRow<string> = (fail, option, value) => {
  const text = textRow(fail, option, value)
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text
  throw fail(option, '1 to 256 visible ASCII characters', 'other text')
}
export const keyRow: OptionRow<TokenKey> = tableRow({
  environment: keyPartRow,
  region: keyPartRow,
  appKey: keyPartRow,
})

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

/** Their rows. @param methods - That `api` must have. @param callsOf - Makes it of what makes calls. */
export const sharedRows = <Api>(
  methods: readonly (keyof Api & string)[],
  callsOf: (calls: TokenCalls) => Api,
) => ({
  api: ((fail, option, value) =>
    isTokenCalls(value) ? callsOf(value) : portRow<Api>(methods)(fail, option, value)) as OptionRow<Api>,
  store: storeRow,
  key: keyRow,
  clock: clockRow,
  callTimeoutMs: integerRow(1, MONTH_MS, 60_000),
  observe: functionRow<(observation: TokenObservation) => void>(() => {}),
})

/** The options as every call needs them. */
export type CallSettings = Pick<
  OptionsRead<ReturnType<typeof sharedRows<object>>>,
  'clock' | 'callTimeoutMs' | 'observe'
>

/** The options of a call that takes a signal and nothing else. @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readSignalOption(given: {
  readonly signal?: AbortSignalLike | undefined
}): AbortSignalLike | undefined {
  return readOptionTable(optionInvalid, 'options', given, { signal: signalRow }).signal
}

/**
 * The key of one record: its kind, environment, region, app key, and what else tells records apart.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function storeKey(kind: string, key: TokenKey, ...rest: readonly string[]): string {
  const { environment, region, appKey } = keyRow(optionInvalid, 'key', key)
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
