/** A seeded random source, with which a test can repeat its random choices. Do not use it for secrets. */

/**
 * Creates a random source.
 *
 * @param seed - Any 32-bit number.
 * @returns A function that returns numbers from 0, inclusive, to 1, exclusive (the mulberry32 sequence).
 *
 * @example
 * ```ts
 * import { createSeededRandom } from '@brokerwire/core/testing'
 *
 * const random = createSeededRandom(7)
 * console.log(random() < 1) // true
 * ```
 */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
