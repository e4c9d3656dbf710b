/**
 * A name spelled out in words, with its hash: what windows keep and compare, because texts would cost the collector more.
 *
 * Its length stands in the first word, then four characters of Latin-1 in each; or the complement of its length, then two
 * UTF-16 units in each.
 */

const MULTIPLIER = 0x9e_37_79_b1
const WORDS = 4096

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, MULTIPLIER)
  return (product << 13) | (product >>> 19)
}

/** Holds one name after the other. */
export class SpelledName {
  words = new Int32Array(WORDS)
  /** Its words: an empty name has one. */
  count = 1
  hash = 0
  readonly #seed: number

  /** @param random - Says where hashes begin: whoever sends the names and knew it could make them collide. */
  constructor(random: () => number) {
    this.#seed = Math.floor(random() * 2 ** 32)
  }

  spell(name: string): void {
    const most = Math.max(WORDS, 2 + (name.length >>> 1))
    // What an uncommonly long one took is given back.
    if (this.words.length !== most) this.words = new Int32Array(most)
    // The two bytes of each unit are two characters of Latin-1.
    if (!this.#write(name, name.length))
      this.#write(Buffer.from(name, 'utf16le').toString('latin1'), ~name.length)
  }

  /** @param first - The word before the others. @returns Whether the text is Latin-1. */
  #write(text: string, first: number): boolean {
    const { words } = this
    const whole = text.length & ~3
    words[0] = first
    let hash = mixed(this.#seed, first)
    let count = 1
    let all = 0
    for (let n = 0; n < whole; n += 4) {
      const a = text.charCodeAt(n)
      const b = text.charCodeAt(n + 1)
      const c = text.charCodeAt(n + 2)
      const d = text.charCodeAt(n + 3)
      all |= a | b | c | d
      const word = a | (b << 8) | (c << 16) | (d << 24)
      words[count] = word
      hash = mixed(hash, word)
      count += 1
    }
    if (text.length > whole) {
      let word = 0
      for (let n = text.length - 1; n >= whole; n -= 1) {
        all |= text.charCodeAt(n)
        word = (word << 8) | text.charCodeAt(n)
      }
      words[count] = word
      hash = mixed(hash, word)
      count += 1
    }
    this.count = count
    this.hash = hash ^ (hash >>> 15)
    return all <= 0xff
  }
}
