/**
 * A ring buffer of the last frames received, bounded in frames and in bytes.
 *
 * A frame is stored as its received bytes and decoded again on the rare occasions when it is needed. The
 * bytes are copied, because a reference would keep the whole chunk of the socket alive. Neighboring frames of
 * a batch are copied in one call. The memory grows and shrinks with the stored frames, because a process may
 * have a thousand quiet streams.
 */
import type { Decoder, MessageBatch } from '../transport/message-batch.ts'

/** The number of a frame that was not stored. */
export const NONE = 0
/** Size of a new ring, in bytes and in frames. */
const FIRST_BYTES = 2048
const FIRST_FRAMES = 8
/**
 * A full ring below this size grows to four times its size, because an allocation takes longer than a small
 * copy. A larger ring grows to twice its size.
 */
const SMALL_BYTES = 32 * 1024
/** A ring is halved if no more than this fraction of it is used. */
const SHRINK_AT = 1 / 8

export interface FrameRingBufferOptions<Frame> {
  /** The most frames that are stored; a power of two. */
  readonly maxFrames: number
  /** The most bytes of frames that are stored. */
  readonly maxBytes: number
  /** Decodes a stored frame from its bytes. */
  readonly decoder: Pick<Decoder<Frame>, 'decode'>
}

/** The last frames received, by number. */
export class FrameRingBuffer<Frame> {
  readonly #options: FrameRingBufferOptions<Frame>
  /** The bytes of the frames. A frame never wraps around the end of the ring. */
  #ring: Buffer
  /** Offset after the last frame. Modulo the size of the ring it is an index into the ring. */
  #end = 0
  /** Start and end offset of each frame. A frame has the slot of its number modulo the number of slots. */
  #ranges: Float64Array
  #oldest = 1
  #next = 1
  /** Id of the batch that was copied last. */
  #batch = 0
  /** Index of the first message of that batch that was not copied. */
  #copied = 0
  /**
   * The offset in the ring of a message that was copied last, minus its position in the memory of its chunk.
   */
  #shift = 0

  constructor(options: FrameRingBufferOptions<Frame>) {
    this.#options = options
    this.#ring = Buffer.allocUnsafeSlow(Math.min(FIRST_BYTES, options.maxBytes))
    this.#ranges = new Float64Array(2 * Math.min(FIRST_FRAMES, options.maxFrames))
  }

  /** Bytes allocated. */
  get allocatedBytes(): number {
    return this.#ring.length + this.#ranges.byteLength
  }

  /** Stores a message of a batch. @returns Its number: consecutive, or {@link NONE} if the message exceeds `maxBytes`. */
  store(batch: MessageBatch<unknown>, index: number): number {
    const { maxFrames, maxBytes } = this.#options
    const start = batch.startOf(index)
    const end = batch.endOf(index)
    if (end - start > maxBytes) return NONE
    if (batch.id !== this.#batch || index >= this.#copied) this.#copy(batch, index)
    const frames = this.#next - this.#oldest
    const { length } = this.#ranges
    if (frames >= maxFrames) this.#oldest += 1
    else if (2 * frames === length) this.#resizeRanges(2 * length)
    else if (length > 2 * FIRST_FRAMES && 2 * frames <= length * SHRINK_AT) this.#resizeRanges(length / 2)
    const range = this.#rangeIndex(this.#next)
    this.#ranges[range] = start + this.#shift
    this.#ranges[range + 1] = end + this.#shift
    this.#next += 1
    return this.#next - 1
  }

  /** Whether the frame is still stored. */
  has(number: number): boolean {
    return number >= this.#oldest
  }

  /** Decodes a stored frame. */
  load(number: number): Frame {
    const range = this.#rangeIndex(number)
    const start = this.#ranges[range] as number
    const end = this.#ranges[range + 1] as number
    const at = start % this.#ring.length
    return this.#options.decoder.decode(this.#ring, at, at + end - start)
  }

  /** Copies a message and the messages that follow it in the same memory, including the bytes between them. */
  #copy(batch: MessageBatch<unknown>, index: number): void {
    let chunk = batch.chunkOf(index)
    const { buffer } = chunk
    const first = batch.startOf(index)
    let end = batch.endOf(index)
    let next = index + 1
    for (; next < batch.messages.length; next += 1) {
      const other = batch.chunkOf(next)
      // Reading `buffer` of a `Buffer` is a call into the host, so it is avoided for the same chunk.
      if (other !== chunk && other.buffer !== buffer) break
      chunk = other
      const to = batch.endOf(next)
      if (batch.startOf(next) < end || to - first > this.#options.maxBytes) break
      end = to
    }
    const at = this.#reserve(end - first)
    this.#ring.set(new Uint8Array(buffer, first, end - first), at % this.#ring.length)
    this.#end = at + end - first
    this.#batch = batch.id
    this.#copied = next
    this.#shift = at - first
  }

  /**
   * Returns the offset for the next `count` bytes. Grows the ring, or discards the oldest frames if the ring
   * has its greatest size.
   */
  #reserve(count: number): number {
    const { maxBytes } = this.#options
    for (;;) {
      const size = this.#ring.length
      const isEmpty = this.#oldest === this.#next
      const oldest = isEmpty ? this.#end : (this.#ranges[this.#rangeIndex(this.#oldest)] as number)
      const used = this.#end - oldest + count
      if (size > FIRST_BYTES && used <= size * SHRINK_AT) {
        this.#resizeRing(size >>> 1)
        continue
      }
      const left = size - (this.#end % size)
      const start = count > left ? this.#end + left : this.#end
      if (count <= size && (isEmpty || start + count - oldest <= size)) return start
      if (size < maxBytes) this.#resizeRing(Math.min(size < SMALL_BYTES ? 4 * size : 2 * size, maxBytes))
      else this.#oldest += 1
    }
  }

  /** Copies the frames into a ring of another size. */
  #resizeRing(size: number): void {
    const from = this.#ring
    const ring = Buffer.allocUnsafeSlow(size)
    let end = 0
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const range = this.#rangeIndex(number)
      const at = (this.#ranges[range] as number) % from.length
      const length = (this.#ranges[range + 1] as number) - (this.#ranges[range] as number)
      ring.set(from.subarray(at, at + length), end)
      this.#ranges[range] = end
      end += length
      this.#ranges[range + 1] = end
    }
    this.#ring = ring
    this.#end = end
  }

  #resizeRanges(length: number): void {
    const from = this.#ranges
    const ranges = new Float64Array(length)
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const old = 2 * (number & (from.length / 2 - 1))
      const range = 2 * (number & (length / 2 - 1))
      ranges[range] = from[old] as number
      ranges[range + 1] = from[old + 1] as number
    }
    this.#ranges = ranges
  }

  #rangeIndex(number: number): number {
    return 2 * (number & (this.#ranges.length / 2 - 1))
  }
}
