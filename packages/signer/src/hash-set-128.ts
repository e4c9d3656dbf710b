/**
 * A hash set of 128-bit fingerprints, optionally with a counter for each. It uses open addressing in one
 * typed array, with four words for each slot, because a `Set` of strings takes ten times as much memory.
 */
import type { Fingerprint } from './fingerprint.ts'

/** Number of words of a fingerprint. */
const WORDS = 4
/** Slots of an empty set. The number of slots is always a power of two. */
const INITIAL_SLOTS = 16
/** Load factor at which the set doubles its size. */
const MAX_LOAD = 0.8

/** A hash set without removal. */
export class HashSet128 {
  #words: Uint32Array
  #numbers: Uint32Array
  #slots = INITIAL_SLOTS
  #size = 0
  readonly #counting: boolean

  /** @param counting - Whether each fingerprint has a counter. */
  constructor(counting: boolean) {
    this.#counting = counting
    this.#words = new Uint32Array(INITIAL_SLOTS * WORDS)
    this.#numbers = new Uint32Array(counting ? INITIAL_SLOTS : 0)
  }

  /** Memory of the set, in bytes. */
  get bytes(): number {
    return this.#words.byteLength + this.#numbers.byteLength
  }

  /** Bytes by which the set would grow if you added a fingerprint. 0 in most cases. */
  get growth(): number {
    return this.#size < this.#slots * MAX_LOAD - 1 ? 0 : this.bytes
  }

  /** Whether a fingerprint is in the set. */
  has(print: Fingerprint): boolean {
    return this.#words[this.#findSlot(print) * WORDS] !== 0
  }

  /** Returns the counter of a fingerprint; 0 if it is not in the set. */
  count(print: Fingerprint): number {
    return this.#numbers[this.#findSlot(print)] as number
  }

  /** Adds a fingerprint, or increments its counter. */
  add(print: Fingerprint): void {
    const at = this.#findSlot(print)
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

  /** Returns the slot of a fingerprint. If the set does not have it, returns the free slot for it. */
  #findSlot(print: Fingerprint): number {
    const words = this.#words
    const last = this.#slots - 1
    const first = firstWord(print)
    for (let slot = (print[1] as number) & last; ; slot = (slot + 1) & last) {
      const at = slot * WORDS
      const word = words[at]
      if (
        word === 0 ||
        (word === first &&
          words[at + 1] === print[1] &&
          words[at + 2] === print[2] &&
          words[at + 3] === print[3])
      ) {
        return slot
      }
    }
  }

  #grow(): void {
    const words = this.#words
    const numbers = this.#numbers
    this.#slots *= 2
    this.#words = new Uint32Array(this.#slots * WORDS)
    this.#numbers = new Uint32Array(this.#counting ? this.#slots : 0)
    const last = this.#slots - 1
    for (let at = 0; at < words.length; at += WORDS) {
      if (words[at] === 0) continue
      // All fingerprints in the set differ, so they are not compared, and the first free slot is used.
      let slot = (words[at + 1] as number) & last
      while (this.#words[slot * WORDS] !== 0) slot = (slot + 1) & last
      for (let word = 0; word < WORDS; word += 1) {
        this.#words[slot * WORDS + word] = words[at + word] as number
      }
      if (this.#counting) this.#numbers[slot] = numbers[at / WORDS] as number
    }
  }
}

/**
 * Returns the first word of a fingerprint as the set stores it. It is never 0, because 0 marks a free slot.
 */
const firstWord = (print: Fingerprint): number => print[0] || 1
