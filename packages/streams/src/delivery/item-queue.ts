/**
 * The queue between a stream and its consumer, bounded in items and in bytes.
 *
 * When the queue is full, the stream stops reading, and HTTP/2 flow control stops the service. Reading stops at seven eighths
 * of a bound and resumes at half of it: otherwise producer and consumer of equal speed would exchange items one by one.
 * Notices are always accepted, because they are few and none is created while reading is stopped.
 */
import { AsyncQueue, addAbortListener, type InferFields, integer, Queue } from '@brokerwire/core/internal'
import { ITEM_BYTES } from '../items/item-bytes.ts'

/** Schemas of the option `buffer`. */
export const BUFFER_OPTIONS = {
  maxItems: integer({ min: 1, max: 1_000_000, default: 256 }),
  maxBytes: integer({ min: 1, max: 0x7f_ff_ff_ff, default: 8 * 1024 * 1024 }),
}
/** The bounds of a queue. */
export type BufferBounds = InferFields<typeof BUFFER_OPTIONS>

/** A queue with one producer and one consumer. */
export class ItemQueue<T> extends AsyncQueue<T> {
  readonly #bounds: BufferBounds
  readonly #fullItems: number
  readonly #fullBytes: number
  readonly #items = new Queue<T>()
  readonly #sizes = new Queue<number>()
  /** Bytes of the queued items. */
  #bytes = 0
  #pushed = 0
  /** Whether the queue reached seven eighths of a bound, and has not drained to half of it since. */
  #full = false
  #readLimit = Number.POSITIVE_INFINITY
  /** The most memory in bytes that an item takes for each byte of its frame. By default two, for a UTF-16 unit. */
  bytesPerWireByte = 2
  /** Callbacks of the pending calls of `drained()` and `drainedWithinTurn()`. */
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

  /** Number of items queued since the start. */
  get pushed(): number {
    return this.#pushed
  }

  /** Whether reading must stop. */
  get full(): boolean {
    return (this.#full || this.#readLimit <= 0) && !this.closed
  }

  /**
   * The number of frames, and of bytes of frames, whose items still fit into the queue. `frames` is never 0.
   */
  get capacity(): { readonly frames: number; readonly bytes: number } {
    const bytes = Math.max(0, this.#bounds.maxBytes - this.#bytes) / 2
    const frames = Math.min(
      this.#bounds.maxItems - this.size,
      Math.floor(bytes / ITEM_BYTES),
      this.#readLimit,
    )
    return { frames: Math.max(1, frames), bytes: bytes / this.bytesPerWireByte }
  }

  /** Adds an item. Ignored after `close()`. */
  push(item: T, bytes: number): void {
    if (this.closed) return
    this.#items.push(item)
    this.#sizes.push(bytes)
    this.#bytes += bytes
    this.#pushed += 1
    if (this.size >= this.#fullItems || this.#bytes >= this.#fullBytes) this.#full = true
    this.wake()
  }

  override shift(): T | undefined {
    if (this.#items.size === 0) return undefined
    const item = this.#items.shift()
    this.#bytes -= this.#sizes.shift() as number
    if (this.#full) this.#release()
    return item
  }

  /**
   * Sets a limit for the frames that may be read, in addition to the capacity.
   * @returns Whether this call stopped reading.
   */
  limitReads(frames: number): boolean {
    const previous = this.#readLimit
    this.#readLimit = frames
    if (previous <= 0 && frames > 0) this.#release()
    return previous > 0 && frames <= 0
  }

  /** Resolves when the queue is no longer full, at the latest after this turn of the event loop. @returns Whether it is no longer full. */
  async drainedWithinTurn(): Promise<boolean> {
    await this.#waitForDrain((done) => {
      const turn = setImmediate(done)
      return () => clearImmediate(turn)
    })
    return !this.full
  }

  /** Resolves when the queue is no longer full or the signal aborts. */
  async drained(signal: AbortSignal): Promise<void> {
    if (this.full) await this.#waitForDrain((done) => addAbortListener(signal, done))
  }

  /**
   * @param startAlternative - Starts waiting for another event that also resolves the promise. Returns a
   * function that stops this wait.
   */
  #waitForDrain(startAlternative: (done: () => void) => () => void): Promise<void> {
    return new Promise((resolve) => {
      let stop = (): void => {}
      const done = (): void => {
        stop()
        this.#producers.delete(done)
        resolve()
      }
      this.#producers.add(done)
      stop = startAlternative(done)
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

  /** Resumes reading if the queue has drained far enough. */
  #release(): void {
    const { maxItems, maxBytes } = this.#bounds
    if (this.size <= maxItems / 2 && this.#bytes <= maxBytes / 2) this.#full = false
    if (!this.full) for (const resume of [...this.#producers]) resume()
  }
}
