/**
 * Items that wait for the reader, each with the message that it was read from. The fetch loop limits their
 * number.
 */
import { AsyncQueue, Queue } from '@brokerwire/core/internal'
import type { JsMsg } from '@nats-io/jetstream'
import type { Acknowledgeable } from './acknowledger.ts'

/** An item and its message. */
export interface Delivery<Item> extends Acknowledgeable {
  readonly item: Item
  /** Bytes of the message's body. */
  readonly bytes: number
  /**
   * The number of the consumer that delivered the item. Consumers are numbered in the order of their opening.
   */
  readonly consumer: number
}

/** Callbacks of the queue. */
export interface DeliveryQueueEvents<Item> {
  /**
   * Called when the reader took an item.
   *
   * @param isLast - `false` if it took a later item with it, in the same batch.
   */
  onTaken(delivery: Delivery<Item>, isLast: boolean): void
  /** Called when the reader waits and the queue is empty. */
  onEmpty(): void
}

export class DeliveryQueue<Item> extends AsyncQueue<Item> {
  readonly #waiting = new Queue<Delivery<Item>>()
  readonly #events: DeliveryQueueEvents<Item>
  #isAwaited = false
  #isWakeScheduled = false
  readonly #wakeReader = (): void => {
    this.#isWakeScheduled = false
    if (this.size > 0) this.#isAwaited = false
    this.wake()
  }

  constructor(events: DeliveryQueueEvents<Item>) {
    super()
    this.#events = events
  }

  override get size(): number {
    return this.#waiting.size
  }

  /** Whether the reader waits for an item. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  push(delivery: Delivery<Item>): void {
    this.#waiting.push(delivery)
    if (this.#isWakeScheduled) return
    this.#isWakeScheduled = true
    // The client passes the messages of one read of its socket in microtasks. The reader is woken after the
    // last of them.
    process.nextTick(this.#wakeReader)
  }

  override shift(): Item | undefined {
    const delivery = this.#waiting.shift()
    if (delivery === undefined) return undefined
    this.#events.onTaken(delivery, true)
    return delivery.item
  }

  override shiftMany(max: number): Item[] | undefined {
    const items: Item[] = []
    while (items.length < max) {
      const delivery = this.#waiting.shift()
      if (delivery === undefined) break
      items.push(delivery.item)
      this.#events.onTaken(delivery, items.length === max || this.size === 0)
    }
    return items.length === 0 ? undefined : items
  }

  override onReadable(callback: () => void): void {
    this.#isAwaited = this.size === 0
    super.onReadable(callback)
    if (this.#isAwaited) this.#events.onEmpty()
  }

  /** Removes all items. @returns The messages of the items. */
  drain(): JsMsg[] {
    const messages: JsMsg[] = []
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (next.message !== undefined) messages.push(next.message)
    return messages
  }
}
