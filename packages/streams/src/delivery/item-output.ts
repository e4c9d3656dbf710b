/** The queue stage: puts events and notices into the consumer's queue, in order, and reports them to the observer. */
import { ITEM_BYTES, noticeBytes } from '../items/item-bytes.ts'
import { type StreamNotice, shownNotice } from '../items/notices.ts'
import type { Reporter } from '../observer.ts'
import type { Shown } from '../subscription/shown.ts'
import type { BatchStatistics } from './batch-statistics.ts'
import type { ItemQueue } from './item-queue.ts'

/** Puts a notice into the stream. */
export type Notify = (notice: StreamNotice) => void

export interface ItemOutputOptions<Item> {
  readonly queue: ItemQueue<Item | StreamNotice>
  readonly statistics: BatchStatistics<Item>
  readonly report: Reporter
  /** Removes secrets from texts of the service. */
  readonly shown: Shown
}

export class ItemOutput<Item> {
  readonly queue: ItemQueue<Item | StreamNotice>
  readonly statistics: BatchStatistics<Item>
  readonly #report: Reporter
  readonly #shown: Shown

  constructor({ queue, statistics, report, shown }: ItemOutputOptions<Item>) {
    this.queue = queue
    this.statistics = statistics
    this.#report = report
    this.#shown = shown
  }

  /**
   * Queues an event.
   *
   * @param units - UTF-16 units of the item's texts.
   * @param extraBytes - Bytes of everything else that the item holds.
   */
  event(item: Item, units: number, extraBytes: number): void {
    const bytes = ITEM_BYTES + 2 * units + extraBytes
    this.queue.push(item, bytes)
    this.statistics.event(item, bytes)
  }

  readonly notify: Notify = (unsafe) => {
    const notice = shownNotice(unsafe, this.#shown)
    this.queue.push(notice, noticeBytes(notice))
    this.#report('onNotice', { notice })
  }
}
