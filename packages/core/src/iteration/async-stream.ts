/**
 * A single-consumer async iterator over a queue. It starts on the first `next()` and ends on `return()`,
 * abort or dispose. The first `for await`, `batches()` or `next()` binds it: a second loop is rejected,
 * because each loop would get only a part of the items.
 *
 * It is not an async generator, because `return()` of a generator waits for a pending `next()`, so a loop
 * that waits for an item could not be ended. Also, unlike that of a generator, `next()` returns a queued item
 * in a promise that is already resolved.
 */
import type { OptionFailure } from '../options/failure.ts'
import { integer, readOptions } from '../options/schema.ts'
import type { AbortSignalLike, AsyncDisposableLike } from '../structural.ts'
import { abortReason, addAbortListener, throwIfAborted } from '../time/abort.ts'

/** A queue of items for one consumer. Subclasses implement the storage. */
export abstract class AsyncQueue<Item> {
  protected closed = false
  #failure: { readonly error: unknown } | undefined
  #consumer: (() => void) | undefined

  /** Number of queued items. */
  abstract get size(): number

  /** Removes and returns the first item. */
  abstract shift(): Item | undefined

  /** Removes and returns up to `max` items; `undefined` if the queue is empty. */
  shiftMany(max: number): Item[] | undefined {
    const items: Item[] = []
    while (items.length < max && this.size > 0) items.push(this.shift() as Item)
    return items.length === 0 ? undefined : items
  }

  /**
   * Calls `callback` once when there is an item or the queue is closed. The call is synchronous, so no
   * further item is queued between the event and the call.
   */
  onReadable(callback: () => void): void {
    this.#consumer = callback
    this.wake()
  }

  /**
   * Waits for an item.
   *
   * @returns Whether there is an item; `false` at the end of the queue.
   * @throws The error that was passed to `close()`, on the first call after the last item.
   */
  async readable(): Promise<boolean> {
    await new Promise<void>((resolve) => this.onReadable(resolve))
    const failure = this.#failure
    if (this.size > 0 || failure === undefined) return this.size > 0
    this.#failure = undefined
    throw failure.error
  }

  /**
   * Accepts no more items. The consumer gets the queued items, and then the end or the error in `failure`.
   */
  close(failure?: { readonly error: unknown } | undefined): void {
    if (this.closed) return
    this.closed = true
    this.#failure = failure
    this.wake()
  }

  /** Closes the queue, and discards the queued items and the error of `close()`. */
  clear(): void {
    this.close()
    this.#failure = undefined
  }

  /**
   * Calls the waiting consumer, if there is one. Subclasses call this method for each item that they queue.
   */
  protected wake(): void {
    const consumer = this.#consumer
    if (consumer === undefined || (this.size === 0 && !this.closed)) return
    this.#consumer = undefined
    consumer()
  }
}

/** Fills an {@link AsyncQueue} while it is consumed. */
export interface Producer<Item, Batch extends readonly Item[] = readonly Item[]> {
  /** Ends the iteration when it aborts. A pending `next()` then rejects with the reason of the signal. */
  readonly signal: AbortSignalLike | undefined
  /** Called before the first item. An error that it throws ends the iteration. */
  start(stream: AsyncStream<Item, Batch>): void
  /** Stops producing. Called at every end, possibly more than once. */
  stop(): void
  /**
   * Releases resources after the end. `return()` and the last `next()` wait for it. Called once. @defaultValue
   * none
   */
  teardown?: (() => Promise<void>) | undefined
  /**
   * Called with each item that the caller has consumed. An item is consumed when the caller requests the next
   * one.
   * @defaultValue none
   */
  onConsumed?: ((item: Item) => void) | undefined
  /** Creates a batch from an array of items. @defaultValue the array itself */
  batch?: ((items: Item[]) => Batch) | undefined
}

/** The items of an {@link AsyncStream} in arrays. `return()` ends the stream. */
export interface Batches<Batch> extends AsyncIterableIterator<Batch>, AsyncDisposableLike {
  /** Returns the next batch, which has at least one item. The items of the previous batch are then consumed. */
  next(): Promise<IteratorResult<Batch, undefined>>
  /** Ends the stream, as the end of a loop does. */
  return(): Promise<IteratorResult<Batch, undefined>>
  /** Returns the batches themselves, for one `for await`. */
  [Symbol.asyncIterator](): Batches<Batch>
}

