/**
 * An exact duplicate filter over the last events, bounded in entries and in bytes.
 *
 * It is a hash table of ids. A hash only finds candidates. Then the ids are compared, and then the frames, so
 * a hash collision never counts as a duplicate. Everything is in typed arrays, because the garbage collection
 * of many small objects and strings would take longer than the rest of the work. Entries are numbered in the
 * order received, so discarding the oldest entry means incrementing a number. The arrays grow and shrink with
 * the number of entries, because a process may have a thousand quiet streams.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import { type EncodedId, wordCount } from './encoded-id.ts'
import { type FrameRingBuffer, NONE } from './frame-ring-buffer.ts'

/** Result of a check. A `conflict` has the id of an earlier frame and a different content. */
export type DuplicateResult = 'new' | 'duplicate' | 'conflict'

/** Bounds of a {@link DuplicateFilter}, and how it compares frames. */
export interface DuplicateFilterOptions<Frame> {
  /** The most entries that are stored; at most 32,768. */
  readonly maxIds: number
  /** The most bytes of encoded ids ({@link EncodedId}) that are stored; a power of two. */
  readonly idBytes: number
  /** The stored frames. Several filters may share them. */
  readonly frames: FrameRingBuffer<Frame>
  /** Compares a frame with an earlier one that has the same id. `new`: the two are different events with the same id. */
  readonly compare: (known: Frame, frame: Frame) => DuplicateResult
  /**
   * Whether an entry stays after its frame was discarded. If so, a frame with the same id then counts as a
   * duplicate.
   */
  readonly idOnly: boolean
}

/** Mask of the lower 16 bits of an entry's number. */
const LOW_BITS = 0xff_ff
/** Flag of `#newest`: an older entry has the same lower bits of the hash. */
const HAS_OLDER = 0x1_00_00
/** Sizes of a new filter, in entries and in words of ids. Powers of two. */
const FIRST_ENTRIES = 8
const FIRST_WORDS = 128
/**
 * A full array below this length grows to four times its length, because an allocation takes longer than a
 * small copy. A longer array grows to twice its length.
 */
const SMALL_LENGTH = 256
/** An array is halved if no more than this fraction of it is used. */
const SHRINK_AT = 1 / 8
/** Number of fields of an entry in `#entries`, and the index of each. */
const FIELDS = 3
const HASH = 0
/** Number, modulo 2^16, of the previous entry whose hash has the same lower bits. */
const OLDER = 1
/** Offset of the encoded id in `#words`, modulo 2^32. */
const ID_OFFSET = 2

/** The last events by id. */
export class DuplicateFilter<Frame> {
  readonly #options: DuplicateFilterOptions<Frame>
  /** A ring of encoded ids. */
  #words: Int32Array
  #wordsEnd = 0
  /** Number of the oldest entry. */
  #oldest = 1
  /** Number of the next entry. */
  #next = 1
  /**
   * For each value of the lower bits of a hash, the newest entry: the lower bits of its number,
   * {@link HAS_OLDER}, and the upper bits of its hash. For a new event this is mostly the only random memory
   * access. Cache misses of such accesses cost the most here.
   */
  #newest: Int32Array
  /** `HASH`, `OLDER` and `ID_OFFSET` of each entry. */
  #entries: Int32Array
  /** Number of each entry's frame in the ring buffer. */
  #frameNumbers: Float64Array

  constructor(options: DuplicateFilterOptions<Frame>) {
    this.#options = options
    this.#words = new Int32Array(Math.min(FIRST_WORDS, options.idBytes / 4))
    this.#newest = new Int32Array(FIRST_ENTRIES)
    this.#entries = new Int32Array(FIELDS * FIRST_ENTRIES)
    this.#frameNumbers = new Float64Array(FIRST_ENTRIES)
  }

