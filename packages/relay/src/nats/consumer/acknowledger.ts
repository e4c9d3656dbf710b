/**
 * Acknowledgements of `ack: 'auto'`. They are sent together, at the end of the turn of the event loop or
 * after 64 KiB of messages, because a socket write for each acknowledgement would be a third of the cost of a
 * message.
 *
 * The consumer's policy is `all`: an acknowledgement also counts for all messages before it.
 */
import { Queue } from '@brokerwire/core/internal'
import type { JsMsg } from '@nats-io/jetstream'

/** An item that was delivered to the reader. */
export interface Acknowledgeable {
  /** The last message up to the item; `undefined` for a notice before the first message. */
  message: JsMsg | undefined
  /** The sequence of the message; for a notice, the last sequence that the notice covers. */
  sequence: number
  readonly bytes: number
  readonly consumer: number
}

/**
 * The bytes of completed messages after which acknowledgements are sent. Until then, these messages stay in
 * memory.
 */
const MAX_BYTES = 64 * 1024

export class Acknowledger<Delivery extends Acknowledgeable> {
  /**
   * The delivered items that the reader has not completed; `false` if a later item of the batch is
   * acknowledged instead.
   */
  readonly #delivered = new Queue<Delivery | false>()
  #completed: JsMsg[] = []
  #completedBytes = 0
  #last: Delivery | undefined
  /** Deliveries of consumers before this one do not count, because they are of another stream. */
  #firstConsumer = 0

  /** The last item that the reader has completed. */
  get last(): Delivery | undefined {
    return this.#last
  }

  /** Whether all delivered items are completed. */
  get isIdle(): boolean {
    return this.#delivered.size === 0
  }

  /**
   * Called when an item is delivered.
   *
   * @param isLast - `false` if the same batch has a later item, which is acknowledged instead.
   */
  track(delivery: Delivery, isLast: boolean): void {
    this.#delivered.push(isLast && delivery)
  }

  /**
   * Called when the reader has completed its oldest item.
   *
   * @param consumer - The consumer that is open now.
   */
  complete(consumer: number): void {
    const delivery = this.#delivered.shift()
    if (delivery === undefined || delivery === false || delivery.consumer < this.#firstConsumer) return
    this.#last = delivery
    const { message } = delivery
    // A message of an earlier consumer is not acknowledged, because that would count for other messages of
    // this consumer.
    if (message === undefined || delivery.consumer !== consumer) return
    if (this.#completed.push(message) === 1) setImmediate(() => this.flush())
    this.#completedBytes += delivery.bytes
    if (this.#completedBytes >= MAX_BYTES) this.flush()
  }

  /**
   * Called when the stream was replaced by another one. Completed items of the old stream are then ignored.
   *
   * @param consumer - The first consumer of the new stream.
   */
  reset(consumer: number): void {
    this.#last = undefined
    this.#firstConsumer = consumer
  }

  /** Sends the acknowledgements. */
  flush(): void {
    const handled = this.#completed
    this.#completed = []
    this.#completedBytes = 0
    for (const message of handled) message.ack()
  }
}
