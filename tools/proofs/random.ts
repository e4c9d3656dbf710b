/** Random values from a seed, in the forms that attacks need. */
import { createSeededRandom } from '@brokerwire/core/testing'

export interface Random {
  /** A number from 0, inclusive, to 1, exclusive. */
  next(): number
  /** A whole number between the bounds, both inclusive. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** Returns a list of the results of `length` calls of `make`. */
  shuffle<T>(items: readonly T[]): T[]
  /** Calls `make` `length` times. */
  list<T>(length: number, make: () => T): T[]
  bytes(length: number): Uint8Array<ArrayBuffer>
  hex(length: number): string
  /**
   * A string of whole characters. Some are hostile: control characters, bidi marks, separators, quotes,
   * characters outside of the BMP.
   */
  text(maxLength: number): string
  /** Creates an independent sequence. Drawing from this sequence does not change it. */
  fork(name: string | number): Random
}

/** Characters that parsers, terminals, logs and encoders often handle wrongly. */
export const HOSTILE_CHARACTERS: readonly string[] = [
  ...'\0\b\t\n\v\f\r\x1b\x7f\u0080\u0085\u009b\u00a0\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e',
  ...'\u2066\u2069\ufeff\ufffd\uffff\uff5e😀\u{10ffff}',
  ...' "\'\\/<>&=?#%+;:,.@[]{}|^`~!$()*_-',
]
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** The FNV-1a hash of a string. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Creates the sequence of a seed. */
export function createRandom(seed: number): Random {
  const next = createSeededRandom(seed)
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(items: readonly T[]): T => {
    const item = items[integer(0, items.length - 1)]
    if (item === undefined && items.length === 0) throw new RangeError('nothing to pick from')
    return item as T
  }
  const list = <T>(length: number, make: () => T): T[] => Array.from({ length }, () => make())
  const character = (): string => {
    const draw = next()
    if (draw < 0.6) return PLAIN.charAt(integer(0, PLAIN.length - 1))
    if (draw < 0.9) return pick(HOSTILE_CHARACTERS)
    const point = integer(0, 0x10ffff)
    return point >= 0xd800 && point <= 0xdfff ? '�' : String.fromCodePoint(point)
  }
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick,
    shuffle(items) {
      const drawn = items.map((item) => [next(), item] as const)
      return drawn.sort(([left], [right]) => left - right).map(([, item]) => item)
    },
    list,
    bytes: (length) => Uint8Array.from({ length }, () => integer(0, 255)),
    hex: (length) => list(length, () => integer(0, 15).toString(16)).join(''),
    text: (maxLength) => list(integer(0, maxLength), character).join(''),
    fork: (name) => createRandom(hashOf(`${seed} ${name}`)),
  }
}
