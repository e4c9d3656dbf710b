/**
 * AES-256-GCM with the host's WebCrypto: the cipher of the encrypted store where the keys are your own to keep.
 *
 * A nonce of 96 random bits is drawn for each write. Under one key that is safe for four billion writes, which tokens
 * and cursors do not reach.
 */
import { Secret, type SecretInput } from '@brokerwire/core'
import {
  array,
  type FieldsOf,
  object,
  readOptions,
  type Schema,
  secret,
  string,
  utf8Decode,
  utf8Encode,
} from '@brokerwire/core/internal'
import { optionFailure } from '../stores-error.ts'
import { fromBase64, toBase64 } from './base64.ts'
import type { StoreCipher } from './encrypted-store.ts'

/** A key and its name. */
export interface AesGcmKey {
  /** Stands beside every text that the key sealed. Not secret. Never give it to another key. */
  readonly id: string
  /** 32 random bytes in base64, as `openssl rand -base64 32` prints them. */
  readonly key: SecretInput
}

/** Options of {@link createAesGcmCipher}. Read once. */
export interface AesGcmCipherOptions {
  /** The first one seals; all of them open. To replace a key, put the new one before it. */
  readonly keys: readonly AesGcmKey[]
}

type Bytes = Uint8Array<ArrayBuffer>
interface Algorithm {
  readonly name: 'AES-GCM'
  readonly iv: Bytes
  readonly additionalData: Bytes
}
declare const crypto: {
  getRandomValues(bytes: Bytes): Bytes
  readonly subtle: {
    importKey(format: 'raw', key: Bytes, name: 'AES-GCM', extractable: false, uses: string[]): Promise<object>
    encrypt(algorithm: Algorithm, key: object, data: Bytes): Promise<ArrayBuffer>
    decrypt(algorithm: Algorithm, key: object, data: Bytes): Promise<ArrayBuffer>
  }
}

const KEY_BYTES = 32
const NONCE_BYTES = 12

const AES_GCM_KEY = {
  id: string(),
  key: ((value, path, fail) => {
    const key = new Secret(secret(value, path, fail))
    if (fromBase64(key.reveal())?.length === KEY_BYTES) return key
    throw fail(path, `${KEY_BYTES} bytes in base64`, 'other text')
  }) as Schema<Secret>,
} satisfies FieldsOf<AesGcmKey>

const AES_GCM_CIPHER_OPTIONS = {
  keys: array(object(AES_GCM_KEY), { expected: 'an array of one key or more' }),
} satisfies FieldsOf<AesGcmCipherOptions>

function readKeys(options: AesGcmCipherOptions): ReadonlyMap<string, Secret> {
  const { keys } = readOptions(optionFailure, options, AES_GCM_CIPHER_OPTIONS)
  const byId = new Map<string, Secret>()
  for (const [index, { id, key }] of keys.entries()) {
    if (byId.has(id)) throw optionFailure(`keys[${index}].id`, 'unique', 'the id of another key')
    byId.set(id, key)
  }
  return byId
}

/**
 * Makes the cipher. Draws no random value and imports no key before its first use.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createAesGcmCipher } from '@brokerwire/stores'
 *
 * declare const older: string
 * declare const newer: string
 *
 * const cipher = createAesGcmCipher({ keys: [{ id: 'newer', key: newer }, { id: 'older', key: older }] })
 * console.log(typeof cipher)
 * ```
 */
export function createAesGcmCipher(options: AesGcmCipherOptions): StoreCipher {
  const keys = readKeys(options)
  const [sealingId = ''] = keys.keys()
  const imported = new Map<string, Promise<object>>()
  const keyOf = (id: string): Promise<object> => {
    const secret = keys.get(id)
    const bytes = secret && fromBase64(secret.reveal())
    if (bytes === undefined) throw new Error('there is no key of that id')
    const key =
      imported.get(id) ?? crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
    imported.set(id, key)
    return key
  }
  const algorithm = (iv: Bytes, storeKey: string): Algorithm => ({
    name: 'AES-GCM',
    iv,
    additionalData: utf8Encode(storeKey),
  })

  return {
    async encrypt(plain, storeKey) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const key = await keyOf(sealingId)
      const text = utf8Encode(plain)
      // Half a character has no UTF-8: it would come back as another one.
      if (utf8Decode(text) !== plain) throw new Error('the text holds half a character')
      const body = await crypto.subtle.encrypt(algorithm(nonce, storeKey), key, text)
      const bytes = new Uint8Array(NONCE_BYTES + body.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(body), NONCE_BYTES)
      return { keyId: sealingId, sealed: toBase64(bytes) }
    },
    async decrypt({ keyId, sealed }, storeKey) {
      const key = await keyOf(keyId)
      const bytes = fromBase64(sealed)
      if (bytes === undefined || bytes.length < NONCE_BYTES) throw new Error('the sealed text is too short')
      const nonce = bytes.slice(0, NONCE_BYTES)
      const body = bytes.slice(NONCE_BYTES)
      const plain = utf8Decode(
        new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce, storeKey), key, body)),
      )
      if (plain === undefined) throw new Error('the text is not UTF-8')
      return plain
    },
  }
}
