/**
 * The last frames received, by number: bounded in frames and in bytes.
 *
 * A frame is kept as the bytes it was read from, and decoded again when somebody asks for it, which is rare. They are
 * copied: what the socket was read into would be kept alive whole, and outlive the collector's short rounds. Frames that came
 * together are copied together. The memory grows with what is kept, because a process may hold a thousand quiet streams, and
 * shrinks again when the frames become smaller.
 */
import type { Decoder, MessageBatch } from '../transport/message-batch.ts'

/** The number of a frame that is not kept. */
export const NONE = 0
/** Size of an empty ring. */
const FIRST_BYTES = 2048
const FIRST_FRAMES = 8
/** A full ring smaller than this grows to four times its size, a larger one to twice: a new array buffer costs more than a small copy. */
const SMALL_BYTES = 32 * 1024
/** A ring is halved when no more than this part of it is used. */
const SHRINK_AT = 1 / 8

export interface FrameRingBufferOptions<Frame> {
  /** A power of two. */
  readonly maxFrames: number
  readonly maxBytes: number
  readonly decoder: Pick<Decoder<Frame>, 'decode'>
}

export class FrameRingBuffer<Frame> {
  readonly #options: FrameRingBufferOptions<Frame>
  /** A ring, in which each frame lies in one piece. */
  #ring: Buffer
  /** Bytes written so far: the offset in the ring, plus its length for each round. */
  #end = 0
  /** Start and end of each frame, counted like `#end`, by number modulo the frames that fit. */
  #places: Float64Array
  #oldest = 1
  #next = 1
  /** What was copied last: of which batch, up to which message, and by how much it was moved. */
  #batch = 0
  #copied = 0
  #moved = 0

  constructor(options: FrameRingBufferOptions<Frame>) {
    this.#options = options
    this.#ring = Buffer.allocUnsafeSlow(Math.min(FIRST_BYTES, options.maxBytes))
    this.#places = new Float64Array(2 * Math.min(FIRST_FRAMES, options.maxFrames))
  }

  /** Bytes allocated. */
  get allocatedBytes(): number {
    return this.#ring.length + this.#places.byteLength
  }

  /** @returns Its number, one more than that of the one before; {@link NONE} where it alone is too much. */
  store(batch: MessageBatch<unknown>, index: number): number {
    const { maxFrames, maxBytes } = this.#options
    const start = batch.startOf(index)
    const end = batch.endOf(index)
    if (end - start > maxBytes) return NONE
    if (batch.id !== this.#batch || index >= this.#copied) this.#copy(batch, index)
    const frames = this.#next - this.#oldest
    const { length } = this.#places
    if (frames >= maxFrames) this.#oldest += 1
    else if (2 * frames === length) this.#resizePlaces(2 * length)
    else if (length > 2 * FIRST_FRAMES && 2 * frames <= length * SHRINK_AT) this.#resizePlaces(length / 2)
    const place = this.#placeOf(this.#next)
    this.#places[place] = start + this.#moved
    this.#places[place + 1] = end + this.#moved
    this.#next += 1
    return this.#next - 1
  }

  holds(number: number): boolean {
    return number >= this.#oldest
  }

  /** A frame that it holds. */
  load(number: number): Frame {
    const place = this.#placeOf(number)
    const start = this.#places[place] as number
    const end = this.#places[place + 1] as number
    const at = start % this.#ring.length
    return this.#options.decoder.decode(this.#ring, at, at + end - start)
  }

  /** A message, and those behind it in the same memory, with what stands between them. */
  #copy(batch: MessageBatch<unknown>, index: number): void {
    let chunk = batch.chunkOf(index)
    const { buffer } = chunk
    const first = batch.startOf(index)
    let end = batch.endOf(index)
    let next = index + 1
    for (; next < batch.messages.length; next += 1) {
      const other = batch.chunkOf(next)
      // To ask a `Buffer` for its memory is a call into the host.
      if (other !== chunk && other.buffer !== buffer) break
      chunk = other
      const to = batch.endOf(next)
      if (batch.startOf(next) < end || to - first > this.#options.maxBytes) break
      end = to
    }
    const at = this.#room(end - first)
    this.#ring.set(new Uint8Array(buffer, first, end - first), at % this.#ring.length)
    this.#end = at + end - first
    this.#batch = batch.id
    this.#copied = next
    this.#moved = at - first
  }

  /** Returns where so many bytes go. The oldest frames are forgotten if the ring must not grow. */
  #room(count: number): number {
    const { maxBytes } = this.#options
    for (;;) {
      const size = this.#ring.length
      const isEmpty = this.#oldest === this.#next
      const oldest = isEmpty ? this.#end : (this.#places[this.#placeOf(this.#oldest)] as number)
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

  /** Copies the frames to the start of a ring of another size. */
  #resizeRing(size: number): void {
    const from = this.#ring
    const ring = Buffer.allocUnsafeSlow(size)
    let end = 0
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const place = this.#placeOf(number)
      const at = (this.#places[place] as number) % from.length
      const length = (this.#places[place + 1] as number) - (this.#places[place] as number)
      ring.set(from.subarray(at, at + length), end)
      this.#places[place] = end
      end += length
      this.#places[place + 1] = end
    }
    this.#ring = ring
    this.#end = end
  }

  #resizePlaces(length: number): void {
    const from = this.#places
    const places = new Float64Array(length)
    for (let number = this.#oldest; number < this.#next; number += 1) {
      const old = 2 * (number & (from.length / 2 - 1))
      const place = 2 * (number & (length / 2 - 1))
      places[place] = from[old] as number
      places[place + 1] = from[old + 1] as number
    }
    this.#places = places
  }

  #placeOf(number: number): number {
    return 2 * (number & (this.#places.length / 2 - 1))
  }
}
