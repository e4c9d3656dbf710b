/**
 * A single-consumer async iterator over a queue. It starts on the first `next()` and ends on `return()`, abort or dispose.
 *
 * The first `for await`, `batches()` or `next()` binds it, because two loops would share the items between them.
 *
 * It is not an async generator, because `return()` of a generator waits for a pending `next()`: a loop without items could not be
 * ended. Also, `next()` returns a queued item in a promise that is already resolved.
 */
import type { OptionFailure } from '../options/failure.ts'
import { integer, readOptions } from '../options/schema.ts'
import type { AbortSignalLike, AsyncDisposableLike } from '../structural.ts'
import { abortReason, onAbort, throwIfAborted } from '../time/abort.ts'

/** A queue of items for one consumer. Subclasses implement the storage. */
export abstract class ItemSource<Item> {
  protected closed = false
  #failure: { readonly error: unknown } | undefined
  #consumer: (() => void) | undefined

  /** Number of queued items. */
  abstract get size(): number

  /** Removes and returns the first item. */
  abstract take(): Item | undefined

  /** Removes and returns up to `max` items; `undefined` if there is none. */
  takeMany(max: number): Item[] | undefined {
    const items: Item[] = []
    while (items.length < max && this.size > 0) items.push(this.take() as Item)
    return items.length === 0 ? undefined : items
  }

  /** Calls `callback` once, when there is an item or the queue is closed. The call is synchronous: no other item is queued before. */
  onFilled(callback: () => void): void {
    this.#consumer = callback
    this.wake()
  }

  /** Waits for an item. @returns `false` at the end. @throws The error given to `close()`, once. */
  async filled(): Promise<boolean> {
    await new Promise<void>((resolve) => this.onFilled(resolve))
    const failure = this.#failure
    if (this.size > 0 || failure === undefined) return this.size > 0
    this.#failure = undefined
    throw failure.error
  }

  /** Accepts no more items. The consumer gets the queued ones, then the end or this error. */
  close(failure?: { readonly error: unknown } | undefined): void {
    if (this.closed) return
    this.closed = true
    this.#failure = failure
    this.wake()
  }

  /** Closes, and drops the queued items and an error. */
  clear(): void {
    this.close()
    this.#failure = undefined
  }

  /** Subclasses call this for each item that they queue. */
  protected wake(): void {
    const consumer = this.#consumer
    if (consumer === undefined || (this.size === 0 && !this.closed)) return
    this.#consumer = undefined
    consumer()
  }
}

/** Fills an {@link ItemSource} while it is consumed. */
export interface Producer<Item, Batch extends readonly Item[] = readonly Item[]> {
  /** Ends the iteration from outside. A pending `next()` rejects with its reason. */
  readonly signal: AbortSignalLike | undefined
  /** Called before the first item. An error that it throws ends the iteration. */
  start(consumer: Consumer<Item, Batch>): void
  /** Stops producing. Called at every end, possibly more than once. */
  stop(): void
  /** Cleans up after the end; the consumer waits for it. Called once. */
  finish?: (() => Promise<void>) | undefined
  /** Called with each item that the consumer has handled, which means that it asked for the next one. */
  handled?: ((item: Item) => void) | undefined
  /** Creates a batch from an array of items. @defaultValue the array itself */
  batch?: ((items: Item[]) => Batch) | undefined
}

/** The items of a {@link Consumer} in arrays. `return()` ends the consumer. */
export interface Batches<Batch> extends AsyncIterableIterator<Batch>, AsyncDisposableLike {
  next(): Promise<IteratorResult<Batch, undefined>>
  return(): Promise<IteratorResult<Batch, undefined>>
  [Symbol.asyncIterator](): Batches<Batch>
}

/**
 * Items one by one, or in arrays. One consumer, one use: the first `for await`, `batches()` or `next()` binds it. A second
 * one throws, except that `for await` may follow `next()`.
 */
export interface Consumer<Item, Batch extends readonly Item[] = readonly Item[]>
  extends AsyncIterableIterator<Item>,
    AsyncDisposableLike {
  next(): Promise<IteratorResult<Item, undefined>>
  return(): Promise<IteratorResult<Item, undefined>>
  [Symbol.asyncIterator](): Consumer<Item, Batch>
  /** The same items in arrays. @throws The errors of {@link ConsumerErrors}. */
  batches(options?: { readonly maxItems?: number | undefined }): Batches<Batch>
}

/** Functions that create the errors of a consumer. */
export interface ConsumerErrors {
  /** For a wrong option of `batches()`. */
  readonly optionInvalid: OptionFailure
  /** For a second `for await`, `batches()` or, after `batches()`, `next()`. */
  readonly inUse: () => Error
  /** For a `for await` or `batches()` after the end. */
  readonly closed: () => Error
}

/** Creates the consumer of a queue that a producer fills. */
export function createConsumer<Item, Batch extends readonly Item[] = readonly Item[]>(
  source: ItemSource<Item>,
  producer: Producer<Item, Batch>,
  errors: ConsumerErrors,
): Consumer<Item, Batch> {
  return new ItemConsumer(source, producer, errors)
}

