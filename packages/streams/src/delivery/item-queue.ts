/**
 * The queue between the stream and its consumer, bounded by items and by bytes.
 *
 * At the bound the stream stops reading, and HTTP/2 flow control stops the service. Reading stops at seven eighths of the
 * bound and resumes at half of it, so that two sides of equal speed do not exchange items one by one. Notices are always
 * accepted: they are few, and none is produced while reading is stopped.
 */
import { Fifo, type InferFields, ItemSource, integer, onAbort } from '@brokerwire/core/internal'
import { ITEM_BYTES } from '../items/item-bytes.ts'

/** Schemas of the option `buffer`. */
export const BUFFER_OPTIONS = {
  maxItems: integer({ min: 1, max: 1_000_000, default: 256 }),
  maxBytes: integer({ min: 1, max: 0x7f_ff_ff_ff, default: 8 * 1024 * 1024 }),
}
export type BufferBounds = InferFields<typeof BUFFER_OPTIONS>

/** One producer, one consumer. */
export class ItemQueue<T> extends ItemSource<T> {
  readonly #bounds: BufferBounds
  readonly #fullItems: number
  readonly #fullBytes: number
  readonly #items = new Fifo<T>()
  readonly #sizes = new Fifo<number>()
  #bytes = 0
  #pushed = 0
  #full = false
  #readLimit = Number.POSITIVE_INFINITY
  /** The most bytes that a byte of a frame takes in an item: two, those of a UTF-16 unit. */
  bytesPerWireByte = 2
  readonly #producers = new Set<() => void>()

  constructor(bounds: BufferBounds) {
    super()
    this.#bounds = bounds
    this.#fullItems = Math.max(1, bounds.maxItems * 0.875)
    this.#fullBytes = bounds.maxBytes * 0.875
  }

  override get size(): number {
    return this.#items.size
  }

  /** The number of items that were ever queued. */
  get pushed(): number {
    return this.#pushed
  }

  get full(): boolean {
    return (this.#full || this.#readLimit <= 0) && !this.closed
  }

  /** How many frames may be read at once, and of how many bytes, so that their items stay within the bounds. */
  get capacity(): { readonly frames: number; readonly bytes: number } {
    const bytes = Math.max(0, this.#bounds.maxBytes - this.#bytes) / 2
    const frames = Math.min(
      this.#bounds.maxItems - this.size,
      Math.floor(bytes / ITEM_BYTES),
      this.#readLimit,
    )
    return { frames: Math.max(1, frames), bytes: bytes / this.bytesPerWireByte }
  }

  /** Adds an item. Ignored once closed. */
  push(item: T, bytes: number): void {
    if (this.closed) return
    this.#items.push(item)
    this.#sizes.push(bytes)
    this.#bytes += bytes
    this.#pushed += 1
    if (this.size >= this.#fullItems || this.#bytes >= this.#fullBytes) this.#full = true
    this.wake()
  }

  override take(): T | undefined {
    if (this.#items.size === 0) return undefined
    const item = this.#items.take()
    this.#bytes -= this.#sizes.take() as number
    if (this.#full) this.#release()
    return item
  }

  /** Limits how many more frames may be read, whatever the capacity. @returns Whether reading has just been stopped. */
  limitReads(frames: number): boolean {
    const was = this.#readLimit
    this.#readLimit = frames
    if (was <= 0 && frames > 0) this.#release()
    return was > 0 && frames <= 0
  }

  /** Resolves once the queue is no longer full, or this turn of the event loop is over. @returns Whether the queue is no longer full. */
  async drainedWithinTurn(): Promise<boolean> {
    await this.#drainedOr((done) => {
      const turn = setImmediate(done)
      return () => clearImmediate(turn)
    })
    return !this.full
  }

  /** Resolves once the queue is no longer full, or the signal aborts. */
  async drained(signal: AbortSignal): Promise<void> {
    if (this.full) await this.#drainedOr((done) => onAbort(signal, done))
  }

  #drainedOr(otherwise: (done: () => void) => () => void): Promise<void> {
    return new Promise((resolve) => {
      let stop = (): void => {}
      const done = (): void => {
        stop()
        this.#producers.delete(done)
        resolve()
      }
      this.#producers.add(done)
      stop = otherwise(done)
    })
  }

  override close(failure?: { readonly error: unknown }): void {
    super.close(failure)
    this.#release()
  }

  override clear(): void {
    this.#items.clear()
    this.#sizes.clear()
    this.#bytes = 0
    super.clear()
  }

  #release(): void {
    const { maxItems, maxBytes } = this.#bounds
    if (this.size <= maxItems / 2 && this.#bytes <= maxBytes / 2) this.#full = false
    if (!this.full) for (const resume of [...this.#producers]) resume()
  }
}
