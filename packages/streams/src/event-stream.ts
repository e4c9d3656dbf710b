/**
 * What a caller iterates over: started by the first `next()`, stopped by leaving the loop, by the signal, or by
 * disposal, whichever comes first.
 *
 * Not an async generator: `return()` of one waits for the `next()` that is pending, so a stream without events could
 * not be left. And what is queued is handed over in a promise that is resolved already: nothing is waited for.
 */
import { type AsyncDisposableLike, integerRow, onAbort, readOptions, readSignal } from '@brokerwire/core'
import type { ItemQueue } from './delivery/item-queue.ts'
import type { OpenStreams } from './open-streams.ts'
import { optionInvalid } from './streams-error.ts'

/** A stream of events and notices. One consumer, one use. */
export interface EventStream<Item> extends AsyncIterableIterator<Item>, AsyncDisposableLike {
  next(): Promise<IteratorResult<Item, undefined>>
  /** Cancels the subscription at once and writes the cursors that were committed. Commits nothing more. */
  return(): Promise<IteratorResult<Item, undefined>>
  [Symbol.asyncIterator](): EventStream<Item>
  /**
   * The same items in arrays, for whoever writes them to a database or a broker. Nothing waits to fill one.
   *
   * @param options - `maxItems`: the longest array. Default 1024.
   * @throws StreamsError `STREAM_OPTION_INVALID`.
   */
  batches(options?: { readonly maxItems?: number | undefined }): BatchStream<Item>
}

/** {@link EventStream} in arrays. Leaving it leaves the stream, and commits nothing of the array in hand. */
export interface BatchStream<Item> extends AsyncIterableIterator<ItemBatch<Item>>, AsyncDisposableLike {
  next(): Promise<IteratorResult<ItemBatch<Item>, undefined>>
  return(): Promise<IteratorResult<ItemBatch<Item>, undefined>>
  [Symbol.asyncIterator](): BatchStream<Item>
}

/** Items in the order received, notices in their places; at least one. */
export interface ItemBatch<Item> extends ReadonlyArray<Item> {
  /** Calls `ack()` of every event in it. */
  ack(): void
}

/** What {@link createEventStream} drives. */
export interface EventSource<Item> {
  readonly queue: ItemQueue<Item>
  /** Called once. What it throws ends the stream. */
  start(): void
  /** Cancels at once. */
  stop(): void
  /** Called once, after the end was taken or the consumer left: writes what is to be kept. */
  finish(): Promise<void>
  /** The consumer asked for more, so this item was handled. */
  readonly handled?: ((item: Item) => void) | undefined
}

const BATCH_OPTIONS = { maxItems: integerRow(1, 1_000_000, 1024) }

/** Makes the stream. */
export function createEventStream<Item extends object>(
  source: EventSource<Item>,
  signal: AbortSignal | undefined,
  openStreams: OpenStreams,
): EventStream<Item> {
  return new Reader(source, readSignal(optionInvalid, signal), openStreams)
}

/** A class, because functions made anew for each stream would be compiled anew for each. */
class Reader<Item extends object> implements EventStream<Item> {
  readonly #source: EventSource<Item>
  readonly #queue: ItemQueue<Item>
  readonly #signal: AbortSignal | undefined
  readonly #openStreams: OpenStreams
  #phase: 'new' | 'running' | 'left' = 'new'
  /** Handed over since the last call: handled, as soon as somebody asks for more. Most often it is one item. */
  #inHand: Item | undefined
  #alsoInHand: readonly Item[] = []
  #finished: Promise<void> | undefined
  /** Calls that wait their turn. */
  #waiting = 0
  #turn: Promise<unknown> = Promise.resolve()
  #stopListening = (): void => {}

  constructor(source: EventSource<Item>, signal: AbortSignal | undefined, openStreams: OpenStreams) {
    this.#source = source
    this.#queue = source.queue
    this.#signal = signal
    this.#openStreams = openStreams
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    this.#handle()
    if (this.#waiting === 0 && this.#phase === 'running') {
      const value = this.#takeItem()
      if (value !== undefined) return Promise.resolve({ done: false, value })
    }
    return this.#inTurn(() => this.#takeItem())
  }