/**
 * Items one by one, or in arrays. A stream is read once: the first `for await`, `batches()` or `next()` binds it. A second
 * `for await` or `batches()` throws, except that `for await` may follow `next()`.
 */
export interface AsyncStream<Item, Batch extends readonly Item[] = readonly Item[]>
  extends AsyncIterableIterator<Item>,
    AsyncDisposableLike {
  /** Returns the next item. The previous item is then consumed. The first call starts the stream. */
  next(): Promise<IteratorResult<Item, undefined>>
  /** Ends the stream, as the end of a loop does. */
  return(): Promise<IteratorResult<Item, undefined>>
  /** Returns the stream itself, for one `for await`. */
  [Symbol.asyncIterator](): AsyncStream<Item, Batch>
  /**
   * Returns the same items in arrays, and binds the stream.
   *
   * @param options - `maxItems`: the maximum number of items in a batch. Default: 1024.
   * @throws An error of the package if the option is invalid, or if the stream is in use or has ended.
   */
  batches(options?: { readonly maxItems?: number | undefined }): Batches<Batch>
}

/** Functions that create the errors of a stream. */
export interface AsyncStreamErrors {
  /** Creates the error for an invalid option of `batches()`. */
  readonly optionInvalid: OptionFailure
  /** Creates the error for a second `for await` or `batches()`, or for `next()` after `batches()`. */
  readonly inUse: () => Error
  /** Creates the error for a `for await` or `batches()` after the end. */
  readonly closed: () => Error
}

/** Creates the stream of a queue that a producer fills. */
export function createAsyncStream<Item, Batch extends readonly Item[] = readonly Item[]>(
  source: AsyncQueue<Item>,
  producer: Producer<Item, Batch>,
  errors: AsyncStreamErrors,
): AsyncStream<Item, Batch> {
  return new QueueStream(source, producer, errors)
}

const BATCH_OPTIONS = { maxItems: integer({ min: 1, max: 1_000_000, default: 1024 }) }

class QueueStream<Item, Batch extends readonly Item[]> implements AsyncStream<Item, Batch> {
  readonly #source: AsyncQueue<Item>
  readonly #producer: Producer<Item, Batch>
  readonly #errors: AsyncStreamErrors
  /** How the stream is read. After `next()`, a `for await` loop may still be started. */
  #binding: 'none' | 'next' | 'loop' | 'batches' = 'none'
  #phase: 'new' | 'running' | 'closed' = 'new'
  /**
   * Items that the last calls returned. The next call counts them as consumed. In most cases there is only
   * one item; further items are in `#alsoDelivered`.
   */
  #delivered: Item | undefined
  #alsoDelivered: readonly Item[] = []
  /** Number of pending calls. */
  #waiting = 0
  #tail: Promise<unknown> = Promise.resolve()
  #finished: Promise<void> | undefined
  #stopListening = (): void => {}

