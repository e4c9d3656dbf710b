/**
 * Knows what comes again, exactly, and in a number of bytes that is fixed from the beginning.
 *
 * A frame is found by a hash of its name, and it is the name itself that is compared, then the frame: no hash can make
 * two frames equal. All of it stands in typed arrays: objects and texts would cost the collector more than all the
 * rest. Entries are numbered in the order received, so the oldest are forgotten by counting.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import { type FrameMemory, NOT_KEPT } from './frame-memory.ts'

/** What a frame is to the window. A conflict has the name of an earlier one, and another content. */
export type Verdict = 'new' | 'repeat' | 'conflict'

/** How {@link RepeatWindow} remembers. */
export interface RepeatWindowOptions<Frame> {
  readonly maxNames: number
  /** For the names, two bytes a UTF-16 unit; a power of two. */
  readonly nameBytes: number
  /** Of one window or of several. */
  readonly memory: FrameMemory<Frame>
  /** What a frame is to one that has the same name: `new` where it is another thing of that name. */
  readonly compare: (known: Frame, frame: Frame) => Verdict
  /** A name counts for as long as there is room for it, and is enough for a repeat once its frame is forgotten. */
  readonly nameIsEnough: boolean
  /** Where hashes begin: unknown to who sends the names. */
  readonly seed: number
}

const FNV_PRIME = 0x01_00_01_93
const NO_PLACE = -1
/** Of an entry: the number of the one before it with such a hash, the hash, and where the name is. */
const [BEFORE, HASH, PLACE, LENGTH, FIELDS] = [0, 1, 2, 3, 4]

/** Remembers frames, the last ones. */
export class RepeatWindow<Frame> {
  readonly #options: RepeatWindowOptions<Frame>
  readonly #names: Uint16Array
  #namesEnd = 0
  /** Numbers of the oldest entry and of the next one. */
  #oldest = 1
  #next = 1
  /** By hash: the number of the newest entry. */
  readonly #newest: Int32Array
  /** By entry, {@link FIELDS} each, side by side because they are looked at together. Numbers and places modulo 2^32. */
  readonly #entries: Int32Array
  readonly #frames: Float64Array

  constructor(options: RepeatWindowOptions<Frame>) {
    const slots = 2 ** Math.ceil(Math.log2(options.maxNames))
    this.#options = options
    this.#names = new Uint16Array(options.nameBytes / 2)
    this.#newest = new Int32Array(slots)
    this.#entries = new Int32Array(slots * FIELDS)
    this.#frames = new Float64Array(slots)
  }

  /**
   * Judges a frame of a batch and remembers it.
   *
   * @param name - An empty one names nothing: such a frame is always new.
   */
  judge(name: string, batch: MessageBatch<Frame>, index: number): Verdict {
    const place = this.#room(name.length)
    if (place === NO_PLACE) return 'new'
    const hash = this.#spell(place, name)
    const verdict = this.#compare(hash, place, name.length, batch.messages[index] as Frame)
    if (verdict === 'repeat') return verdict
    const { memory, nameIsEnough } = this.#options
    const frame = memory.keep(batch, index)
    if (frame !== NOT_KEPT || nameIsEnough) this.#add(hash, place, name.length, frame)
    return verdict
  }

  /** Remembers a name whose frame nobody knows any more. */
  know(name: string): void {
    const place = this.#room(name.length)
    if (place !== NO_PLACE) this.#add(this.#spell(place, name), place, name.length, NOT_KEPT)
  }

  /** Where the next name goes; those that stand there are forgotten. */
  #room(length: number): number {
    const size = this.#names.length
    if (length === 0 || length > size) return NO_PLACE
    const at = this.#namesEnd & (size - 1)
    if (at + length > size) this.#namesEnd += size - at
    const end = this.#namesEnd + length
    const mask = this.#newest.length - 1
    while (this.#oldest < this.#next) {
      const place = this.#entries[(this.#oldest & mask) * FIELDS + PLACE] as number
      if ((end - place) >>> 0 <= size) break
      this.#oldest += 1
    }
    return this.#namesEnd
  }

  /** Writes the name to its place. @returns Its hash. */
  #spell(place: number, name: string): number {
    const names = this.#names
    const at = place & (names.length - 1)
    let hash = this.#options.seed | 0
    for (let n = 0; n < name.length; n += 1) {
      const unit = name.charCodeAt(n)
      names[at + n] = unit
      hash = Math.imul(hash ^ unit, FNV_PRIME)
    }
    return hash ^ (hash >>> 15)
  }

  #compare(hash: number, place: number, length: number, frame: Frame): Verdict {
    const entries = this.#entries
    const mask = this.#newest.length - 1
    const count = this.#next - this.#oldest
    let verdict: Verdict = 'new'
    let at = 0
    let age = (this.#next - (this.#newest[hash & mask] as number)) >>> 0
    for (; age > 0 && age <= count; age = (this.#next - (entries[at + BEFORE] as number)) >>> 0) {
      const slot = (this.#next - age) & mask
      at = slot * FIELDS
      if (entries[at + HASH] !== hash || entries[at + LENGTH] !== length) continue
      if (!this.#sameName(entries[at + PLACE] as number, place, length)) continue
      const { memory, compare } = this.#options
      const known = this.#frames[slot] as number
      if (!memory.holds(known)) return verdict === 'conflict' ? verdict : 'repeat'
      const found = compare(memory.recall(known), frame)
      if (found === 'repeat') return found
      if (found === 'conflict') verdict = found
    }
    return verdict
  }

  #sameName(known: number, place: number, length: number): boolean {
    const names = this.#names
    const mask = names.length - 1
    const before = known & mask
    const at = place & mask
    for (let n = 0; n < length; n += 1) if (names[before + n] !== names[at + n]) return false
    return true
  }

  #add(hash: number, place: number, length: number, frame: number): void {
    const { maxNames, nameIsEnough, memory } = this.#options
    const entries = this.#entries
    const mask = this.#newest.length - 1
    const slot = this.#next & mask
    const at = slot * FIELDS
    entries[at + BEFORE] = this.#newest[hash & mask] as number
    entries[at + HASH] = hash
    entries[at + PLACE] = place
    entries[at + LENGTH] = length
    this.#newest[hash & mask] = this.#next
    this.#frames[slot] = frame
    this.#namesEnd = place + length
    this.#next += 1
    if (this.#next - this.#oldest > maxNames) this.#oldest += 1
    if (nameIsEnough) return
    while (!memory.holds(this.#frames[this.#oldest & mask] as number)) this.#oldest += 1
  }
}
