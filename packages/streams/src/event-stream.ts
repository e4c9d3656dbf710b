/**
 * What a caller iterates over: started by the first `next()`, stopped by leaving the loop, by the signal, or by
 * disposal, whichever comes first.
 *
 * Not an async generator: `return()` of one waits for the `next()` that is pending, so a stream without events could
 * not be left.
 */

import type { AsyncDisposableLike } from '@brokerwire/core'
import { readSignal } from './abort-listeners.ts'
import type { BoundedQueue } from './delivery/bounded-queue.ts'
import type { OpenStreams } from './open-streams.ts'

/** A stream of events and notices. One consumer, one use. */
export interface EventStream<Item> extends AsyncIterableIterator<Item>, AsyncDisposableLike {
  next(): Promise<IteratorResult<Item, undefined>>
  /** Cancels the subscription at once and writes the cursors that were committed. Commits nothing more. */
  return(): Promise<IteratorResult<Item, undefined>>
  [Symbol.asyncIterator](): EventStream<Item>
}

/** What {@link createEventStream} drives. */
export interface EventSource<Item> {
  readonly queue: BoundedQueue<Item>
  /** Called once. What it throws ends the stream. */
  start(): void
  /** Cancels at once. */
  stop(): void
  /** Called once, after the end was taken or the consumer left: writes what is to be kept. */
  finish(): Promise<void>
  /** The consumer asked for more, so this item was handled. */
  handled(item: Item): void
}

/** Makes the stream. */
export function createEventStream<Item>(
  source: EventSource<Item>,
  input: AbortSignal | undefined,
  openStreams: OpenStreams,
): EventStream<Item> {
  const signal = readSignal(input)
  const { queue } = source
  let phase: 'new' | 'running' | 'left' = 'new'
  let delivered: Item[] = []
  let finished: Promise<void> | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const onAbort = (): void => {
    source.stop()
    queue.clear()
  }
  const finish = (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort)
    openStreams.delete(stream)
    finished ??= source.finish()
    return finished
  }
  const start = (): void => {
    openStreams.add(stream)
    phase = 'running'
    signal?.addEventListener('abort', onAbort, { once: true })
    source.start()
  }

  const step = async (): Promise<IteratorResult<Item, undefined>> => {
    try {
      if (phase === 'new') {
        signal?.throwIfAborted()
        start()
      }
      const result = await queue.next()
      if (!result.done) {
        delivered.push(result.value)
        return result
      }
    } catch (error) {
      phase = 'left'
      queue.close()
      // The first failure is the one to tell: what could not be written then comes again, as the contract says.
      await finish().catch(() => {})
      throw error
    }
    const aborted = phase === 'running' && signal?.aborted === true
    phase = 'left'
    await finish()
    if (aborted) throw signal?.reason
    return { done: true, value: undefined }
  }

  const stream: EventStream<Item> = {
    next() {
      // Right at the call: whoever asks for more has handled what he was given, also where he leaves next.
      if (phase === 'running') for (const item of delivered) source.handled(item)
      delivered = []
      const result = turn.then(step)
      turn = result.catch(() => {})
      return result
    },
    async return() {
      if (phase === 'running') {
        phase = 'left'
        source.stop()
        queue.clear()
        await finish()
      }
      phase = 'left'
      queue.close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => stream,
    async [Symbol.asyncDispose]() {
      await stream.return()
    },
  }
  return stream
}