  constructor(source: AsyncQueue<Item>, producer: Producer<Item, Batch>, errors: AsyncStreamErrors) {
    this.#source = source
    this.#producer = producer
    this.#errors = errors
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#binding === 'none') this.#binding = 'next'
    else if (this.#binding === 'batches' && this.#phase !== 'closed')
      return Promise.reject(this.#errors.inUse())
    this.#consumeDelivered()
    if (this.#waiting === 0 && this.#phase === 'running') {
      const value = this.#shift()
      return value === undefined ? this.#resolveNext() : Promise.resolve({ done: false, value })
    }
    return this.#enqueueCall(() => this.#shift())
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    const wasRunning = this.#phase === 'running'
    this.#phase = 'closed'
    if (wasRunning) await this.#close()
    // Only the first call throws an error of `teardown()`.
    else await this.#finished?.catch(() => {})
    this.#source.clear()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    this.#bind('loop', this.#binding === 'next')
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): Batches<Batch> {
    const { maxItems } = readOptions(this.#errors.optionInvalid, options, BATCH_OPTIONS)
    this.#bind('batches')
    let hasLoop = false
    const batches: Batches<Batch> = {
      next: () => {
        this.#consumeDelivered()
        return this.#enqueueCall(() => this.#shiftBatch(maxItems))
      },
      return: () => this.return(),
      [Symbol.asyncIterator]: () => {
        if (this.#phase === 'closed') throw this.#errors.closed()
        if (hasLoop) throw this.#errors.inUse()
        hasLoop = true
        return batches
      },
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
    return batches
  }

  #bind(reader: 'loop' | 'batches', mayFollow = false): void {
    if (this.#phase === 'closed') throw this.#errors.closed()
    if (this.#binding !== 'none' && !mayFollow) throw this.#errors.inUse()
    this.#binding = reader
  }

  /**
   * Reports the delivered items as consumed. This happens synchronously in each call for more items, because
   * its caller has consumed the earlier ones even if this call ends the iteration.
   */
  #consumeDelivered(): void {
    const producer = this.#producer
    if (producer.onConsumed === undefined || this.#phase !== 'running') return
    if (this.#delivered !== undefined) producer.onConsumed(this.#delivered)
    this.#delivered = undefined
    if (this.#alsoDelivered.length === 0) return
    for (const item of this.#alsoDelivered) producer.onConsumed(item)
    this.#alsoDelivered = []
  }

  #shift(): Item | undefined {
    const item = this.#source.shift()
    if (this.#producer.onConsumed === undefined || item === undefined) return item
    if (this.#delivered === undefined && this.#alsoDelivered.length === 0) this.#delivered = item
    else this.#alsoDelivered = [...this.#alsoDelivered, item]
    return item
  }

  #shiftBatch(maxItems: number): Batch | undefined {
    const items = this.#source.shiftMany(maxItems)
    if (items === undefined) return undefined
    if (this.#producer.onConsumed !== undefined) this.#alsoDelivered = [...this.#alsoDelivered, ...items]
    // If the producer has no `batch` function, the array itself is the batch.
    return this.#producer.batch?.(items) ?? (items as readonly Item[] as Batch)
  }

  /**
   * Returns the result of a call while no other call is pending. The promise resolves when an item is queued.
   */
  #resolveNext(): Promise<IteratorResult<Item, undefined>> {
    this.#waiting += 1
    const result = new Promise<IteratorResult<Item, undefined>>((resolve) => {
      this.#source.onReadable(() => {
        const value = this.#shift()
        if (value !== undefined) this.#waiting -= 1
        resolve(value === undefined ? this.#step(() => this.#shift()) : { done: false, value })
      })
    })
    this.#tail = result
    return result
  }

  #enqueueCall<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    this.#waiting += 1
    const step = (): Promise<IteratorResult<T, undefined>> => this.#step(take)
    const result = this.#waiting === 1 ? step() : this.#tail.then(step, step)
    this.#tail = result
    return result
  }

  async #step<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    const { signal } = this.#producer
    try {
      if (this.#phase === 'new') this.#start()
      for (;;) {
        const value = take()
        if (value !== undefined) return { done: false, value }
        if (!(await this.#source.readable())) break
      }
    } catch (error) {
      // Only the first error is thrown. An error of the teardown is ignored.
      await this.#close().catch(() => {})
      throw error
    } finally {
      this.#waiting -= 1
    }
    const aborted = this.#phase === 'running' && signal?.aborted === true
    await this.#close()
    if (aborted) throw abortReason(signal)
    return { done: true, value: undefined }
  }

  #start(): void {
    const { signal } = this.#producer
    throwIfAborted(signal)
    this.#phase = 'running'
    const onAborted = (): void => {
      this.#producer.stop()
      this.#source.clear()
    }
    if (signal !== undefined) this.#stopListening = addAbortListener(signal, onAborted)
    this.#producer.start(this)
  }

  #close(): Promise<void> {
    this.#phase = 'closed'
    this.#stopListening()
    this.#producer.stop()
    this.#source.clear()
    this.#finished ??= this.#producer.teardown?.() ?? Promise.resolve()
    return this.#finished
  }
}