  /** Bytes allocated, not counting the frames. */
  get allocatedBytes(): number {
    return [this.#words, this.#newest, this.#entries, this.#frameNumbers].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    )
  }

  /** Compares a frame with the stored ones. A frame with an empty id is always `new`. */
  classify(id: EncodedId, frame: Frame): DuplicateResult {
    if (!this.#accepts(id)) return 'new'
    const { hash } = id
    const mask = this.#newest.length - 1
    const count = this.#next - this.#oldest
    const newest = this.#newest[hash & mask] as number
    let age = (this.#next - newest) & LOW_BITS
    if (age > count || ((newest & HAS_OLDER) === 0 && (newest ^ hash) >>> 17 !== 0)) return 'new'
    let result: DuplicateResult = 'new'
    let before = 0
    // The number of a discarded entry may look like that of a recent entry. Then its age does not increase,
    // and the loop ends.
    while (age > before && age <= count) {
      const slot = (this.#next - age) & mask
      const entry = FIELDS * slot
      before = age
      age = (this.#next - (this.#entries[entry + OLDER] as number)) & LOW_BITS
      if (this.#entries[entry + HASH] !== hash) continue
      if (!this.#hasId(this.#entries[entry + ID_OFFSET] as number, id)) continue
      const { frames, compare } = this.#options
      const known = this.#frameNumbers[slot] as number
      if (!frames.has(known)) return result === 'conflict' ? result : 'duplicate'
      const found = compare(frames.load(known), frame)
      if (found === 'duplicate') return found
      if (found === 'conflict') result = found
    }
    return result
  }

  /** Adds a frame of a batch. The caller has checked that the frame is not a duplicate. */
  add(id: EncodedId, batch: MessageBatch<Frame>, index: number): void {
    if (!this.#accepts(id)) return
    const { frames, idOnly } = this.#options
    const frame = frames.store(batch, index)
    if (frame !== NONE || idOnly) this.#insert(id, frame)
  }

  /** Adds an id without a frame. */
  addId(id: EncodedId): void {
    if (this.#accepts(id)) this.#insert(id, NONE)
  }

  /** Whether the id is not empty, and is not longer than the limit for all ids together. */
  #accepts({ count }: EncodedId): boolean {
    return count > 1 && 4 * count <= this.#options.idBytes
  }

  #hasId(offset: number, id: EncodedId): boolean {
    const words = this.#words
    const start = offset & (words.length - 1)
    for (let n = 0; n < id.count; n += 1) {
      if (words[start + n] !== id.words[n]) return false
    }
    return true
  }

  #insert({ words: idWords, count, hash }: EncodedId, frame: number): void {
    const { maxIds, idOnly, frames } = this.#options
    const at = this.#reserve(count)
    const words = this.#words
    const to = at & (words.length - 1)
    for (let n = 0; n < count; n += 1) words[to + n] = idWords[n] as number
    this.#wordsEnd = at + count
    this.#fitEntries()
    this.#write(this.#next, hash, at, frame)
    this.#next += 1
    if (this.#next - this.#oldest > maxIds) this.#oldest += 1
    if (idOnly) return
    const mask = this.#newest.length - 1
    while (!frames.has(this.#frameNumbers[this.#oldest & mask] as number)) this.#oldest += 1
  }

  /** Writes an entry that is newer than all others. */
  #write(number: number, hash: number, idOffset: number, frame: number): void {
    const mask = this.#newest.length - 1
    const slot = number & mask
    const older = (this.#newest[hash & mask] as number) & LOW_BITS
    const hasOlder = ((number - older) & LOW_BITS) <= number - this.#oldest
    this.#entries[FIELDS * slot + HASH] = hash
    this.#entries[FIELDS * slot + OLDER] = older
    this.#entries[FIELDS * slot + ID_OFFSET] = idOffset
    this.#frameNumbers[slot] = frame
    this.#newest[hash & mask] =
      (hash & ~(HAS_OLDER | LOW_BITS)) | (hasOlder ? HAS_OLDER : 0) | (number & LOW_BITS)
  }

  /**
   * Returns the offset for an id of `count` words. Grows the ring, or discards the oldest entries if the ring
   * has its greatest size.
   */
  #reserve(count: number): number {
    for (;;) {
      const size = this.#words.length
      const isEmpty = this.#oldest === this.#next
      const oldest = this.#idOffset(this.#oldest)
      const used = isEmpty ? count : (this.#wordsEnd + count - oldest) >>> 0
      if (size > FIRST_WORDS && used <= size * SHRINK_AT) {
        this.#resizeWords(size >>> 1)
        continue
      }
      const at = this.#wordsEnd & (size - 1)
      const start = at + count > size ? this.#wordsEnd + size - at : this.#wordsEnd
      if (count <= size && (isEmpty || (start + count - oldest) >>> 0 <= size)) return start
      if (4 * size < this.#options.idBytes)
        this.#resizeWords(Math.min(grown(size), this.#options.idBytes / 4))
      else this.#oldest += 1
    }
  }

  /** Copies the ids into a ring of another size. */
  #resizeWords(size: number): void {
    const from = this.#words
    const words = new Int32Array(size)
    let end = 0
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const at = this.#idOffset(number) & (from.length - 1)
      const count = wordCount(from[at] as number)
      words.set(from.subarray(at, at + count), end)
      this.#entries[FIELDS * (number & (this.#newest.length - 1)) + ID_OFFSET] = end
      end += count
    }
    this.#words = words
    this.#wordsEnd = end
  }

  #idOffset(number: number): number {
    return this.#entries[FIELDS * (number & (this.#newest.length - 1)) + ID_OFFSET] as number
  }

  /** Grows the arrays for one more entry, or shrinks them if few entries are used. */
  #fitEntries(): void {
    const slots = this.#newest.length
    const count = this.#next - this.#oldest
    if (count === slots) this.#resizeEntries(grown(slots))
    else if (slots > FIRST_ENTRIES && count <= slots * SHRINK_AT) this.#resizeEntries(slots / 2)
  }

  #resizeEntries(slots: number): void {
    const entries = this.#entries
    const frames = this.#frameNumbers
    const mask = frames.length - 1
    this.#newest = new Int32Array(slots)
    this.#entries = new Int32Array(FIELDS * slots)
    this.#frameNumbers = new Float64Array(slots)
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const slot = number & mask
      const entry = FIELDS * slot
      const hash = entries[entry + HASH] as number
      this.#write(number, hash, entries[entry + ID_OFFSET] as number, frames[slot] as number)
    }
  }
}

function grown(length: number): number {
  return length < SMALL_LENGTH ? 4 * length : 2 * length
}
