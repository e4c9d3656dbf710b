/**
 * A set of fingerprints in one typed array, with a number beside each where one is wanted: open addressing, four words
 * for each place. A `Set` of texts takes ten times as much.
 */
import type { Fingerprint } from './fingerprint.ts'

/** Words of a fingerprint. */
const WORDS = 4
/** Places of an empty table: a power of two, as ever after. */
const FIRST_PLACES = 16
/** How much of a table may be taken before it is made twice as large. */
const MAX_LOAD = 0.8

/** A table. Its places never move but for growing, and nothing is ever taken out. */
export class FingerprintTable {
  #words: Uint32Array
  #numbers: Uint32Array
  #places = FIRST_PLACES
  #size = 0
  readonly #counting: boolean

  /** @param counting - Whether a number stands beside each fingerprint. */
  constructor(counting: boolean) {
    this.#counting = counting
    this.#words = new Uint32Array(FIRST_PLACES * WORDS)
    this.#numbers = new Uint32Array(counting ? FIRST_PLACES : 0)
  }

  /** What the table takes. */
  get bytes(): number {
    return this.#words.byteLength + this.#numbers.byteLength
  }

  /** Bytes that one more fingerprint would add: none in most cases. */
  get growth(): number {
    return this.#size < this.#places * MAX_LOAD - 1 ? 0 : this.bytes
  }

  has(print: Fingerprint): boolean {
    return this.#words[this.#find(print) * WORDS] !== 0
  }

  /** The number beside a fingerprint; 0 where it is not in the table. */
  count(print: Fingerprint): number {
    return this.#numbers[this.#find(print)] as number
  }

  /** Adds a fingerprint, or one to the number beside it. */
  add(print: Fingerprint): void {
    const at = this.#find(print)
    const isNew = this.#words[at * WORDS] === 0
    if (isNew && this.growth) {
      this.#grow()
      this.add(print)
      return
    }
    if (isNew) {
      this.#words.set(print, at * WORDS)
      this.#words[at * WORDS] = firstWord(print)
      this.#size += 1
    }
    if (this.#counting) this.#numbers[at] = (this.#numbers[at] as number) + 1
  }

  /** The place of a fingerprint, or the free one where it would stand. */
  #find(print: Fingerprint): number {
    const words = this.#words
    const last = this.#places - 1
    const first = firstWord(print)
    for (let place = (print[1] as number) & last; ; place = (place + 1) & last) {
      const at = place * WORDS
      const word = words[at]
      if (
        word === 0 ||
        (word === first &&
          words[at + 1] === print[1] &&
          words[at + 2] === print[2] &&
          words[at + 3] === print[3])
      ) {
        return place
      }
    }
  }

  #grow(): void {
    const words = this.#words
    const numbers = this.#numbers
    this.#places *= 2
    this.#words = new Uint32Array(this.#places * WORDS)
    this.#numbers = new Uint32Array(this.#counting ? this.#places : 0)
    const last = this.#places - 1
    for (let at = 0; at < words.length; at += WORDS) {
      if (words[at] === 0) continue
      // No two are alike: the first free place is the right one.
      let place = (words[at + 1] as number) & last
      while (this.#words[place * WORDS] !== 0) place = (place + 1) & last
      for (let word = 0; word < WORDS; word += 1) {
        this.#words[place * WORDS + word] = words[at + word] as number
      }
      if (this.#counting) this.#numbers[place] = numbers[at / WORDS] as number
    }
  }
}

/** 0 marks a free place. */
const firstWord = (print: Fingerprint): number => print[0] || 1
