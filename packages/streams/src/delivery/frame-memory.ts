/**
 * The last frames received, by number: bounded in frames and in bytes.
 *
 * A frame is kept as the bytes it was read from, and decoded again when somebody asks for it, which is rare. They keep
 * alive all that one reading of the socket gave, so it is that chunk which counts, and which is kept, once for all of its
 * frames: it is one object for the collector, where each frame would be one.
 */
import type { Decode, MessageBatch } from '../transport/message-batch.ts'

/** The number of a frame that is not kept. */
export const NOT_KEPT = 0

/** The objects around a chunk. */
const CHUNK_BYTES = 128

export interface FrameMemoryOptions<Frame> {
  /** A power of two. */
  readonly maxFrames: number
  readonly maxBytes: number
  readonly decode: Decode<Frame>
}

export class FrameMemory<Frame> {
  readonly #options: FrameMemoryOptions<Frame>
  /** By number, modulo the most frames there can be. */
  readonly #chunks: (ArrayBufferLike | undefined)[]
  #chunk = 0
  /** By frame, modulo as many: the number of its chunk, and where it begins and ends there. */
  readonly #places: Int32Array
  #oldest = 1
  #next = 1
  #bytes = 0
  /** What the last frame was read from, and whose memory that is. */
  #source: Uint8Array | undefined
  #buffer: ArrayBufferLike | undefined

  constructor(options: FrameMemoryOptions<Frame>) {
    this.#options = options
    this.#chunks = new Array(options.maxFrames).fill(undefined)
    this.#places = new Int32Array(3 * options.maxFrames)
  }

  /** @returns Its number, one more than that of the one before; {@link NOT_KEPT} where it alone is too much. */
  keep(batch: MessageBatch<unknown>, index: number): number {
    const { maxFrames } = this.#options
    const source = batch.sources[index] as Uint8Array
    // To ask a `Buffer` for its memory is a call into the host.
    if (source !== this.#source) this.#buffer = source.buffer
    this.#source = source
    if (this.#buffer !== this.#chunks[this.#chunk] && !this.#keepChunk(this.#buffer as ArrayBufferLike)) {
      return NOT_KEPT
    }
    if (this.#next - this.#oldest >= maxFrames) this.#forget()
    const place = 3 * (this.#next & (maxFrames - 1))
    this.#places[place] = this.#chunk
    this.#places[place + 1] = source.byteOffset + (batch.starts[index] as number)
    this.#places[place + 2] = source.byteOffset + (batch.ends[index] as number)
    this.#next += 1
    return this.#next - 1
  }

  holds(number: number): boolean {
    return number >= this.#oldest
  }

  /** A frame that it holds. */
  recall(number: number): Frame {
    const place = 3 * (number & (this.#options.maxFrames - 1))
    const [chunk, start, end] = this.#places.subarray(place, place + 3) as unknown as [number, number, number]
    return this.#options.decode(Buffer.from(this.#chunks[chunk] as ArrayBufferLike), start, end)
  }

  /** @returns Whether there can be room for it. */
  #keepChunk(buffer: ArrayBufferLike): boolean {
    const { maxFrames, maxBytes } = this.#options
    const bytes = CHUNK_BYTES + buffer.byteLength
    if (bytes > maxBytes) return false
    while (this.#bytes + bytes > maxBytes || this.#next - this.#oldest >= maxFrames) this.#forget()
    this.#bytes += bytes
    this.#chunk = (this.#chunk + 1) & (maxFrames - 1)
    this.#chunks[this.#chunk] = buffer
    return true
  }

  /** The oldest frame, with its chunk where it is the last one of that. */
  #forget(): void {
    const { maxFrames } = this.#options
    const chunk = this.#places[3 * (this.#oldest & (maxFrames - 1))] as number
    this.#oldest += 1
    const next = this.#places[3 * (this.#oldest & (maxFrames - 1))]
    if (this.#oldest < this.#next && next === chunk) return
    this.#bytes -= CHUNK_BYTES + (this.#chunks[chunk] as ArrayBufferLike).byteLength
    this.#chunks[chunk] = undefined
  }
}
