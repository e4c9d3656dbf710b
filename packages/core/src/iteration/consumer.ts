/**
 * What is received, as its consumer holds it: begun by the first `next()`, left by leaving the loop, by a signal, or by
 * disposal, whichever comes first.
 *
 * Not an async generator: `return()` of one waits for the `next()` that is pending, so what does not come could not be
 * left. And what is queued is handed over in a promise that is resolved already: nothing is waited for.
 */
import type { OptionFailure } from '../options/failure.ts'
import { integer, readOptions } from '../options/schema.ts'
import type { AbortSignalLike, AsyncDisposableLike } from '../structural.ts'
import { abortReason, onAbort, throwIfAborted } from '../time/abort.ts'

/** Items that wait for one consumer. Whoever extends it says how they are kept. */
export abstract class ItemSource<Item> {
  protected closed = false
  #failure: { readonly error: unknown } | undefined
  #consumer: (() => void) | undefined

  /** How many wait. */
  abstract get size(): number

  /** Takes the next one out. */
  abstract take(): Item | undefined

  takeMany(max: number): Item[] | undefined {
    const items: Item[] = []
    while (items.length < max && this.size > 0) items.push(this.take() as Item)
    return items.length === 0 ? undefined : items
  }

  /** Calls once there is an item, or the end: right as it is taken in, before what is queued behind it. */
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

  /** No more items; the consumer gets what is queued, then the end, or this error. */
  close(failure?: { readonly error: unknown } | undefined): void {
    if (this.closed) return
    this.closed = true
    this.#failure = failure
    this.wake()
  }

  /** Closes, and drops what is queued, an error too. */
  clear(): void {
    this.close()
    this.#failure = undefined
  }

  /** To be called for each item that is taken in. */
  protected wake(): void {
    const consumer = this.#consumer
    if (consumer === undefined || (this.size === 0 && !this.closed)) return
    this.#consumer = undefined
    consumer()
  }
}

/** What fills an {@link ItemSource} while somebody consumes it. */
export interface Producer<Item, Batch extends readonly Item[] = readonly Item[]> {
  /** Ends it from outside. Whoever waits then is told its reason. */
  readonly signal: AbortSignalLike | undefined
  /** Before the first item. @throws Whatever keeps it from starting. */
  start(consumer: Consumer<Item, Batch>): void
  /** Nothing more is wanted. Called at every end, also more than once. */
  stop(): void
  /** What is still to be done after the end, which the consumer waits for. Called once. */
  finish?: (() => Promise<void>) | undefined
  /** The consumer asked for more, so this item was handled. */
  handled?: ((item: Item) => void) | undefined
  /** What arrays of items carry beside them. */
  batch?: ((items: Item[]) => Batch) | undefined
}

/** The items of a {@link Consumer} in arrays. Leaving it leaves the consumer. */
export interface Batches<Batch> extends AsyncIterableIterator<Batch>, AsyncDisposableLike {
  next(): Promise<IteratorResult<Batch, undefined>>
  return(): Promise<IteratorResult<Batch, undefined>>
  [Symbol.asyncIterator](): Batches<Batch>
}

/** Hands over what waits, alone or in arrays. One consumer, one use. */
export interface Consumer<Item, Batch extends readonly Item[] = readonly Item[]>
  extends AsyncIterableIterator<Item>,
    AsyncDisposableLike {
  next(): Promise<IteratorResult<Item, undefined>>
  return(): Promise<IteratorResult<Item, undefined>>
  [Symbol.asyncIterator](): Consumer<Item, Batch>
  /** The same items in arrays. @throws What the function for options that are wrong makes. */
  batches(options?: { readonly maxItems?: number | undefined }): Batches<Batch>
}

/** The consumer of what a producer fills. @param fail - For the options of `batches()`. */
export function createConsumer<Item, Batch extends readonly Item[] = readonly Item[]>(
  source: ItemSource<Item>,
  producer: Producer<Item, Batch>,
  fail: OptionFailure,
): Consumer<Item, Batch> {
  return new ItemConsumer(source, producer, fail)
}

const BATCH_OPTIONS = { maxItems: integer({ min: 1, max: 1_000_000, default: 1024 }) }

class ItemConsumer<Item, Batch extends readonly Item[]> implements Consumer<Item, Batch> {
  readonly #source: ItemSource<Item>
  readonly #producer: Producer<Item, Batch>
  readonly #fail: OptionFailure
  #phase: 'new' | 'running' | 'left' = 'new'
  /** Handed over since the last call: handled, as soon as somebody asks for more. Most often it is one item. */
  #inHand: Item | undefined
  #alsoInHand: readonly Item[] = []
  /** Calls that wait their turn. */
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  #finished: Promise<void> | undefined
  #stopListening = (): void => {}

  constructor(source: ItemSource<Item>, producer: Producer<Item, Batch>, fail: OptionFailure) {
    this.#source = source
    this.#producer = producer
    this.#fail = fail
  }

  next(): Promise<IteratorResult<Item, undefined>> {
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
    // Whoever left it first is told what went wrong.
    else await this.#finished?.catch(() => {})
    this.#source.clear()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): Batches<Batch> {
    const { maxItems } = readOptions(this.#fail, options, BATCH_OPTIONS)
    const batches: Batches<Batch> = {
      next: () => {
        this.#handle()
        return this.#inTurn(() => this.#takeBatch(maxItems))
      },
      return: () => this.return(),
      [Symbol.asyncIterator]: () => batches,
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
    return batches
  }

  /** Right at the call: a consumer that asks for more has handled what it was given, also where it leaves next. */
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
    // Without that hook a batch is no more than the array.
    return this.#producer.batch?.(items) ?? (items as readonly Item[] as Batch)
  }

  /** Nobody else waits: the next item is handed over as it is queued. */
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
      // The first failure is the one to tell.
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
