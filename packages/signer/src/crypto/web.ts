/**
 * WebCrypto. Keys are imported at the first signature, not before: a Worker's global scope forbids it.
 *
 * Standard WebCrypto has no MD5. Cloudflare's has; elsewhere the entry point brings a library's.
 */
import { utf8Encode } from '@brokerwire/core'
import { toBase64, toHex } from '../hex.ts'
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
/** The runtime's WebCrypto, with an MD5 only where the runtime brings one. */
export const webCrypto: RuntimeCrypto = {
  randomHex: () => toHex(crypto.getRandomValues(new Uint8Array(POOL_BYTES))),
  digest: async (algorithm, bytes) => toHex(new Uint8Array(await crypto.subtle.digest(algorithm, bytes))),
  hmac(hash, key) {
    let imported: Promise<object> | undefined
    let ready: object | undefined
    const sign = (mac: object, message: string): Promise<string> =>
      crypto.subtle.sign('HMAC', mac, utf8Encode(message)).then((bytes) => toBase64(new Uint8Array(bytes)))
    return (message) => {
      if (ready) return sign(ready, message)
      imported ??= crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign'])
      return imported.then((mac) => {
        ready = mac
        return sign(mac, message)
      })
    }
  },
}
