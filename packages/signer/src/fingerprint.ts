/**
 * A 128-bit fingerprint of a string, keyed with random bits, so that an attacker cannot prepare a collision.
 *
 * SipHash's round on words of 32 bits (HalfSipHash), one for every two characters and three at the end, over a state
 * that is keyed and kept whole. No output ever leaves the process. WebCrypto would do, but only with a promise.
 */

declare const crypto: { getRandomValues(words: Uint32Array): Uint32Array }

/** Four words. */
export type Fingerprint = Uint32Array

/** Random words for a key. Not to be called in a Worker's global scope, which forbids random values. */
export const randomFingerprint = (): Fingerprint => crypto.getRandomValues(new Uint32Array(4))

/**
 * Writes the fingerprint of `text` under `key` to `to`, which may be the key of the next text: that is the fingerprint
 * of both, and where one ends and the other begins is part of it.
 */
export function fingerprint(key: Fingerprint, text: string, to: Fingerprint): void {
  let a = key[0] as number
  let b = key[1] as number
  let c = key[2] as number
  let d = key[3] as number
  const { length } = text
  // After the string: its length, and the final rounds.
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
