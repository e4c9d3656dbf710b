/**
 * Seeded random values in wire formats: the same seed gives the same bytes.
 *
 * Not for secrets: app secrets and tokens come from the host's cryptographic source.
 */
import { createSeededRandom } from '@brokerwire/core/testing'

/** Generates random values in wire formats. */
export interface WireRandom {
  /** A number from 0, inclusive, to 1, exclusive. */
  next(): number
  /** An integer within both bounds, inclusive. */
  integer(min: number, max: number): number
  /** One of the items. */
  pick<T>(items: readonly [T, ...T[]]): T
  /** True with this probability. */
  chance(probability: number): boolean
  /** A string of `length` characters from `alphabet`. */
  string(alphabet: string, length: number): string
  /** A string of lower-case hexadecimal digits. */
  hex(length: number): string
  /** A version-4 UUID. */
  uuid(): string
}

const HEX = '0123456789abcdef'

/** Creates a generator with the mulberry32 sequence of `seed`. */
export function createWireRandom(seed: number): WireRandom {
  const next = createSeededRandom(seed)
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const string = (alphabet: string, length: number): string => {
    let out = ''
    for (let index = 0; index < length; index += 1) out += alphabet.charAt(integer(0, alphabet.length - 1))
    return out
  }
  const hex = (length: number): string => string(HEX, length)
  return {
    next,
    integer,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    chance: (probability) => next() < probability,
    string,
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${string('89ab', 1)}${hex(3)}-${hex(12)}`,
  }
}

/**
 * Derives seeds of independent sequences, so that random values of one part do not change those of another.
 */
export function deriveSeed(seed: number, part: number): number {
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(part + 1, 0xc2b2ae35)) >>> 0
}
