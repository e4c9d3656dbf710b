/**
 * `#crypto` on runtimes with standard WebCrypto, which has no MD5: that comes from a kept library. Never reached by the build
 * for Workers.
 */
import { toBase64, toHex } from '../hex.ts'
import { check } from '../signer-error.ts'
import { nobleMd5 } from './noble-md5.ts'
import type { SignerCrypto } from './port.ts'
import { randomBytes, webCrypto } from './web.ts'

declare const crypto: { readonly subtle?: object } | undefined

/**
 * The runtime's WebCrypto, and MD5 beside it.
 *
 * @throws SignerError `SIGNER_CRYPTO_UNAVAILABLE` where there is none, as on a page without TLS.
 */
export function runtimeCrypto(): SignerCrypto {
  const host = typeof crypto === 'undefined' ? undefined : crypto
  check(
    host?.subtle,
    'crypto.subtle',
    'there: a page has it over HTTPS only; elsewhere pass hash functions of your own as the option crypto',
    'SIGNER_CRYPTO_UNAVAILABLE',
  )
  const web = webCrypto(toHex, toBase64)
  return {
    ...web,
    digest: (algorithm, bytes) => (algorithm === 'MD5' ? nobleMd5(bytes) : web.digest(algorithm, bytes)),
  }
}

/** Random bytes for a pool of nonces, as lower-case hex. */
export const randomHex = (): string => toHex(randomBytes())
