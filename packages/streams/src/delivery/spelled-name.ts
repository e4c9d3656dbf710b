/**
 * A name spelled out in words, with its hash: what windows keep and compare, because texts would cost the collector more.
 *
 * Its length stands in the first word, then four characters of Latin-1 in each; or the complement of its length, then two
 * UTF-16 units in each.
 */

const MULTIPLIER = 0x9e_37_79_b1
const WORDS = 4096

function wordsOf(length: number): number {
  return length < 0 ? 1 + ((~length + 1) >>> 1) : 1 + ((length + 3) >>> 2)
}

/** Holds one name after the other. */
export class SpelledName {
  words = new Int32Array(WORDS)
  /** Its words: an empty name has one. */
  count = 1
  hash = 0
  readonly #seed: number

  /** @param seed - Where hashes begin: unknown to who sends the names. */
  constructor(seed: number) {
    this.#seed = seed
  }

  spell(name: string): void {
    const most = Math.max(WORDS, wordsOf(~name.length))
    // What an uncommonly long one took is given back.
    if (this.words.length !== most) this.words = new Int32Array(most)
    let { length } = name
    if (!this.#write(name)) {
      // The two bytes of each unit are two characters of Latin-1.
      this.#write(Buffer.from(name, 'utf16le').toString('latin1'))
      length = ~length
    }
    this.words[0] = length
    this.count = wordsOf(length)
    this.hash = this.#hash()
  }

  /** @returns Whether it is Latin-1. */
  #write(name: string): boolean {
    const { words } = this
    const { length } = name
    const whole = length & ~3
    let at = 1
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

  #hash(): number {
    const { words, count } = this
    let hash = this.#seed | 0
    for (let n = 0; n < count; n += 1) {
      const mixed = Math.imul(hash ^ (words[n] as number), MULTIPLIER)
      hash = (mixed << 13) | (mixed >>> 19)
    }
    return hash ^ (hash >>> 15)
  }
}
