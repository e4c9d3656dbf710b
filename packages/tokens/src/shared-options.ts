/** What the runners and the limiter have in common: options that are read in the same way, and keys in the store. */
import {
  type Clock,
  describe,
  readFunction,
  readInteger,
  requireOptions,
  requirePort,
  type Store,
  systemClock,
} from '@brokerwire/core'
import { optionInvalid } from './tokens-error.ts'
import type { TokenKey, TokenObservation } from './types.ts'

const MONTH_MS = 30 * 86_400_000

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readClock(clock: Clock = systemClock): Clock {
  return requirePort(optionInvalid, 'clock', clock, ['now', 'setTimer'])
}

/** @throws TokensError `TOKEN_OPTION_INVALID`. */
export function readStore(store: Store): Store {
  return requirePort(optionInvalid, 'store', store, ['get', 'compareAndSet'])
}

/** Options that both kinds of tokens have. */
interface SharedOptions {
  readonly api: object
  readonly store: Store
  readonly key: TokenKey
  readonly clock?: Clock | undefined
  readonly callTimeoutMs?: number | undefined
  readonly observe?: ((observation: TokenObservation) => void) | undefined
}

/**
 * Reads what both kinds of tokens have.
 *
 * @param calls - The methods that `api` must have.
 * @param names - All options.
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 */
export function readShared<O extends SharedOptions>(
  given: O,
  calls: readonly (keyof O['api'] & string)[],
  names: { readonly [Name in keyof O]-?: 1 },
) {
  const options = requireOptions(optionInvalid, 'options', given, names)
  const bounds = { min: 1, max: MONTH_MS, fallback: 60_000 }
  return {
    options,
    clock: readClock(options.clock),
    api: requirePort<O['api']>(optionInvalid, 'api', options.api, calls),
    store: readStore(options.store),
    key: readKey(options.key),
    callTimeoutMs: readInteger(optionInvalid, 'callTimeoutMs', options.callTimeoutMs, bounds),
    observe: readFunction(optionInvalid, 'observe', options.observe, () => {}),
  }
}

/** Reads the `key` option. Header-safe text only: the app key travels in a header, the others name an endpoint. */
export function readKey(key: TokenKey): TokenKey {
  const own = requireOptions(optionInvalid, 'key', key, { environment: 1, region: 1, appKey: 1 })
  const part = (name: keyof TokenKey): string => {
    const value: unknown = own[name]
    if (typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)) return value
    const received = typeof value === 'string' && value !== '' ? 'other text' : describe(value)
    throw optionInvalid(`key.${name}`, '1 to 256 visible ASCII characters', received)
  }
  return { environment: part('environment'), region: part('region'), appKey: part('appKey') }
}

/** The store's key: kind, environment, region, app key, and what else tells records apart. */
export function storeKey(
  kind: 'access-token' | 'client-token' | 'rate-limit',
  key: TokenKey,
  ...rest: readonly string[]
): string {
  return [kind, key.environment, key.region, key.appKey, ...rest].map(encodeURIComponent).join('/')
}
