/** The last stage of a stream: adds all items to the consumer's queue, in order, and reports them to the observer. */
import type { StateItem } from '@brokerwire/core'
import { ITEM_BYTES, noticeBytes } from '../items/item-bytes.ts'
import { redactNotice, type StreamNotice } from '../items/notices.ts'
import type { QueuedItem } from '../items/queued-item.ts'
import { createUndecodableItem, type UndecodableItem } from '../items/undecodable-item.ts'
import type { StreamReporter } from '../observer.ts'
import type { Redact } from '../subscription/call-failure.ts'
import type { UndecodableMessage } from '../transport/undecodable.ts'
import type { BatchStatistics } from './batch-statistics.ts'
import type { ItemQueue } from './item-queue.ts'

/** Adds a notice to the stream. */
export type Notify = (notice: StreamNotice) => void

/** The queue of a stream, and the parts that count and report its items. */
export interface ItemOutputOptions<Item> {
  readonly queue: ItemQueue<QueuedItem<Item>>
  readonly statistics: BatchStatistics<Item>
  readonly report: StreamReporter
  readonly service: UndecodableItem['service']
  /** Removes secrets from strings of the service. */
  readonly redact: Redact
}

/** Adds items to the queue of a stream. */
export class ItemOutput<Item> {
  readonly queue: ItemQueue<QueuedItem<Item>>
  readonly statistics: BatchStatistics<Item>
  readonly #report: StreamReporter
  readonly #service: UndecodableItem['service']
  readonly #redact: Redact

  constructor({ queue, statistics, report, service, redact }: ItemOutputOptions<Item>) {
    this.queue = queue
    this.statistics = statistics
    this.#report = report
    this.#service = service
    this.#redact = redact
  }

  /**
   * Queues an event.
   *
   * @param units - Number of UTF-16 units in the item's strings.
   * @param extraBytes - Bytes of everything else that the item keeps in memory.
   */
  event(item: Item, units: number, extraBytes: number): void {
    const bytes = ITEM_BYTES + 2 * units + extraBytes
    this.queue.push(item, bytes)
    this.statistics.event(item, bytes)
  }

  /** Queues a message that cannot be decoded. */
  undecodable(message: UndecodableMessage, atMs: number): void {
    const bytes = ITEM_BYTES + 2 * message.message.length + (message.bytes?.length ?? 0)
    this.queue.push(createUndecodableItem(message, this.#service, atMs), bytes)
    this.statistics.undecodable(bytes)
  }

  /** Queues a state of a backfill. */
  state(state: StateItem): void {
    this.queue.push(state, noticeBytes(state))
  }

  /** Queues a notice, and reports it to the observer. */
  readonly notify: Notify = (unsafe) => {
    const notice = redactNotice(unsafe, this.#redact)
    this.queue.push(notice, noticeBytes(notice))
    this.#report('onStreamNotice', { notice })
  }
}
