/**
 * Interfaces of a stream's pipeline: one for the supervisor, one for the calls of the consumer.
 *
 * An item passes these stages:
 *
 * - Consumed: `next()` returned it, and the consumer asked for another one.
 * - Handled: consumed, or with `ack: 'manual'` acknowledged.
 * - Acknowledged: `ack()` was called. With `ack: 'auto'`, consuming an event acknowledges it.
 * - Committed: the event and all earlier events of its type are acknowledged, so its position may be stored.
 */
import type { FrameReader } from '../items/frame-class.ts'
import type { QueuedItem } from '../items/queued-item.ts'
import type { SupervisorEffect } from '../supervisor/machine-types.ts'
import type { MessageBatch } from '../transport/message-batch.ts'

/** The effect of a subscription that became live, for the first time or again. */
export type LiveEffect = Extract<SupervisorEffect, { readonly type: 'live' }>

/** Handles the frames and the changes of the connection that the supervisor reports. */
export interface FrameHandler<Frame> {
  /** Reads what the supervisor needs from a frame. */
  readonly frameReader: FrameReader<Frame>
  /** Handles the frames of a batch from index `from` up to, but not including, `to`. Ignores the control frames among them. */
  take(batch: MessageBatch<Frame>, from: number, to: number, atMs: number): void
  /** Completes the work that was deferred so that the consumer did not wait for it. Called before the next batch is read. */
  flush(): void
  /** Called when a subscription became live. */
  onLive(effect: LiveEffect): void
  /** Called when the service rejected the cursors of the request. */
  onCursorsRejected?(): void
}

/** Tracks which items the consumer has handled. */
export interface Progress<Item> {
  /** Reads the stored progress. Called before the first attempt. @param nowMs - Time of the first `next()` by this host's clock. */
  prepare(nowMs: number, signal: AbortSignal): Promise<void>
  /** Called with an item when the consumer asks for the next one. */
  handled(item: QueuedItem<Item>): void
  /** Creates the `ack()` of an array of items. */
  createAck(items: readonly QueuedItem<Item>[]): () => void
  /** Writes the progress that is not stored yet. Called at the end of the stream. */
  finish(): Promise<void>
}
