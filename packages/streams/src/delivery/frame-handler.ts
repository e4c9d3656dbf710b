/** The two seams of a stream: what the supervisor passes on, and what the consumer's calls cause. */
import type { FrameReader } from '../items/frame-class.ts'
import type { ItemOf } from '../items/stream-item.ts'
import type { SupervisorEffect } from '../supervisor/machine-types.ts'
import type { MessageBatch } from '../transport/message-batch.ts'

/** The stream is subscribed, for the first time or again. */
export type Live = Extract<SupervisorEffect, { readonly type: 'live' }>

/** Takes frames and what happens to their connection from the supervisor. */
export interface FrameHandler<Frame> {
  readonly frames: FrameReader<Frame>
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
