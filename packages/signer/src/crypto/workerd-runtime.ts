/**
 * `#crypto` in Cloudflare Workers: the runtime's WebCrypto, which has MD5, and the runtime's hex and Base64 encoding.
 */
import type { SignerCrypto } from './port.ts'
import { randomBytes, webCrypto } from './web.ts'

/** Methods that workerd has had since 2025. */
interface TextBytes extends Uint8Array {
  toHex(): string
  toBase64(): string
}

const toHex = (bytes: Uint8Array): string => (bytes as TextBytes).toHex()

/** Returns the hash functions of Cloudflare's WebCrypto. */
export const runtimeCrypto = (): SignerCrypto => webCrypto(toHex, (bytes) => (bytes as TextBytes).toBase64())

/** Returns random bytes for a pool of nonces, as lower-case hex. */
export const randomHex = (): string => toHex(randomBytes())
