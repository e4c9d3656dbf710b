/**
 * What was received and not yet taken, bounded by count and by bytes.
 *
 * The bound is kept by not reading on, so HTTP/2's flow control holds the service back. Notices are always taken in:
 * they are few, and none is produced while nothing is read.
 */
import { abortable, createChannel, describe, isRecord, readInteger } from '@brokerwire/core'
import { optionInvalid } from '../streams-error.ts'

/** Bounds of a {@link BoundedQueue}. */
export interface QueueBounds {
  readonly maxItems: number
  readonly maxBytes: number
}

/** Checks the option `queue`. @throws StreamsError `STREAM_OPTION_INVALID`. */
export function readBounds(
  input: { readonly maxItems?: number | undefined; readonly maxBytes?: number | undefined } | undefined,
): QueueBounds {
  const options = input ?? {}
  if (!isRecord(options)) throw optionInvalid('queue', 'an object', describe(input))
  return {
    maxItems: readInteger(optionInvalid, 'queue.maxItems', options.maxItems, {
      min: 1,
      max: 1_000_000,
      fallback: 256,
    }),
    maxBytes: readInteger(optionInvalid, 'queue.maxBytes', options.maxBytes, {
      min: 1,
      max: 0x7f_ff_ff_ff,
      fallback: 8 * 1024 * 1024,
    }),
  }
}

/** A queue that says when it is full. */
export interface BoundedQueue<T> {
  readonly size: number
  /** From the upper bound until half of it was taken. */
  readonly full: boolean
  push(item: T, bytes: number): void
  /** Resolves once the queue is no longer full. @throws The signal's reason, when it aborts. */
  room(signal: AbortSignal): Promise<void>
  next(): Promise<IteratorResult<T, undefined>>
  close(): void
  fail(error: unknown): void
  /** Drops what is queued. */
  clear(): void
}

interface Entry<T> {
  readonly item: T
  readonly bytes: number
}

/** Makes a queue. */
export function createBoundedQueue<T>(bounds: QueueBounds): BoundedQueue<T> {
  const channel = createChannel<Entry<T>>()
  let bytes = 0
  let full = false
  let waiters: (() => void)[] = []

  const release = (): void => {
    full = false
    const waiting = waiters
    waiters = []
    for (const resolve of waiting) resolve()
  }
  const taken = (result: IteratorResult<Entry<T>, undefined>): IteratorResult<T, undefined> => {
    if (result.done) return result
    bytes -= result.value.bytes
    if (full && channel.size <= bounds.maxItems / 2 && bytes <= bounds.maxBytes / 2) release()
    return { done: false, value: result.value.item }
  }

  return {
    get size() {
      return channel.size
    },
    get full() {
      return full
    },
    push(item, itemBytes) {
      if (channel.closed) return
      bytes += itemBytes
      channel.push({ item, bytes: itemBytes })
      if (channel.size >= bounds.maxItems || (channel.size > 0 && bytes >= bounds.maxBytes)) full = true
    },
    room(signal) {
      if (!full) return Promise.resolve()
      return abortable(new Promise<void>((resolve) => waiters.push(resolve)), signal)
    },
    next: async () => taken(await channel.next()),
    close: () => channel.close(),
    fail: (error) => channel.fail(error),
    clear() {
      void channel.return()
      bytes = 0
      release()
    },
  }
}
