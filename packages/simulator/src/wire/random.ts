/**
 * Seeded draws in the shapes that the wire uses, so that the same seed gives the same bytes.
 *
 * Not for secrets: app secret and tokens come from the host's cryptographic source.
 */
import { createSeededRandom } from '@brokerwire/core/testing'

/** Draws values in wire shapes. */
export interface WireRandom {
  /** From 0 up to but not including 1. */
  next(): number
  /** A whole number, both bounds included. */
  integer(min: number, max: number): number
  /** One of the items. */
  pick<T>(items: readonly [T, ...T[]]): T
  /** Whether a draw fell below `probability`. */
  chance(probability: number): boolean
  /** `length` characters of `alphabet`. */
  text(alphabet: string, length: number): string
  /** Lower-case hexadecimal digits. */
  hex(length: number): string
  /** A version-4 UUID. */
  uuid(): string
}

const HEX = '0123456789abcdef'

/** Draws from the mulberry32 sequence of `seed`. */
export function createWireRandom(seed: number): WireRandom {
  const next = createSeededRandom(seed)
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const text = (alphabet: string, length: number): string => {
    let out = ''
    for (let index = 0; index < length; index += 1) out += alphabet.charAt(integer(0, alphabet.length - 1))
    return out
  }
  const hex = (length: number): string => text(HEX, length)
  return {
    next,
    integer,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    chance: (probability) => next() < probability,
    text,
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${text('89ab', 1)}${hex(3)}-${hex(12)}`,
  }
}

/** Seeds of independent sequences out of one: what one part draws never shifts what another one draws. */
export function deriveSeed(seed: number, part: number): number {
  return (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(part + 1, 0xc2b2ae35)) >>> 0
}
