/** Nonces from a pool: one call for random bytes serves many signatures. */

/** Nonces per draw. */
const POOL = 128

/** Bytes that a pool is made from: 128 bits a nonce. */
export const POOL_BYTES = POOL * 16

/**
 * Makes a source of 128-bit nonces, 32 lower-case hex characters each.
 *
 * @param randomHex - Gives {@link POOL_BYTES} random bytes as hex. First called at the first nonce, because a
 * Worker's global scope forbids random values.
 */
export function createNonces(randomHex: () => string): () => string {
  let pool = ''
  return () => {
    pool ||= randomHex()
    const nonce = pool.slice(0, 32)
    pool = pool.slice(32)
    return nonce
  }
}
