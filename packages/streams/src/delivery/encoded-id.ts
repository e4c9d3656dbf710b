/**
 * A name spelled out in words, with its hash: what windows keep and compare, because texts would cost the collector more.
 *
 * Its length stands in the first word, then four bytes of UTF-8 in each, as it came; or, of a text that has none, the
 * complement of its length, then its UTF-16 units.
 */
import type { MessageBatch } from '../transport/message-batch.ts'

const MULTIPLIER = 0x9e_37_79_b1
/** For names up to 252 bytes. */
const FIRST_WORDS = 64
/** A larger buffer is given back with the next name that needs less. */
const MAX_KEPT_WORDS = 4096

/** Words of a name whose first word is this one. */
export function wordCount(first: number): number {
  const bytes = first < 0 ? 2 * ~first : first
  return 1 + ((bytes + 3) >>> 2)
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, MULTIPLIER)
  return (product << 13) | (product >>> 19)
}

/** Holds one name after the other. */
export class EncodedId {
  words = new Int32Array(FIRST_WORDS)
  /** Its words: an empty name has one. */
  count = 1
  hash = 0
  readonly #seed: number

  /** @param random - Says where hashes begin: whoever sends the names and knew it could make them collide. */
  constructor(random: () => number) {
    this.#seed = Math.floor(random() * 2 ** 32)
  }

  /** That of a message, as it came. */
  encodeFrom(batch: MessageBatch<unknown>, index: number): void {
    this.#spell(batch.chunkOf(index), batch.nameStartOf(index), batch.nameEndOf(index))
  }

  encodeString(name: string): void {
    const bytes = Buffer.from(name)
    // Only what never was UTF-8 has lone surrogates.
    if (bytes.toString() === name) this.#spell(bytes, 0, bytes.length)
    else this.#spell(Buffer.from(name, 'utf16le'), 0, 2 * name.length, ~name.length)
  }

  /** @param first - The word before the others. */
  #spell(bytes: Uint8Array, start: number, end: number, first = end - start): void {
    const needed = wordCount(end - start)
    const { length } = this.words
    if (needed > length) this.words = new Int32Array(Math.max(needed, 2 * length))
    else if (length > MAX_KEPT_WORDS && needed <= MAX_KEPT_WORDS) this.words = new Int32Array(FIRST_WORDS)
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
