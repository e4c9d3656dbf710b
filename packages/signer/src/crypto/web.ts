/**
 * WebCrypto. Keys are imported at the first signature, not before: a Worker's global scope forbids it.
 *
 * Standard WebCrypto has no MD5. Cloudflare's has; elsewhere the entry point brings a library's.
 */
import { utf8Encode } from '@brokerwire/core'
import type { DigestName } from '../algorithms.ts'
import { toHex } from '../nonce.ts'
import { SignerError } from '../signer-error.ts'
import type { SignerCrypto } from './port.ts'

declare const crypto: {
  readonly subtle?: {
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

function subtle(algorithm: string) {
  if (crypto.subtle) return crypto.subtle
  throw new SignerError('SIGNER_CRYPTO_UNAVAILABLE', 'no WebCrypto here: an insecure page?', {
    details: { algorithm },
  })
}

/**
 * @param md5 - Lower-case hex MD5, where the runtime's own WebCrypto has none.
 */
export function webCrypto(md5?: (bytes: Uint8Array) => string): SignerCrypto {
  return {
    async digest(algorithm: DigestName, bytes) {
      if (md5 && algorithm === 'MD5') return md5(bytes)
      return toHex(new Uint8Array(await subtle(algorithm).digest(algorithm, bytes)))
    },
    hmac(hash, key) {
      let imported: Promise<object> | undefined
      return async (message) => {
        const api = subtle(hash)
        imported ??= api.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign'])
        const mac = await api.sign('HMAC', await imported, utf8Encode(message))
        return btoa(String.fromCharCode(...new Uint8Array(mac)))
      }
    },
  }
}
