/**
 * Keyed 128-bit fingerprints of strings. The key is random, so that an attacker cannot prepare a collision.
 * The function uses the rounds of HalfSipHash (SipHash on 32-bit words): one round for two characters and
 * three rounds at the end. The whole state is the output. Fingerprints never leave the process. WebCrypto is
 * not used, because it is asynchronous.
 */

declare const crypto: { getRandomValues(words: Uint32Array): Uint32Array }

/** The four 32-bit words of a fingerprint. */
export type Fingerprint = Uint32Array

/**
 * Returns a random key. Do not call it in a Worker's global scope, because random values are forbidden there.
 */
export const randomFingerprint = (): Fingerprint => crypto.getRandomValues(new Uint32Array(4))

/**
 * Writes the fingerprint of `text` with the key `key` to `to`. For a pair of strings, use the fingerprint of the first string as
 * the key of the second.
 */
export function fingerprint(key: Fingerprint, text: string, to: Fingerprint): void {
  let a = key[0] as number
  let b = key[1] as number
  let c = key[2] as number
  let d = key[3] as number
  const { length } = text
  // The loop processes the string, then its length and the final rounds.
  for (let i = 0; i < length + 8; i += 2) {
    const word = i < length ? text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16) : length
    d ^= word
    a = (a + b) | 0
    b = ((b << 5) | (b >>> 27)) ^ a
    a = (a << 16) | (a >>> 16)
    c = (c + d) | 0
    d = ((d << 8) | (d >>> 24)) ^ c
    a = (a + d) | 0
    d = ((d << 7) | (d >>> 25)) ^ a
    c = (c + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ c
    c = (c << 16) | (c >>> 16)
    a ^= word
  }
  to[0] = a
  to[1] = b
  to[2] = c
  to[3] = d
}
