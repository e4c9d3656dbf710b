/**
 * A name spelled out in words, with its hash: what windows keep and compare, because texts would cost the collector more.
 *
 * Its length stands in the first word, then four bytes of UTF-8 in each, as it came; or, of a text that has none, the
 * complement of its length, then its UTF-16 units.
 */
import type { MessageBatch } from '../transport/message-batch.ts'

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

  /** That of a message, as it came. */
  spellOf(batch: MessageBatch<unknown>, index: number): void {
    this.#spell(batch.chunkOf(index), batch.nameStartOf(index), batch.nameEndOf(index))
  }

  spellText(name: string): void {
    const bytes = Buffer.from(name)
    // Only what never was UTF-8 has lone surrogates.
    if (bytes.toString() === name) this.#spell(bytes, 0, bytes.length)
    else this.#spell(Buffer.from(name, 'utf16le'), 0, 2 * name.length, ~name.length)
  }

  /** @param first - The word before the others. */
  #spell(bytes: Uint8Array, start: number, end: number, first = end - start): void {
    const most = Math.max(WORDS, 2 + ((end - start) >>> 2))
    // What an uncommonly long one took is given back.
    if (this.words.length !== most) this.words = new Int32Array(most)
    const { words } = this
    words[0] = first
    let hash = mixed(this.#seed, first)
    let count = 1
    for (let at = start; at < end; at += 4) {
      let word = bytes[at] as number
      if (at + 4 <= end) {
        word |= ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
        word |= (bytes[at + 3] as number) << 24
      } else {
        for (let n = 1; at + n < end; n += 1) word |= (bytes[at + n] as number) << (8 * n)
      }
      words[count] = word
      hash = mixed(hash, word)
      count += 1
    }
    this.count = count
    this.hash = hash ^ (hash >>> 15)
  }
}
