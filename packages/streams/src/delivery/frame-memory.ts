/**
 * The last frames received, by number: bounded in frames and in bytes.
 *
 * A frame is kept as the bytes it was read from, and decoded again when somebody asks for it, which is rare. They keep
 * alive all that one reading of the socket gave, so it is that which counts, and which is kept: it is one object for
 * the collector, where each frame would be one.
 */
import type { MessageBatch } from '../transport/message-batch.ts'

/** The number of a frame that is not kept. */
export const NOT_KEPT = 0

/** The objects around a chunk. */
const FRAME_BYTES = 128

export interface FrameMemoryOptions<Frame> {
  /** A power of two. */
  readonly maxFrames: number
  readonly maxBytes: number
  /** What a frame holds that was not read from bytes of ours. */
  readonly weigh: (frame: Frame) => number
}

/** Keeps frames; the oldest go first. */
export class FrameMemory<Frame> {
  readonly #options: FrameMemoryOptions<Frame>
  /** By number: what it was read from, or the frame itself. */
  readonly #kept: (ArrayBufferLike | Frame | undefined)[]
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #weights: Int32Array
  #oldest = 1
  #next = 1
  #bytes = 0
  #decode: MessageBatch<Frame>['decode']
  #last: ArrayBufferLike | Frame | undefined
  /** What the last frame was read from. */
  #source: Uint8Array | undefined
  #buffer: ArrayBufferLike | undefined

  constructor(options: FrameMemoryOptions<Frame>) {
    this.#options = options
    this.#kept = new Array(options.maxFrames).fill(undefined)
    this.#starts = new Int32Array(options.maxFrames)
    this.#ends = new Int32Array(options.maxFrames)
    this.#weights = new Int32Array(options.maxFrames)
  }

  /** @returns Its number, one more than that of the one before; {@link NOT_KEPT} where it alone is too much. */
  keep(batch: MessageBatch<Frame>, index: number): number {
    const { maxFrames, maxBytes, weigh } = this.#options
    const source = batch.sources[index]
    const frame = batch.messages[index] as Frame
    // To ask a `Buffer` for its memory is a call into the host.
    if (source !== this.#source) this.#buffer = source?.buffer
    this.#source = source
    const kept = this.#buffer ?? frame
    // Counted once, with the first of the frames from it that are kept one after the other.
    const weight =
      this.#buffer === undefined
        ? weigh(frame)
        : kept === this.#last
          ? 0
          : FRAME_BYTES + this.#buffer.byteLength
    if (weight > maxBytes) return NOT_KEPT
    while (this.#next - this.#oldest >= maxFrames || this.#bytes + weight > maxBytes) this.#forget()
    const slot = this.#next & (maxFrames - 1)
    const offset = source?.byteOffset ?? 0
    this.#kept[slot] = kept
    this.#last = kept
    this.#starts[slot] = offset + (batch.starts[index] as number)
    this.#ends[slot] = offset + (batch.ends[index] as number)
    this.#weights[slot] = weight
    this.#bytes += weight
    this.#decode = batch.decode ?? this.#decode
    this.#next += 1
    return this.#next - 1
  }

  holds(number: number): boolean {
    return number >= this.#oldest
  }

  recall(number: number): Frame {
    const slot = number & (this.#options.maxFrames - 1)
    const kept = this.#kept[slot]
    if (!(kept instanceof ArrayBuffer) || this.#decode === undefined) return kept as Frame
    return this.#decode(Buffer.from(kept), this.#starts[slot] as number, this.#ends[slot] as number)
  }

  #forget(): void {
    const slot = this.#oldest & (this.#options.maxFrames - 1)
    this.#kept[slot] = undefined
    this.#bytes -= this.#weights[slot] as number
    this.#oldest += 1
    if (this.#oldest === this.#next) this.#last = undefined
  }
}
