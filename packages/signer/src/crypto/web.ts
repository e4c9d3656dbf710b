/**
 * WebCrypto. Keys are imported at the first signature, not before: a Worker's global scope forbids it.
 *
 * Standard WebCrypto has no MD5. Cloudflare's has; elsewhere the entry point brings a library's.
 */
import { utf8Encode } from '@brokerwire/core'
import { toHex } from '../hex.ts'
import { POOL_BYTES } from '../nonce.ts'
import type { RuntimeCrypto } from './port.ts'

declare const crypto: {
  getRandomValues(bytes: Uint8Array): Uint8Array
  readonly subtle: {
    digest(algorithm: string, bytes: Uint8Array): Promise<ArrayBuffer>
    importKey(
      format: 'raw',
      key: Uint8Array,
      algorithm: { readonly name: 'HMAC'; readonly hash: string },
      extractable: false,
      uses: readonly 'sign'[],
    ): Promise<object>
    sign(algorithm: 'HMAC', key: object, bytes: Uint8Array): Promise<ArrayBuffer>
  }
}
declare const btoa: (binary: string) => string

/** The runtime's WebCrypto, with an MD5 only where the runtime brings one. */
export const webCrypto: RuntimeCrypto = {
  randomHex: () => toHex(crypto.getRandomValues(new Uint8Array(POOL_BYTES))),
  digest: async (algorithm, bytes) => toHex(new Uint8Array(await crypto.subtle.digest(algorithm, bytes))),
  hmac(hash, key) {
    let imported: Promise<object> | undefined
    return async (message) => {
      imported ??= crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign'])
      const mac = await crypto.subtle.sign('HMAC', await imported, utf8Encode(message))
      return btoa(String.fromCharCode(...new Uint8Array(mac)))
    }
  },
}
