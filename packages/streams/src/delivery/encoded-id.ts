/**
 * An id as 32-bit words with a hash. Duplicate filters store and compare these words, because strings would
 * cause more garbage collection.
 *
 * The first word is the length in bytes, and each further word has four bytes of UTF-8. A string with lone surrogates has no
 * UTF-8: its first word is the bitwise complement of the length, and the further words have its UTF-16 units.
 */
import type { MessageBatch } from '../transport/message-batch.ts'

const MULTIPLIER = 0x9e_37_79_b1
/** Words of a new buffer: enough for ids of up to 252 bytes. */
const FIRST_WORDS = 64
/** A larger buffer is released when an id needs no more words than this. */
const MAX_KEPT_WORDS = 4096

/** Returns the number of words of the encoded id that begins with this word. */
export function wordCount(first: number): number {
  const bytes = first < 0 ? 2 * ~first : first
  return 1 + ((bytes + 3) >>> 2)
}

function mix(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, MULTIPLIER)
  return (product << 13) | (product >>> 19)
}

/** A reusable buffer for one encoded id at a time. */
export class EncodedId {
  /** The encoded id in the first {@link count} words. */
  words = new Int32Array(FIRST_WORDS)
  /** Number of words; an empty id has one. */
  count = 1
  /** Hash of the words, as a signed 32-bit integer. */
  hash = 0
  readonly #seed: number

  /** @param random - Returns the seed of the hashes. With a predictable seed a sender could choose ids that collide. */
  constructor(random: () => number) {
    this.#seed = Math.floor(random() * 2 ** 32)
  }

  /** Encodes the id of a message from its received bytes. */
  encodeFrom(batch: MessageBatch<unknown>, index: number): void {
    this.#encode(batch.chunkOf(index), batch.idStartOf(index), batch.idEndOf(index))
  }

  /** Encodes a string. */
  encodeString(id: string): void {
    const bytes = Buffer.from(id)
    // UTF-8 has no lone surrogates, so a string with them is not the same after encoding and decoding.
    if (bytes.toString() === id) this.#encode(bytes, 0, bytes.length)
    else this.#encode(Buffer.from(id, 'utf16le'), 0, 2 * id.length, ~id.length)
  }

  /** @param first - The first word. */
  #encode(bytes: Uint8Array, start: number, end: number, first = end - start): void {
    const needed = wordCount(end - start)
    const { length } = this.words
    if (needed > length) this.words = new Int32Array(Math.max(needed, 2 * length))
    else if (length > MAX_KEPT_WORDS && needed <= MAX_KEPT_WORDS) this.words = new Int32Array(FIRST_WORDS)
    const { words } = this
    words[0] = first
    let hash = mix(this.#seed, first)
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
      hash = mix(hash, word)
      count += 1
    }
    this.count = count
    this.hash = hash ^ (hash >>> 15)
  }
}
