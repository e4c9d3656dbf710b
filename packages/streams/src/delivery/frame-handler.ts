/** The interfaces of a pipeline: for the supervisor, and for the calls of the consumer. */
import type { FrameReader } from '../items/frame-class.ts'
import type { ItemOf } from '../items/stream-item.ts'
import type { SupervisorEffect } from '../supervisor/machine-types.ts'
import type { MessageBatch } from '../transport/message-batch.ts'

/** The stream is subscribed, for the first time or again. */
export type Live = Extract<SupervisorEffect, { readonly type: 'live' }>

/** Receives frames and changes of the connection from the supervisor. */
export interface FrameHandler<Frame> {
  readonly frameReader: FrameReader<Frame>
  /** Takes a part of a batch, `to` not included. Ignores the control frames in it. */
  take(batch: MessageBatch<Frame>, from: number, to: number, atMs: number): void
  /** Completes the work that a consumer need not wait for, before the next batch is read. */
  flush(): void
  onLive(effect: Live): void
  onCursorsRejected?(): void
}

/** Follows what the consumer has handled. */
export interface Progress<Item> {
  /** Called before the first attempt. @param nowMs - The instant of the first `next()`, by this host's clock. */
  prepare(nowMs: number, signal: AbortSignal): Promise<void>
  /** Called with each item after which the consumer asked for another one. */
  handled(item: ItemOf<Item>): void
  /** Returns the `ack()` of an array of items. */
  ackOf(items: readonly ItemOf<Item>[]): () => void
  finish(): Promise<void>
}