  nextBatch(maxItems: number): Promise<IteratorResult<ItemBatch<Item>, undefined>> {
    this.#handle()
    if (this.#waiting === 0 && this.#phase === 'running') {
      const value = this.#takeBatch(maxItems)
      if (value !== undefined) return Promise.resolve({ done: false, value })
    }
    return this.#inTurn(() => this.#takeBatch(maxItems))
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#phase === 'running') {
      this.#phase = 'left'
      this.#source.stop()
      this.#queue.clear()
      await this.#finish()
    }
    this.#phase = 'left'
    this.#queue.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): BatchStream<Item> {
    const { maxItems } = readOptions(optionInvalid, 'options', options, BATCH_OPTIONS)
    const batches: BatchStream<Item> = {
      next: () => this.nextBatch(maxItems),
      return: () => this.return(),
      [Symbol.asyncIterator]: () => batches,
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
    return batches
  }

  /** Right at the call: whoever asks for more has handled what he was given, also where he leaves next. */
  #handle(): void {
    const { handled } = this.#source
    if (handled === undefined || this.#phase !== 'running') return
    if (this.#inHand !== undefined) handled(this.#inHand)
    this.#inHand = undefined
    if (this.#alsoInHand.length === 0) return
    for (const item of this.#alsoInHand) handled(item)
    this.#alsoInHand = []
  }

  #takeItem(): Item | undefined {
    const item = this.#queue.take()
    if (this.#source.handled === undefined || item === undefined) return item
    if (this.#inHand === undefined) this.#inHand = item
    else this.#alsoInHand = [...this.#alsoInHand, item]
    return item
  }

  #takeBatch(maxItems: number): ItemBatch<Item> | undefined {
    const items = this.#queue.takeMany(maxItems)
    if (items === undefined) return undefined
    if (this.#source.handled !== undefined) this.#alsoInHand = [...this.#alsoInHand, ...items]
    return toBatch(items)
  }

  /** The call waits for those before it. */
  #inTurn<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    this.#waiting += 1
    const step = (): Promise<IteratorResult<T, undefined>> => this.#step(take)
    const result = this.#waiting === 1 ? step() : this.#turn.then(step, step)
    this.#turn = result
    return result
  }

  async #step<T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> {
    const signal = this.#signal
    try {
      if (this.#phase === 'new') {
        signal?.throwIfAborted()
        this.#start()
      }
      for (;;) {
        const value = take()
        if (value !== undefined) return { done: false, value }
        if (!(await this.#queue.filled())) break
      }
    } catch (error) {
      this.#phase = 'left'
      this.#queue.close()
      // The first failure is the one to tell: what could not be written then comes again, as the contract says.
      await this.#finish().catch(() => {})
      throw error
    } finally {
      this.#waiting -= 1
    }
    const aborted = this.#phase === 'running' && signal?.aborted === true
    this.#phase = 'left'
    await this.#finish()
    if (aborted) throw signal?.reason
    return { done: true, value: undefined }
  }

  #start(): void {
    this.#openStreams.add(this)
    this.#phase = 'running'
    const onAborted = (): void => {
      this.#source.stop()
      this.#queue.clear()
    }
    if (this.#signal !== undefined) this.#stopListening = onAbort(this.#signal, onAborted)
    this.#source.start()
  }

  #finish(): Promise<void> {
    this.#stopListening()
    this.#openStreams.delete(this)
    this.#finished ??= this.#source.finish()
    return this.#finished
  }
}

function toBatch<Item extends object>(items: Item[]): ItemBatch<Item> {
  const ack = (): void => {
    for (const item of items) if ('ack' in item && typeof item.ack === 'function') item.ack()
  }
  return Object.defineProperty(items, 'ack', { value: ack }) as Item[] & { ack(): void }
}
