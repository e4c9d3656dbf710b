/**
 * `#crypto` on runtimes with standard WebCrypto. Standard WebCrypto has no MD5, so MD5 comes from
 * `@noble/hashes`. A bundle for Cloudflare Workers does not contain this file.
 */
import { toBase64, toHex } from '../hex.ts'
import { check } from '../signer-error.ts'
import { nobleMd5 } from './noble-md5.ts'
import type { SignerCrypto } from './port.ts'
import { randomBytes, webCrypto } from './web.ts'

declare const crypto: { readonly subtle?: object } | undefined

/**
 * Returns the runtime's WebCrypto, with MD5.
 *
 * @throws SignerError `SIGNER_CRYPTO_UNAVAILABLE` if the runtime has no WebCrypto, as on a page without HTTPS.
 */
export function runtimeCrypto(): SignerCrypto {
  const host = typeof crypto === 'undefined' ? undefined : crypto
  check(
    host?.subtle,
    'crypto.subtle',
    'available: on a page use HTTPS, elsewhere pass hash functions as the option "crypto"',
    'SIGNER_CRYPTO_UNAVAILABLE',
  )
  const web = webCrypto(toHex, toBase64)
  return {
    ...web,
    digest: (algorithm, bytes) => (algorithm === 'MD5' ? nobleMd5(bytes) : web.digest(algorithm, bytes)),
  }
}

/** Returns random bytes for a pool of nonces, as lower-case hex. */
export const randomHex = (): string => toHex(randomBytes())
