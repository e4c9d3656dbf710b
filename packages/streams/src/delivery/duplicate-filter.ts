/**
 * Knows what comes again, exactly, and in a bounded number of bytes.
 *
 * A frame is found by a hash of its name, and it is the name itself that is compared, then the frame: no hash can make
 * two frames equal. All of it is in typed arrays: objects and texts would cost the collector more than all the
 * rest. Entries are numbered in the order received, so the oldest are forgotten by counting. The arrays grow with the
 * entries, because a process may hold a thousand quiet streams, and shrink again when entries become fewer.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import { type EncodedId, wordCount } from './encoded-id.ts'
import { type FrameRingBuffer, NONE } from './frame-ring-buffer.ts'

/** What a frame is to the window. A conflict has the name of an earlier one, and another content. */
export type DuplicateResult = 'new' | 'duplicate' | 'conflict'

export interface DuplicateFilterOptions<Frame> {
  /** At most 32,768. */
  readonly maxIds: number
  /** For the names, as {@link EncodedId} has them; a power of two. */
  readonly idBytes: number
  /** Of one window or of several. */
  readonly frames: FrameRingBuffer<Frame>
  /** What a frame is to one that has the same name: `new` where it is another thing of that name. */
  readonly compare: (known: Frame, frame: Frame) => DuplicateResult
  /** A name counts for as long as there is room for it, and is enough for a repeat once its frame is forgotten. */
  readonly idOnly: boolean
}

const LOW = 0xff_ff
const HAS_OLDER = 0x1_00_00
/** Sizes of an empty window. Powers of two. */
const FIRST_ENTRIES = 8
const FIRST_WORDS = 128
/** Full arrays shorter than this grow to four times their length, longer ones to twice: a new array costs more than a small copy. */
const SMALL_LENGTH = 256
/** Arrays are halved when no more than this part of them is used. */
const SHRINK_AT = 1 / 8
/** Fields of an entry. */
const FIELDS = 3
const HASH = 0
/** Number of the entry before it whose hash has the same lower bits, modulo 2^16. */
const OLDER = 1
/** Offset of its name in the ring, modulo 2^32. */
const NAME = 2

export class DuplicateFilter<Frame> {
  readonly #options: DuplicateFilterOptions<Frame>
  /** Names as {@link EncodedId} has them, in a ring. */
  #words: Int32Array
  #wordsEnd = 0
  /** Numbers of the oldest entry and of the next one. */
  #oldest = 1
  #next = 1
  /**
   * By the lower bits of a hash: the number of the newest entry, whether there is an older one, and the upper bits of the
   * newest one's hash. Mostly no more is looked up at random, and that is what costs: memory that is not at hand.
   */
  #newest: Int32Array
  /** By entry: `HASH`, `OLDER` and `NAME`. */
  #entries: Int32Array
  /** By entry: the number of its frame. */
  #frameNumbers: Float64Array

  constructor(options: DuplicateFilterOptions<Frame>) {
    this.#options = options
    this.#words = new Int32Array(Math.min(FIRST_WORDS, options.idBytes / 4))
    this.#newest = new Int32Array(FIRST_ENTRIES)
    this.#entries = new Int32Array(FIELDS * FIRST_ENTRIES)
    this.#frameNumbers = new Float64Array(FIRST_ENTRIES)
  }

