/**
 * AES-256-GCM with the host's WebCrypto, as the cipher of the encrypted store. You keep the keys.
 *
 * Each write uses a nonce of 96 random bits. That is safe for four billion writes under one key, which tokens and
 * cursors do not reach.
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

/** An encryption key and its id. */
export interface AesGcmKey {
  /** Stored in plain text with every text that the key encrypted. Never reuse an id for another key. */
  readonly id: string
  /** 32 random bytes in base64, as `openssl rand -base64 32` prints them. */
  readonly key: SecretInput
}

/** Options of {@link createAesGcmCipher}. Read once. */
export interface AesGcmCipherOptions {
  /** The first key encrypts; all keys decrypt. To replace a key, put the new one first. */
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

function parseKeys(options: AesGcmCipherOptions): ReadonlyMap<string, Secret> {
  const { keys } = readOptions(optionFailure, options, AES_GCM_CIPHER_OPTIONS)
  const byId = new Map<string, Secret>()
  for (const [index, { id, key }] of keys.entries()) {
    if (byId.has(id)) throw optionFailure(`keys[${index}].id`, 'unique', 'the id of another key')
    byId.set(id, key)
  }
  return byId
}

/**
 * Creates the cipher. It uses no random value and imports no key before its first use.
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
  const keys = parseKeys(options)
  const [sealingId = ''] = keys.keys()
  const imported = new Map<string, Promise<object>>()
  const getKey = (id: string): Promise<object> => {
    const secret = keys.get(id)
    const bytes = secret && fromBase64(secret.reveal())
    if (bytes === undefined) throw new Error('there is no key with that id')
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
      const key = await getKey(sealingId)
      const text = utf8Encode(plain)
      // UTF-8 cannot encode a lone surrogate, so it would be read back as U+FFFD.
      if (utf8Decode(text) !== plain) throw new Error('the text contains a lone surrogate')
      const body = await crypto.subtle.encrypt(algorithm(nonce, storeKey), key, text)
      const bytes = new Uint8Array(NONCE_BYTES + body.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(body), NONCE_BYTES)
      return { keyId: sealingId, sealed: toBase64(bytes) }
    },
    async decrypt({ keyId, sealed }, storeKey) {
      const key = await getKey(keyId)
      const bytes = fromBase64(sealed)
      if (bytes === undefined || bytes.length < NONCE_BYTES)
        throw new Error('the encrypted text is too short')
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
