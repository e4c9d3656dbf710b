/**
 * WebCrypto. Keys are imported at the first signature, not before: a Worker's global scope forbids it.
 *
 * Standard WebCrypto has no MD5. Cloudflare's has; elsewhere a library brings it.
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

/** The bytes of an ASCII text, good until the next call: WebCrypto copies what it gets before it answers. */
function asciiBytes(text: string): Uint8Array {
  if (text.length > buffer.length) buffer = new Uint8Array(text.length * 2)
  encoder.encodeInto(text, buffer)
  return buffer.subarray(0, text.length)
}

/** Writes bytes as text. */
type ToText = (bytes: Uint8Array) => string

/**
 * The runtime's WebCrypto, with an MD5 only where the runtime brings one.
 *
 * @param toHex - Lower-case hex.
 * @param toBase64 - Standard Base64 with padding.
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

/** Random bytes for a pool of nonces. */
export const randomBytes = (): Uint8Array => crypto.getRandomValues(new Uint8Array(POOL_BYTES))
