/**
 * The last frames received, by number: bounded in frames and in bytes.
 *
 * A frame is kept as the bytes it was read from, and decoded again when somebody asks for it, which is rare. They are
 * copied: what the socket was read into would be kept alive whole, and outlive the collector's short rounds. Frames that came
 * together are copied together. The room for them grows as it is used: less of it stays closer to the processor.
 */
import type { Decoder, MessageBatch } from '../transport/message-batch.ts'

/** The number of a frame that is not kept. */
export const NOT_KEPT = 0
/** Of the room for frames, and for names. */
export const FIRST_BYTES = 64 * 1024

/**
 * Moves what is in a ring into one of twice its length. Numbers of places stay: what lies in one piece in a ring does so
 * in one of twice its length.
 *
 * @param end - How far it was written, counted on from round to round.
 */
export function moveRing<Ring extends Uint8Array | Int32Array>(ring: Ring, twice: Ring, end: number): Ring {
  for (let at = Math.max(0, end - ring.length); at < end; ) {
    const from = at % ring.length
    const count = Math.min(end - at, ring.length - from)
    twice.set(ring.subarray(from, from + count), at % twice.length)
    at += count
  }
  return twice
}

export interface FrameMemoryOptions<Frame> {
  /** A power of two. */
  readonly maxFrames: number
  /** 64 KiB times a power of two, or less. */
  readonly maxBytes: number
  readonly decoder: Pick<Decoder<Frame>, 'decode'>
}

export class FrameMemory<Frame> {
  readonly #options: FrameMemoryOptions<Frame>
  /** A ring, in which each frame lies in one piece. */
  #ring: Buffer
  /** How far it was written, counted on from round to round. */
  #end = 0
  /** By frame, modulo the most there can be: where it begins and ends, counted alike. */
  readonly #places: Float64Array
  #oldest = 1
  #next = 1
  /** What was copied last: of which batch, up to which message, and by how much it was moved. */
  #batch = 0
  #copied = 0
  #moved = 0

  constructor(options: FrameMemoryOptions<Frame>) {
    this.#options = options
    this.#ring = Buffer.alloc(Math.min(FIRST_BYTES, options.maxBytes))
    this.#places = new Float64Array(2 * options.maxFrames)
  }

  /** @returns Its number, one more than that of the one before; {@link NOT_KEPT} where it alone is too much. */
  keep(batch: MessageBatch<unknown>, index: number): number {
    const { maxFrames, maxBytes } = this.#options
    const start = batch.startOf(index)
    const end = batch.endOf(index)
    if (end - start > maxBytes) return NOT_KEPT
    if (batch.number !== this.#batch || index >= this.#copied) this.#copy(batch, index)
    if (this.#next - this.#oldest >= maxFrames) this.#oldest += 1
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
  recall(number: number): Frame {
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
    this.#batch = batch.number
    this.#copied = next
    this.#moved = at - first
  }

  /** Where so many bytes go. Frames that stand there are forgotten where the ring may not be larger. */
  #room(count: number): number {
    for (;;) {
      const size = this.#ring.length
      const left = size - (this.#end % size)
      const start = count > left ? this.#end + left : this.#end
      const oldest = this.#places[this.#placeOf(this.#oldest)] as number
      const isFree = this.#oldest === this.#next || oldest >= start + count - size
      if (isFree && count <= size) return start
      if (size < this.#options.maxBytes) this.#ring = moveRing(this.#ring, Buffer.alloc(2 * size), this.#end)
      else this.#oldest += 1
    }
  }

  #placeOf(number: number): number {
    return 2 * (number & (this.#options.maxFrames - 1))
  }
}
