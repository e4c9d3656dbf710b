/**
 * What a store holds for an app key, for whoever looks without using it: a command line, a dashboard, a migration.
 * Nothing here asks the service or changes a record.
 */

import type { StoredAccessToken } from './access/record.ts'
import { decodeRecord } from './access/record.ts'
import { decodePair, type IssuedPair } from './client/machine.ts'

import { readKey, storeKey } from './shared-options.ts'
import type { TokenKey } from './types.ts'

/**
 * The key under which a store holds the access token of an app key.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { accessTokenStoreKey, readAccessTokenRecord } from '@brokerwire/tokens'
 *
 * declare const store: Store
 * declare const appKey: string
 *
 * const key = accessTokenStoreKey({ environment: 'production', region: 'us', appKey })
 * console.log(readAccessTokenRecord(await store.get(key)).current?.expiresAtMs)
 * ```
 */
export function accessTokenStoreKey(key: TokenKey): string {
  return storeKey('access-token', readKey(key))
}

/**
 * The key under which a store holds a customer's pair.
 *
 * @throws TokensError `TOKEN_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { clientTokenStoreKey, readClientTokenRecord } from '@brokerwire/tokens'
 *
 * declare const store: Store
 * declare const appKey: string
 *
 * const key = clientTokenStoreKey({ environment: 'production', region: 'us', appKey }, 'customer-1')
 * console.log(readClientTokenRecord(await store.get(key))?.issuedAtMs)
 * ```
 */
export function clientTokenStoreKey(key: TokenKey, clientUserId: string): string {
  return storeKey('client-token', readKey(key), clientUserId)
}

/**
 * Reads the text under {@link accessTokenStoreKey}; `undefined`, where there is none, is the empty record.
 *
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 *
 * @example
 * ```ts
 * import { accessTokenState, readAccessTokenRecord } from '@brokerwire/tokens'
 *
 * declare const text: string | undefined
 *
 * console.log(accessTokenState(readAccessTokenRecord(text)))
 * ```
 */
export function readAccessTokenRecord(text: string | undefined): StoredAccessToken {
  return decodeRecord(text)
}

/**
 * Reads the text under {@link clientTokenStoreKey}. Its `phase` is as stored: `clientTokenTransition` with a fact of
 * type `time` says what it is at an instant.
 *
 * @throws TokensError `TOKEN_RECORD_INVALID`.
 *
 * @example
 * ```ts
 * import { clientTokenTransition, readClientTokenRecord } from '@brokerwire/tokens'
 *
 * declare const text: string | undefined
 *
 * const pair = clientTokenTransition(readClientTokenRecord(text), { type: 'time', nowMs: Date.now() })
 * console.log(pair?.phase)
 * ```
 */
export function readClientTokenRecord(text: string | undefined): IssuedPair | undefined {
  return decodePair(text)
}
