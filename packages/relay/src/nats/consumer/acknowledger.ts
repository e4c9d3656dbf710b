/**
 * Acknowledgements of `ack: 'auto'`: they are sent together, at the end of the turn of the event loop or when they are of 64 KiB
 * of messages. The client writes to its socket for each message otherwise, which is a third of the cost of a message.
 *
 * The consumer's policy is `all`: an acknowledgement also counts for all messages before it.
 */
import { Fifo } from '@brokerwire/core/internal'
import type { JsMsg } from '@nats-io/jetstream'

/** A message that the reader got. */
export interface Acknowledgeable {
  readonly message: JsMsg
  readonly bytes: number
  readonly consumer: number
}

/** The messages stay in memory until then. */
const MAX_BYTES = 64 * 1024

export class Acknowledger {
  /** One for each item that the reader holds; `false` if a later item of its batch is acknowledged instead. */
  readonly #held = new Fifo<Acknowledgeable | false>()
  #handled: JsMsg[] = []
  #handledBytes = 0
  #handledUpTo: number | undefined

  /** The sequence of the last message that was handled. */
  get handledUpTo(): number | undefined {
    return this.#handledUpTo
  }

  /** The reader gets an item. @param isLast - `false` if a later item is in the same batch: then that one is acknowledged. */
  hold(delivery: Acknowledgeable, isLast: boolean): void {
    this.#held.push(isLast && delivery)
  }

  /** The reader has handled the oldest item that it holds. @param consumer - The consumer that is open now. */
  handle(consumer: number): void {
    const delivery = this.#held.take()
    if (delivery === undefined || delivery === false) return
    this.#handledUpTo = delivery.message.seq
    // The acknowledgement of an earlier consumer's message would count for other messages of this one.
    if (delivery.consumer !== consumer) return
    if (this.#handled.push(delivery.message) === 1) setImmediate(() => this.flush())
    this.#handledBytes += delivery.bytes
    if (this.#handledBytes >= MAX_BYTES) this.flush()
  }

  /** Sends the acknowledgements. */
  flush(): void {
    const handled = this.#handled
    this.#handled = []
    this.#handledBytes = 0
    for (const message of handled) message.ack()
  }
}
