/** Items that wait for the reader, each with the message that it was read from. The fetch loop bounds how many there are. */
import { AsyncQueue, Queue } from '@brokerwire/core/internal'
import type { JsMsg } from '@nats-io/jetstream'
import type { Acknowledgeable } from './acknowledger.ts'

/** An item and its message. */
export interface Delivery<Item> extends Acknowledgeable {
  readonly item: Item
  /** Bytes of the message's body. */
  readonly bytes: number
  /** The number of the consumer that delivered it, counted by openings. */
  readonly consumer: number
}

/** Callbacks of the queue. */
export interface DeliveryQueueEvents<Item> {
  /** An item was taken. @param isLast - `false` if a later item was taken with it, in the same batch. */
  onTaken(delivery: Delivery<Item>, isLast: boolean): void
  /** The reader waits and the queue is empty. */
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
    // The client passes the messages of one read of its socket in microtasks; the reader is woken after the last of them.
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

  /** Removes all items. @returns Their messages. */
  drain(): JsMsg[] {
    const messages: JsMsg[] = []
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (next.message !== undefined) messages.push(next.message)
    return messages
  }
}