const BATCH_OPTIONS = { maxItems: integer({ min: 1, max: 1_000_000, default: 1024 }) }

class ItemConsumer<Item, Batch extends readonly Item[]> implements Consumer<Item, Batch> {
  readonly #source: ItemSource<Item>
  readonly #producer: Producer<Item, Batch>
  readonly #errors: ConsumerErrors
  /** How the consumer is read: `next()` may still become a loop. */
  #binding: 'none' | 'next' | 'loop' | 'batches' = 'none'
  #phase: 'new' | 'running' | 'left' = 'new'
  /** Returned by the last call, and handled as soon as there is another call. It is one item most of the time. */
  #inHand: Item | undefined
  #alsoInHand: readonly Item[] = []
  /** Number of pending calls. */
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  #finished: Promise<void> | undefined
  #stopListening = (): void => {}

  constructor(source: ItemSource<Item>, producer: Producer<Item, Batch>, errors: ConsumerErrors) {
    this.#source = source
    this.#producer = producer
    this.#errors = errors
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#binding === 'none') this.#binding = 'next'
    else if (this.#binding === 'batches' && this.#phase !== 'left')
      return Promise.reject(this.#errors.inUse())
    this.#handle()
    if (this.#waiting === 0 && this.#phase === 'running') {
      const value = this.#take()
      return value === undefined ? this.#handOver() : Promise.resolve({ done: false, value })
    }
    return this.#inTurn(() => this.#take())
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    const wasRunning = this.#phase === 'running'
    this.#phase = 'left'
    if (wasRunning) await this.#leave()
    // An error of `finish()` is reported by the first call only.
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
        this.#handle()
        return this.#inTurn(() => this.#takeBatch(maxItems))
      },
      return: () => this.return(),
      [Symbol.asyncIterator]: () => {
        if (this.#phase === 'left') throw this.#errors.closed()
        if (hasLoop) throw this.#errors.inUse()
        hasLoop = true
        return batches
      },
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
    return batches
  }

  #bind(reader: 'loop' | 'batches', mayFollow = false): void {
    if (this.#phase === 'left') throw this.#errors.closed()
    if (this.#binding !== 'none' && !mayFollow) throw this.#errors.inUse()
    this.#binding = reader
  }

  /** Synchronous: a consumer that asks for more has handled the items before, even if it ends the iteration next. */
  #handle(): void {
    const producer = this.#producer
    if (producer.handled === undefined || this.#phase !== 'running') return
    if (this.#inHand !== undefined) producer.handled(this.#inHand)
    this.#inHand = undefined
    if (this.#alsoInHand.length === 0) return
    for (const item of this.#alsoInHand) producer.handled(item)
    this.#alsoInHand = []
  }

  #take(): Item | undefined {
    const item = this.#source.take()
    if (this.#producer.handled === undefined || item === undefined) return item
    if (this.#inHand === undefined && this.#alsoInHand.length === 0) this.#inHand = item
    else this.#alsoInHand = [...this.#alsoInHand, item]
    return item
  }

  #takeBatch(maxItems: number): Batch | undefined {
    const items = this.#source.takeMany(maxItems)
    if (items === undefined) return undefined
    if (this.#producer.handled !== undefined) this.#alsoInHand = [...this.#alsoInHand, ...items]
    // Without the hook the array is the batch.
    return this.#producer.batch?.(items) ?? (items as readonly Item[] as Batch)
  }

  /** The result of a call while no other is pending: it resolves as soon as an item is queued. */
  #handOver(): Promise<IteratorResult<Item, undefined>> {
    this.#waiting += 1
    const result = new Promise<IteratorResult<Item, undefined>>((resolve) => {
      this.#source.onFilled(() => {
        const value = this.#take()
        if (value !== undefined) this.#waiting -= 1
        resolve(value === undefined ? this.#step(() => this.#take()) : { done: false, value })
      })
    })
    this.#turn = result
    return result
  }

  #inTurn<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    this.#waiting += 1
    const step = (): Promise<IteratorResult<T, undefined>> => this.#step(take)
    const result = this.#waiting === 1 ? step() : this.#turn.then(step, step)
    this.#turn = result
    return result
  }

  async #step<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    const { signal } = this.#producer
    try {
      if (this.#phase === 'new') this.#start()
      for (;;) {
        const value = take()
        if (value !== undefined) return { done: false, value }
        if (!(await this.#source.filled())) break
      }
    } catch (error) {
      // The first error wins.
      await this.#leave().catch(() => {})
      throw error
    } finally {
      this.#waiting -= 1
    }
    const aborted = this.#phase === 'running' && signal?.aborted === true
    await this.#leave()
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
    if (signal !== undefined) this.#stopListening = onAbort(signal, onAborted)
    this.#producer.start(this)
  }

  #leave(): Promise<void> {
    this.#phase = 'left'
    this.#stopListening()
    this.#producer.stop()
    this.#source.clear()
    this.#finished ??= this.#producer.finish?.() ?? Promise.resolve()
    return this.#finished
  }
}
