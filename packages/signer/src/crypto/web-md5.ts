/**
 * Standard WebCrypto, completed: MD5 comes from a kept library. Never reached by the build for Workers.
 */
import { md5 } from '@noble/hashes/legacy.js'
import { toBase64, toHex } from '../hex.ts'
import { check } from '../signer-error.ts'
import type { RuntimeCrypto } from './port.ts'
import { webCrypto } from './web.ts'

declare const crypto: { readonly subtle?: object } | undefined

/** Lower-case hex MD5. */
export function libraryMd5(bytes: Uint8Array): string {
  return toHex(md5(bytes))
}

/**
 * @param own - Hash functions of the caller, which are used instead. Nonces are drawn all the same: `getRandomValues`
 * is there on every page.
 * @throws SignerError `SIGNER_CRYPTO_UNAVAILABLE` where there is no WebCrypto, as on a page without TLS.
 */
export function webCryptoWithMd5(own?: unknown): RuntimeCrypto {
  const host = typeof crypto === 'undefined' ? undefined : crypto
  check(
    own ? host : host?.subtle,
    'crypto.subtle',
    'WebCrypto, which a page has over HTTPS only',
    'SIGNER_CRYPTO_UNAVAILABLE',
  )
  const web = webCrypto(toHex, toBase64)
  return {
    ...web,
    digest: (algorithm, bytes) => (algorithm === 'MD5' ? libraryMd5(bytes) : web.digest(algorithm, bytes)),
  }
}
