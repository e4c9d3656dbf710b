/**
 * Knows what comes again, exactly, and in a bounded number of bytes.
 *
 * A frame is found by a hash of its name, and it is the name itself that is compared, then the frame: no hash can make
 * two frames equal. All of it stands in typed arrays: objects and texts would cost the collector more than all the
 * rest. Entries are numbered in the order received, so the oldest are forgotten by counting.
 */
import type { MessageBatch } from '../transport/message-batch.ts'
import { FIRST_BYTES, type FrameMemory, moveRing, NOT_KEPT } from './frame-memory.ts'
import type { SpelledName } from './spelled-name.ts'

/** What a frame is to the window. A conflict has the name of an earlier one, and another content. */
export type Verdict = 'new' | 'repeat' | 'conflict'

export interface RepeatWindowOptions<Frame> {
  /** At most 32,768. */
  readonly maxNames: number
  /** For the names, as {@link SpelledName} has them; a power of two. */
  readonly nameBytes: number
  /** Of one window or of several. */
  readonly memory: FrameMemory<Frame>
  /** What a frame is to one that has the same name: `new` where it is another thing of that name. */
  readonly compare: (known: Frame, frame: Frame) => Verdict
  /** A name counts for as long as there is room for it, and is enough for a repeat once its frame is forgotten. */
  readonly nameIsEnough: boolean
}

const LOW = 0xff_ff
const HAS_OLDER = 0x1_00_00

export class RepeatWindow<Frame> {
  readonly #options: RepeatWindowOptions<Frame>
  /** Names as {@link SpelledName} has them, in a ring that grows as it is used. */
  #words: Int32Array
  #wordsEnd = 0
  /** Numbers of the oldest entry and of the next one. */
  #oldest = 1
  #next = 1
  /**
   * By the lower bits of a hash: the number of the newest entry, whether there is an older one, and the upper bits of the
   * newest one's hash. Mostly no more is looked up at random, and that is what costs: memory that is not at hand.
   */
  readonly #newest: Int32Array
  /**
   * By entry: the upper half of its hash, with the number of the one before it whose hash has the same lower bits, and
   * where its name is, modulo 2^32.
   */
  readonly #entries: Int32Array
  /** By entry: the number of its frame. */
  readonly #frames: Float64Array

  constructor(options: RepeatWindowOptions<Frame>) {
    const slots = 2 ** Math.ceil(Math.log2(options.maxNames))
    this.#options = options
    this.#words = new Int32Array(Math.min(FIRST_BYTES, options.nameBytes) / 4)
    this.#newest = new Int32Array(slots)
    this.#entries = new Int32Array(2 * slots)
    this.#frames = new Float64Array(slots)
  }

  /** @param name - An empty one names nothing: such a frame is always new. */
  judge(name: SpelledName, frame: Frame): Verdict {
    if (!this.#canKnow(name)) return 'new'
    const { hash } = name
    const mask = this.#newest.length - 1
    const count = this.#next - this.#oldest
    const newest = this.#newest[hash & mask] as number
    let age = (this.#next - newest) & LOW
    if (age > count || ((newest & HAS_OLDER) === 0 && (newest ^ hash) >>> 17 !== 0)) return 'new'
    let verdict: Verdict = 'new'
    let before = 0
    // A number that is out of date may look like a later one: what follows it is not older then.
    while (age > before && age <= count) {
      const slot = (this.#next - age) & mask
      const link = this.#entries[2 * slot] as number
      before = age
      age = (this.#next - link) & LOW
      if ((link ^ hash) >>> 16 !== 0 || !this.#sameName(this.#entries[2 * slot + 1] as number, name)) continue
      const { memory, compare } = this.#options
      const known = this.#frames[slot] as number
      if (!memory.holds(known)) return verdict === 'conflict' ? verdict : 'repeat'
      const found = compare(memory.recall(known), frame)
      if (found === 'repeat') return found
      if (found === 'conflict') verdict = found
    }
    return verdict
  }

  /** Remembers a frame of a batch, which is no repeat, before the next one is judged. */
  remember(name: SpelledName, batch: MessageBatch<Frame>, index: number): void {
    if (!this.#canKnow(name)) return
    const { memory, nameIsEnough } = this.#options
    const frame = memory.keep(batch, index)
    if (frame !== NOT_KEPT || nameIsEnough) this.#add(name, frame)
  }

  know(name: SpelledName): void {
    if (this.#canKnow(name)) this.#add(name, NOT_KEPT)
  }

  #canKnow({ count }: SpelledName): boolean {
    return count > 1 && 4 * count <= this.#options.nameBytes
  }

  #sameName(place: number, name: SpelledName): boolean {
    const words = this.#words
    const known = place & (words.length - 1)
    for (let n = 0; n < name.count; n += 1) {
      if (words[known + n] !== name.words[n]) return false
    }
    return true
  }

  /** Where the next name goes. Those that stand there are forgotten where the ring may not be larger. */
  #room(count: number): number {
    for (;;) {
      const size = this.#words.length
      const at = this.#wordsEnd & (size - 1)
      const start = at + count > size ? this.#wordsEnd + size - at : this.#wordsEnd
      const oldest = this.#entries[2 * (this.#oldest & (this.#newest.length - 1)) + 1] as number
      const isFree = this.#oldest === this.#next || (start + count - oldest) >>> 0 <= size
      if (isFree && count <= size) return start
      if (4 * size < this.#options.nameBytes)
        this.#words = moveRing(this.#words, new Int32Array(2 * size), this.#wordsEnd)
      else this.#oldest += 1
    }
  }

  #add({ words: spelled, count, hash }: SpelledName, frame: number): void {
    const { maxNames, nameIsEnough, memory } = this.#options
    const place = this.#room(count)
    const words = this.#words
    const to = place & (words.length - 1)
    for (let n = 0; n < count; n += 1) words[to + n] = spelled[n] as number
    this.#wordsEnd = place + count
    const mask = this.#newest.length - 1
    const slot = this.#next & mask
    const before = (this.#newest[hash & mask] as number) & LOW
    const hasOlder = ((this.#next - before) & LOW) <= this.#next - this.#oldest
    this.#entries[2 * slot] = (hash & ~LOW) | before
    this.#entries[2 * slot + 1] = place
    this.#frames[slot] = frame
    this.#newest[hash & mask] = (hash & ~(HAS_OLDER | LOW)) | (hasOlder ? HAS_OLDER : 0) | (this.#next & LOW)
    this.#next += 1
    if (this.#next - this.#oldest > maxNames) this.#oldest += 1
    if (nameIsEnough) return
    while (!memory.holds(this.#frames[this.#oldest & mask] as number)) this.#oldest += 1
  }
}