  /** Bytes allocated, without the frames. */
  get allocatedBytes(): number {
    return [this.#words, this.#newest, this.#entries, this.#frameNumbers].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    )
  }

  /** @param name - An empty one names nothing: such a frame is always new. */
  classify(name: EncodedId, frame: Frame): DuplicateResult {
    if (!this.#accepts(name)) return 'new'
    const { hash } = name
    const mask = this.#newest.length - 1
    const count = this.#next - this.#oldest
    const newest = this.#newest[hash & mask] as number
    let age = (this.#next - newest) & LOW
    if (age > count || ((newest & HAS_OLDER) === 0 && (newest ^ hash) >>> 17 !== 0)) return 'new'
    let result: DuplicateResult = 'new'
    let before = 0
    // A number that is out of date may look like a later one: what follows it is not older then.
    while (age > before && age <= count) {
      const slot = (this.#next - age) & mask
      const entry = FIELDS * slot
      before = age
      age = (this.#next - (this.#entries[entry + OLDER] as number)) & LOW
      if (this.#entries[entry + HASH] !== hash) continue
      if (!this.#sameName(this.#entries[entry + NAME] as number, name)) continue
      const { frames, compare } = this.#options
      const known = this.#frameNumbers[slot] as number
      if (!frames.holds(known)) return result === 'conflict' ? result : 'duplicate'
      const found = compare(frames.load(known), frame)
      if (found === 'duplicate') return found
      if (found === 'conflict') result = found
    }
    return result
  }

  /** Remembers a frame of a batch, which is no repeat, before the next one is judged. */
  remember(name: EncodedId, batch: MessageBatch<Frame>, index: number): void {
    if (!this.#accepts(name)) return
    const { frames, idOnly } = this.#options
    const frame = frames.store(batch, index)
    if (frame !== NONE || idOnly) this.#insert(name, frame)
  }

  add(name: EncodedId): void {
    if (this.#accepts(name)) this.#insert(name, NONE)
  }

  #accepts({ count }: EncodedId): boolean {
    return count > 1 && 4 * count <= this.#options.idBytes
  }

  #sameName(place: number, name: EncodedId): boolean {
    const words = this.#words
    const known = place & (words.length - 1)
    for (let n = 0; n < name.count; n += 1) {
      if (words[known + n] !== name.words[n]) return false
    }
    return true
  }

  #insert({ words: spelled, count, hash }: EncodedId, frame: number): void {
    const { maxIds, idOnly, frames } = this.#options
    const at = this.#reserve(count)
    const words = this.#words
    const to = at & (words.length - 1)
    for (let n = 0; n < count; n += 1) words[to + n] = spelled[n] as number
    this.#wordsEnd = at + count
    this.#fitEntries()
    this.#write(this.#next, hash, at, frame)
    this.#next += 1
    if (this.#next - this.#oldest > maxIds) this.#oldest += 1
    if (idOnly) return
    const mask = this.#newest.length - 1
    while (!frames.holds(this.#frameNumbers[this.#oldest & mask] as number)) this.#oldest += 1
  }

  /** Writes an entry that is newer than all others. */
  #write(number: number, hash: number, name: number, frame: number): void {
    const mask = this.#newest.length - 1
    const slot = number & mask
    const older = (this.#newest[hash & mask] as number) & LOW
    const hasOlder = ((number - older) & LOW) <= number - this.#oldest
    this.#entries[FIELDS * slot + HASH] = hash
    this.#entries[FIELDS * slot + OLDER] = older
    this.#entries[FIELDS * slot + NAME] = name
    this.#frameNumbers[slot] = frame
    this.#newest[hash & mask] = (hash & ~(HAS_OLDER | LOW)) | (hasOlder ? HAS_OLDER : 0) | (number & LOW)
  }

  /** Returns where the next name goes. The oldest entries are forgotten if the ring must not grow. */
  #reserve(count: number): number {
    for (;;) {
      const size = this.#words.length
      const isEmpty = this.#oldest === this.#next
      const oldest = this.#nameOf(this.#oldest)
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

  /** Copies the names to the start of a ring of another size. */
  #resizeWords(size: number): void {
    const from = this.#words
    const words = new Int32Array(size)
    let end = 0
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const at = this.#nameOf(number) & (from.length - 1)
      const count = wordCount(from[at] as number)
      words.set(from.subarray(at, at + count), end)
      this.#entries[FIELDS * (number & (this.#newest.length - 1)) + NAME] = end
      end += count
    }
    this.#words = words
    this.#wordsEnd = end
  }

  #nameOf(number: number): number {
    return this.#entries[FIELDS * (number & (this.#newest.length - 1)) + NAME] as number
  }

  /** Makes room for one more entry, or gives back what is not used. */
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
      this.#write(number, hash, entries[entry + NAME] as number, frames[slot] as number)
    }
  }
}

function grown(length: number): number {
  return length < SMALL_LENGTH ? 4 * length : 2 * length
}
