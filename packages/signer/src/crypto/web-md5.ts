/**
 * Standard WebCrypto, completed: MD5 comes from a kept library. Never reached by the build for Workers.
 */
import { md5 } from '@noble/hashes/legacy.js'
import { toHex } from '../hex.ts'
import { failure } from '../signer-error.ts'
import type { RuntimeCrypto } from './port.ts'
import { webCrypto } from './web.ts'

declare const crypto: { readonly subtle?: object } | undefined

/** Lower-case hex MD5. */
export function libraryMd5(bytes: Uint8Array): string {
  return toHex(md5(bytes))
}

/**
 * @throws SignerError `SIGNER_CRYPTO_UNAVAILABLE` where there is no WebCrypto, as on a page without TLS.
 */
export function webCryptoWithMd5(): RuntimeCrypto {
  if (typeof crypto === 'undefined' || !crypto.subtle) {
    throw failure('SIGNER_CRYPTO_UNAVAILABLE', 'crypto.subtle', 'WebCrypto, which pages have over HTTPS only')
  }
  return {
    ...webCrypto,
    digest: (algorithm, bytes) =>
      algorithm === 'MD5' ? libraryMd5(bytes) : webCrypto.digest(algorithm, bytes),
  }
}
