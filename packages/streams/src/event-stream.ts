/** What a caller iterates over. */
import type { Batches, Consumer } from '@brokerwire/core'
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
 * A stream of events and notices. One consumer, one use: the first `for await`, `batches()` or `next()` binds it. A second
 * one throws `STREAM_IN_USE`, and after the end `STREAM_CLOSED`. `for await` may follow `next()`.
 */
export interface EventStream<Item> extends Consumer<Item, ItemBatch<Item>> {
  /** Cancels the subscription at once and writes the cursors that were committed. Commits nothing more. */
  return(): Promise<IteratorResult<Item, undefined>>
  [Symbol.asyncIterator](): EventStream<Item>
  /**
   * The same items in arrays, for whoever writes them to a database or a broker. Nothing waits to fill one.
   *
   * @param options - `maxItems`: the longest array. Default 1024.
   * @throws StreamsError `STREAM_OPTION_INVALID`, `STREAM_IN_USE`, `STREAM_CLOSED`.
   */
  batches(options?: { readonly maxItems?: number | undefined }): BatchStream<Item>
}

/** {@link EventStream} in arrays. Leaving it leaves the stream, and commits nothing of the array in hand. */
export type BatchStream<Item> = Batches<ItemBatch<Item>>

/** Items in the order received, notices in their places; at least one. */
export interface ItemBatch<Item> extends ReadonlyArray<Item> {
  /** Calls `ack()` of every event in it. With `ack: 'manual'` a gap in it counts as told from here on, not before. */
  ack(): void
}
