/** Nonces from a pool of random bytes, so that many signatures need only one call for random bytes. */

/** Number of nonces in one pool. */
const POOL = 128

/** Number of random bytes in one pool: 16 for each nonce. */
export const POOL_BYTES = POOL * 16

/**
 * Creates a generator of 128-bit nonces, with 32 lower-case hex characters each.
 *
 * @param randomHex - Returns {@link POOL_BYTES} random bytes as hex. It is not called before the first nonce, because a Worker's
 * global scope forbids random values.
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
