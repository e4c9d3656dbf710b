/**
 * From frames to items: what supervision hands on, and the outlet to the consumer that both services share.
 */
import type { FrameReader } from '../items/frame-class.ts'
import { ITEM_BYTES, noticeBytes } from '../items/item-bytes.ts'
import { type StreamNotice, shownNotice } from '../items/notices.ts'
import { createReporter, type Reporter, type StreamName, type StreamObserver } from '../observer.ts'
import type { Shown } from '../subscription/shown.ts'
import type { SupervisorEffect } from '../supervisor/machine-types.ts'
import type { Decoder, MessageBatch } from '../transport/message-batch.ts'
import { BatchStatistics } from './batch-statistics.ts'
import { ItemQueue, type QueueBounds } from './item-queue.ts'
import type { Verdict } from './repeat-window.ts'

export type CameBack = Extract<SupervisorEffect, { readonly type: 'came-back' }>

export interface Delivery<Frame, Item = Frame> {
  readonly frames: FrameReader<Frame>
  readonly decoder: Decoder<Frame>
  /** Takes a part of a batch, `to` not included. Control frames in it are not its concern. */
  take(batch: MessageBatch<Frame>, from: number, to: number, atMs: number): void
  /** Completes the work that a consumer need not wait for, before the next batch is read. */
  flush(): void
  /** Before the first attempt. */
  prepare?(signal: AbortSignal): Promise<void>
  /** Position by event type, as the next request says it. */
  takeCursors?(): ReadonlyMap<string, string>
  subscribed?(atMs: number): void
  cameBack(effect: CameBack): void
  cursorsRefused?(): void
  /** The consumer asked for more, so this item was handled. */
  handled?(item: Item | StreamNotice): void
  /** What `ack()` of these does, which were handed over together. */
  ackOf?(items: readonly (Item | StreamNotice)[]): () => void
  finish?(): Promise<void>
}

type NameField = Extract<StreamNotice, { readonly kind: 'name-too-long' }>['field']

/** What an {@link Outlet} needs. */
export interface OutletOptions {
  readonly queue: QueueBounds
  readonly observer: StreamObserver | undefined
  /** The longest name that is remembered, at two bytes a UTF-16 unit. */
  readonly maxNameBytes: number
}

/** What goes to the consumer, in order, and to the observer, batch by batch. */
export class Outlet<Item> {
  readonly queue: ItemQueue<Item | StreamNotice>
  readonly report: Reporter
  readonly statistics: BatchStatistics<Item>
  /** Ends the stream with an error, after what is queued. Set by whoever supervises it. */
  fail = (error: unknown): void => this.queue.close({ error })
  readonly #shown: Shown
  readonly #maxNameUnits: number

  /** @param sentMs - Reads an item's timestamp. */
  constructor(
    options: OutletOptions,
    stream: StreamName,
    shown: Shown,
    sentMs: (item: Item) => number | undefined,
  ) {
    const { observer, maxNameBytes } = options
    this.#maxNameUnits = Math.floor(maxNameBytes / 2)
    this.queue = new ItemQueue(options.queue)
    this.report = createReporter(observer, stream)
    this.#shown = shown
    this.statistics = new BatchStatistics(this.report, observer?.onBatch && sentMs)
  }

  /** @param units - UTF-16 units of the item's texts. @param besides - Bytes of what else it holds. */
  event(item: Item, units: number, besides: number): void {
    const bytes = ITEM_BYTES + 2 * units + besides
    this.queue.push(item, bytes)
    this.statistics.event(item, bytes)
  }

  /** Counts a repeat, and tells of a conflict. @returns Whether the frame is delivered. */
  isNew(verdict: Verdict, eventType: number | string, id: string, atMs: number): boolean {
    if (verdict === 'conflict') {
      this.notify({ type: 'notice', kind: 'conflicting-repeat', atMs, eventType, id })
    }
    if (verdict === 'repeat') this.statistics.repeat()
    return verdict !== 'repeat'
  }

  /** A name; the empty one, which names nothing, after a notice, where it is too long: it would be kept thousands of times. */
  bounded(field: NameField, name: string, atMs: number): string {
    if (name.length <= this.#maxNameUnits) return name
    this.notify({ type: 'notice', kind: 'name-too-long', atMs, field, bytes: 2 * name.length })
    return ''
  }

  notify(said: StreamNotice): void {
    const notice = shownNotice(said, this.#shown)
    this.queue.push(notice, noticeBytes(notice))
    this.report('onNotice', { notice })
  }
}
