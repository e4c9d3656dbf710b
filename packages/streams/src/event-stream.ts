/**
 * What a caller iterates over: started by the first `next()`, stopped by leaving the loop, by the signal, or by
 * disposal, whichever comes first.
 *
 * Not an async generator: `return()` of one waits for the `next()` that is pending, so a stream without events could
 * not be left. And what is queued is handed over in a promise that is resolved already: nothing is waited for.
 */
import {
  type AsyncDisposableLike,
  onAbort,
  readInteger,
  readSignal,
  requireKnownOptions,
  requireObject,
} from '@brokerwire/core'
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

/** Makes the stream. */
export function createEventStream<Item extends object>(
  source: EventSource<Item>,
  input: AbortSignal | undefined,
  openStreams: OpenStreams,
): EventStream<Item> {
  const signal = readSignal(optionInvalid, input)
  const { queue, handled } = source
  let phase: 'new' | 'running' | 'left' = 'new'
  /** Handed over since the last call: handled, as soon as somebody asks for more. Most often it is one item. */
  let inHand: Item | undefined
  let alsoInHand: readonly Item[] = []
  let finished: Promise<void> | undefined
  /** Calls that wait their turn. */
  let waiting = 0
  let turn: Promise<unknown> = Promise.resolve()
  let stopListening = (): void => {}

  const finish = (): Promise<void> => {
    stopListening()
    openStreams.delete(stream)
    finished ??= source.finish()
    return finished
  }
  const start = (): void => {
    openStreams.add(stream)
    phase = 'running'
    const onAborted = (): void => {
      source.stop()
      queue.clear()
    }
    if (signal !== undefined) stopListening = onAbort(signal, onAborted)
    source.start()
  }

  /** Takes what is there, or waits for it; `undefined` at the end. */
  const takeOrWait = async <T>(take: () => T | undefined): Promise<T | undefined> => {
    for (;;) {
      const value = take()
      if (value !== undefined || !(await queue.filled())) return value
    }
  }

  const step = async <T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> => {
    try {
      if (phase === 'new') {
        signal?.throwIfAborted()
        start()
      }
      const value = await takeOrWait(take)
      if (value !== undefined) return { done: false, value }
    } catch (error) {
      phase = 'left'
      queue.close()
      // The first failure is the one to tell: what could not be written then comes again, as the contract says.
      await finish().catch(() => {})
      throw error
    } finally {
      waiting -= 1
    }
    const aborted = phase === 'running' && signal?.aborted === true
    phase = 'left'
    await finish()
    if (aborted) throw signal?.reason
    return { done: true, value: undefined }
  }

  const next = <T>(take: () => T | undefined): Promise<IteratorResult<T, undefined>> => {
    // Right at the call: whoever asks for more has handled what he was given, also where he leaves next.
    if (handled !== undefined && phase === 'running') {
      if (inHand !== undefined) handled(inHand)
      for (const item of alsoInHand) handled(item)
      inHand = undefined
      alsoInHand = []
    }
    if (waiting === 0 && phase === 'running') {
      const value = take()
      if (value !== undefined) return Promise.resolve({ done: false, value })
    }
    waiting += 1
    const result = turn.then(() => step(take))
    turn = result.catch(() => {})
    return result
  }

  const leave = async (): Promise<IteratorReturnResult<undefined>> => {
    if (phase === 'running') {
      phase = 'left'
      source.stop()
      queue.clear()
      await finish()
    }
    phase = 'left'
    queue.close()
    return { done: true, value: undefined }
  }

  const takeItem = (): Item | undefined => {
    const item = queue.take()
    if (handled === undefined || item === undefined) return item
    if (inHand === undefined) inHand = item
    else alsoInHand = [...alsoInHand, item]
    return item
  }

  const stream: EventStream<Item> = {
    next: () => next(takeItem),
    return: leave,
    [Symbol.asyncIterator]: () => stream,
    async [Symbol.asyncDispose]() {
      await leave()
    },
    batches(options = {}) {
      requireObject(optionInvalid, 'options', options)
      requireKnownOptions(optionInvalid, options, ['maxItems'])
      const maxItems = readInteger(optionInvalid, 'maxItems', options.maxItems, {
        min: 1,
        max: 1_000_000,
        fallback: 1024,
      })
      const takeBatch = (): ItemBatch<Item> | undefined => {
        const items = queue.takeMany(maxItems)
        if (items === undefined) return undefined
        if (handled !== undefined) alsoInHand = [...alsoInHand, ...items]
        return toBatch(items)
      }
      const batches: BatchStream<Item> = {
        next: () => next(takeBatch),
        return: leave,
        [Symbol.asyncIterator]: () => batches,
        async [Symbol.asyncDispose]() {
          await leave()
        },
      }
      return batches
    },
  }
  return stream
}

function toBatch<Item extends object>(items: Item[]): ItemBatch<Item> {
  const ack = (): void => {
    for (const item of items) if ('ack' in item && typeof item.ack === 'function') item.ack()
  }
  return Object.defineProperty(items, 'ack', { value: ack }) as Item[] & { ack(): void }
}
