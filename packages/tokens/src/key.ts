/** Keys in the store, and the check of what they are made of. */
import { describe, requireObject } from '@brokerwire/core'
import { optionInvalid } from './tokens-error.ts'
import type { TokenKey } from './types.ts'

/** Reads the `key` option. Header-safe text only: the app key travels in a header, the others name an endpoint. */
export function readKey(key: TokenKey): TokenKey {
  requireObject(optionInvalid, 'key', key)
  const part = (name: keyof TokenKey): string => {
    const value: unknown = key[name]
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
