/** The async iterables that streams return. */
import type { AsyncStream, Batches } from '@brokerwire/core'
import type { ModuleEvent } from '@brokerwire/payloads'
import type { ModuleItem } from './items/module-items.ts'
import type { StreamNotice } from './items/notices.ts'
import type { TradeStreamEvent } from './items/trade-items.ts'
import type { UndecodableItem } from './items/undecodable-item.ts'

/** An item of any stream: an event, a message that cannot be decoded, or a notice. */
export type StreamItem<Event = ModuleEvent> =
  | TradeStreamEvent
  | ModuleItem<Event>
  | UndecodableItem
  | StreamNotice

/**
 * A stream of events and notices, with one reader: the first `for await`, `batches()` or `next()`. A second
 * reader fails with `STREAM_IN_USE`, or after the end of the stream with `STREAM_CLOSED`. You may call
 * `next()` first and then use `for await`.
 */
export interface EventStream<Item> extends AsyncStream<Item, ItemBatch<Item>> {
  /** Cancels the subscription at once, and writes the committed cursors. Does not commit the last item. */
  return(): Promise<IteratorResult<Item, undefined>>
  /** Returns the stream itself, for `for await`. */
  [Symbol.asyncIterator](): EventStream<Item>
  /**
   * Returns the same items in arrays, for example to write them to a database. An array has all available items, and at least
   * one; the stream does not wait for more.
   *
   * @param options - `maxItems`: length of the longest array. @defaultValue 1024
   * @throws StreamsError `STREAM_OPTION_INVALID`, `STREAM_IN_USE`, `STREAM_CLOSED`.
   */
  batches(options?: { readonly maxItems?: number | undefined }): BatchStream<Item>
}

/** The items of an {@link EventStream} in arrays. If you leave the loop, the stream ends, and the last array is not committed. */
export type BatchStream<Item> = Batches<ItemBatch<Item>>

/** An array of events and notices in the order received, with at least one item. */
export interface ItemBatch<Item> extends ReadonlyArray<Item> {
  /** Acknowledges every event of the array. With `ack: 'manual'` it also marks the gap notices of the array as handled. */
  ack(): void
}
