/**
 * Hash functions of WebCrypto. A key is imported at the first signature and not earlier, because a Worker's
 * global scope forbids the import.
 *
 * Cloudflare's WebCrypto has MD5; standard WebCrypto does not.
 */
import { POOL_BYTES } from '../nonce.ts'
import type { Hashing } from './port.ts'

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

declare const TextEncoder: new () => { encodeInto(text: string, bytes: Uint8Array): unknown }

const encoder = /* @__PURE__ */ new TextEncoder()
let buffer = /* @__PURE__ */ new Uint8Array(1024)

/**
 * Returns the bytes of an ASCII string. The next call overwrites them. This is safe, because WebCrypto copies
 * its input before it returns.
 */
function asciiBytes(text: string): Uint8Array {
  if (text.length > buffer.length) buffer = new Uint8Array(text.length * 2)
  encoder.encodeInto(text, buffer)
  return buffer.subarray(0, text.length)
}

/** Encodes bytes as a string. */
type ToText = (bytes: Uint8Array) => string

/**
 * Creates the hash functions. MD5 works only if the runtime's WebCrypto has it.
 *
 * @param toHex - Encodes bytes as lower-case hex.
 * @param toBase64 - Encodes bytes as standard Base64 with padding.
 */
export const webCrypto = (toHex: ToText, toBase64: ToText): Hashing<Promise<string>> => ({
  digest: async (algorithm, bytes) => toHex(new Uint8Array(await crypto.subtle.digest(algorithm, bytes))),
  hmac(hash, key) {
    let mac: object | undefined
    return async (message) => {
      mac ??= await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign'])
      return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', mac, asciiBytes(message))))
    }
  },
})

/** Returns random bytes for a pool of nonces. */
export const randomBytes = (): Uint8Array => crypto.getRandomValues(new Uint8Array(POOL_BYTES))
