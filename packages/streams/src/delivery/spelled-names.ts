/**
 * The names of frames that came together, spelled out with their hashes before the first of them is judged: a window
 * can then fetch at once what all of them lead to. One after the other, each would wait for the memory anew.
 *
 * A name is its length in one word, then four characters of Latin-1 in each word; or the complement of its length, then
 * two UTF-16 units in each. Windows keep names like that too.
 */

const MULTIPLIER = 0x9e_37_79_b1
const NAMES = 512
const WORDS = 16 * 1024

/** Of a name that is spelled here: its words, the one with its length among them. */
function wordsOf(length: number): number {
  return length < 0 ? 1 + ((~length + 1) >>> 1) : 1 + ((length + 3) >>> 2)
}

/** Names of one batch, by number in the order in which they were added. */
export class SpelledNames {
  words = new Int32Array(WORDS)
  /** By number: its hash, its first word, and how many it has: an empty name has one. */
  hashes = new Int32Array(NAMES)
  starts = new Int32Array(NAMES)
  counts = new Int32Array(NAMES)
  #size = 0
  #end = 0
  readonly #seed: number

  /** @param seed - Where hashes begin: unknown to who sends the names. */
  constructor(seed: number) {
    this.#seed = seed
  }

  /** Forgets them all, gives back what uncommonly long ones took, and makes room for so many. */
  clear(names: number): void {
    this.#size = 0
    this.#end = 0
    if (this.words.length > 16 * WORDS) this.words = new Int32Array(WORDS)
    if (names <= this.hashes.length) return
    this.hashes = new Int32Array(names)
    this.starts = new Int32Array(names)
    this.counts = new Int32Array(names)
  }

  add(name: string): void {
    const number = this.#size
    const start = this.#end
    this.#reserve(wordsOf(~name.length))
    let length = name.length
    if (!this.#spell(name, start)) {
      // The two bytes of each unit are two characters of Latin-1.
      this.#spell(Buffer.from(name, 'utf16le').toString('latin1'), start)
      length = ~length
    }
    const count = wordsOf(length)
    this.words[start] = length
    this.hashes[number] = this.#hash(start, count)
    this.starts[number] = start
    this.counts[number] = count
    this.#end = start + count
    this.#size = number + 1
  }

  /** @returns Whether it is Latin-1. */
  #spell(name: string, start: number): boolean {
    const { words } = this
    const { length } = name
    const whole = length & ~3
    let at = start + 1
    let all = 0
    for (let n = 0; n < whole; n += 4) {
      const a = name.charCodeAt(n)
      const b = name.charCodeAt(n + 1)
      const c = name.charCodeAt(n + 2)
      const d = name.charCodeAt(n + 3)
      all |= a | b | c | d
      words[at] = a | (b << 8) | (c << 16) | (d << 24)
      at += 1
    }
    if (length > whole) words[at] = 0
    for (let n = whole; n < length; n += 1) {
      const unit = name.charCodeAt(n)
      all |= unit
      words[at] = (words[at] as number) | (unit << (8 * (n - whole)))
    }
    return all <= 0xff
  }

  #hash(start: number, count: number): number {
    const { words } = this
    let hash = this.#seed | 0
    for (let n = start; n < start + count; n += 1) {
      const mixed = Math.imul(hash ^ (words[n] as number), MULTIPLIER)
      hash = (mixed << 13) | (mixed >>> 19)
    }
    return hash ^ (hash >>> 15)
  }

  #reserve(words: number): void {
    const needed = this.#end + words
    if (needed <= this.words.length) return
    const longer = new Int32Array(2 ** Math.ceil(Math.log2(needed)))
    longer.set(this.words)
    this.words = longer
  }
}
