/**
 * Fills the queue of one reader: each message is read when it arrives, in the order of the stream and once. Fetching, the
 * consumer on the server and the acknowledgements are in files beside this one.
 */
import { type AbortSignalLike, type Clock, printable } from '@brokerwire/core'
import { type Producer, sleep } from '@brokerwire/core/internal'
import type { ItemBatch, StreamDecoders } from '@brokerwire/streams'
import type { JsMsg } from '@nats-io/jetstream'
import { isRelayError, type RelayError } from '../../relay-error.ts'
import { unavailable, unfit } from '../../sink/sink-errors.ts'
import { acknowledgeItem, type RelayItem, readItem } from '../../wire/items.ts'
import { JETSTREAM_ERROR } from '../api/jetstream-api.ts'
import { headerReader, textOf } from '../api/message-headers.ts'
import { missingStream } from '../api/stream-config-errors.ts'
import { Acknowledger } from './acknowledger.ts'
import { CONSUMER_NOT_FOUND, errorNumber, isTransient } from './client-errors.ts'
import { type Delivery, DeliveryQueue } from './delivery-queue.ts'
import { DurableConsumer, type DurableConsumerOptions } from './durable-consumer.ts'
import { FetchLoop, type FetchLoopOptions } from './fetch-loop.ts'
import { type Look, StallDetector } from './stall-detector.ts'

export interface RelayProducerOptions<Event>
  extends DurableConsumerOptions,
    Omit<FetchLoopOptions, 'signal' | 'expiresMs'> {
  /** Tokens of the accounts whose events are wanted; all events if there are none. */
  readonly accounts: ReadonlySet<string> | undefined
  readonly stallMs: number
  readonly decoders: StreamDecoders<Event>
  readonly signal: AbortSignalLike | undefined
  readonly clock: Clock
}

const RETRY_MS = 100
const MAX_RETRY_MS = 2000
const ACK_LOOKS = 24
const MAX_ACK_LOOK_MS = 20
/** The token of a subject that names the account of an event. */
const ACCOUNT_TOKEN = 6

export class RelayProducer<Event> implements Producer<RelayItem<Event>, ItemBatch<RelayItem<Event>>> {
  readonly signal: AbortSignalLike | undefined
  readonly handled: (() => void) | undefined
  readonly queue: DeliveryQueue<RelayItem<Event>>
  readonly #options: RelayProducerOptions<Event>
  readonly #isAuto: boolean
  readonly #durable: DurableConsumer
  readonly #fetches: FetchLoop
  readonly #stalls: StallDetector
  /** With `auto`. */
  readonly #acks = new Acknowledger()
  /** With `auto`: the last message that was received, and the last one that the reader took. Repeats are not new. */
  #receivedUpTo = 0
  #takenUpTo = 0
  /** With `manual`: sequences of messages that were received and are not acknowledged. */
  readonly #unacked = new Set<number>()
  readonly #stopped = new AbortController()
  #failures = 0
  #hasFailed = false
  /** With `manual`: messages that arrived after the end and are to be given back; `undefined` if that was done. */
  #unread: JsMsg[] | undefined = []
  #ended: Promise<void> | undefined

  constructor(options: RelayProducerOptions<Event>) {
    this.#options = options
    this.#isAuto = options.ack === 'auto'
    this.signal = options.signal
    this.handled = this.#isAuto ? () => this.#acks.handle(this.#durable.opened) : undefined
    this.#durable = new DurableConsumer(options)
    this.#stalls = new StallDetector(() => this.#durable.look())
    this.queue = new DeliveryQueue({
      onTaken: (delivery, isLast) => this.#onTaken(delivery, isLast),
      onEmpty: () => this.#fetches.wake(),
    })
    const { maxMessages, maxBytes, maxPayload, stallMs: expiresMs } = options
    this.#fetches = new FetchLoop(
      {
        open: () => {
          // An acknowledgement of the consumer before means nothing to the next one.
          if (!this.#durable.isOpen) this.#acks.flush()
          return this.#durable.open(this.#acks.handledUpTo)
        },
        isAwaited: () => this.queue.isAwaited && !this.#hasFailed,
        waiting: () => this.queue.size,
        receive: (message, data) => this.#receive(message, data),
        onIdle: () => this.#onIdle(),
        onError: (error) => this.#onError(error),
      },
      { maxMessages, maxBytes, maxPayload, expiresMs, signal: this.#stopped.signal },
    )
  }

  start(): void {
    this.#fetches.run().catch((error: unknown) => this.#fail(error))
  }

  stop(): void {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.#acks.flush()
    this.#unread?.unshift(...this.queue.drain())
    this.#fetches.wake()
    this.#ended = this.#end()
    this.#ended.catch(() => {})
  }

  finish(): Promise<void> {
    return this.#ended ?? Promise.resolve()
  }

  batch(items: RelayItem<Event>[]): ItemBatch<RelayItem<Event>> {
    const ack = (): void => {
      for (const item of items) acknowledgeItem(item)
    }
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  async #end(): Promise<void> {
    // The messages of the last read of the socket arrive within a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    this.#fetches.close()
    // For other processes, at once; after the end of the fetch, or they would come back here. With `auto` the next reader begins anew.
    const unread = this.#unread ?? []
    this.#unread = undefined
    if (!this.#isAuto) for (const message of unread) message.nak()
    await this.#waitForAcks().catch(() => {})
  }

  /** Waits until the server has the acknowledgements, or the handled messages would come again to the next reader. */
  async #waitForAcks(): Promise<void> {
    const upTo = this.#acks.handledUpTo
    if (upTo === undefined) return
    for (let look = 0; look < ACK_LOOKS; look += 1) {
      if ((await this.#durable.ackFloor()) >= upTo) return
      // Most often it has them within a millisecond.
      await sleep(this.#options.clock, Math.min(MAX_ACK_LOOK_MS, 2 ** look))
    }
  }

  #receive(message: JsMsg, data: Uint8Array): void {
    if (this.#hasFailed || this.#stopped.signal.aborted) {
      this.#giveBack(message)
      return
    }
    this.#failures = 0
    this.#stalls.reset()
    const { seq } = message
    if (this.#isAuto && !this.#durable.countDelivery(message.info.deliverySequence)) {
      // A lost delivery would come late. The consumer is made again after the last message that was handled.
      this.#restart()
      return
    }
    const isRepeat = this.#isAuto ? seq <= this.#receivedUpTo : this.#unacked.has(seq)
    if (isRepeat) {
      this.#fetches.onTaken()
      return
    }
    let item: RelayItem<Event>
    try {
      item = this.#read(message, data)
    } catch (error) {
      // It is not skipped: the stream ends before it, and no message after it is acknowledged.
      this.#fail(error)
      return
    }
    this.#receivedUpTo = seq
    if (item.type === 'event' && !this.#isWanted(message)) {
      if (!this.#isAuto) message.ack()
      this.#fetches.onTaken()
      return
    }
    if (!this.#isAuto) this.#unacked.add(seq)
    this.queue.push({ item, message, bytes: data.length, consumer: this.#durable.opened })
  }

  #giveBack(message: JsMsg): void {
    if (this.#unread !== undefined) this.#unread.push(message)
    else if (!this.#isAuto) message.nak()
  }

  #onTaken(delivery: Delivery<RelayItem<Event>>, isLast: boolean): void {
    const { item, message } = delivery
    if (this.#isAuto) {
      this.#takenUpTo = message.seq
      this.#acks.hold(delivery, isLast)
    } else if (item.type !== 'event') this.#ack(message)
    this.#fetches.onTaken()
  }

  #ack(message: JsMsg): void {
    if (this.#unacked.delete(message.seq)) message.ack()
  }

  #read(message: JsMsg, data: Uint8Array): RelayItem<Event> {
    const received = {
      // Decoded on access.
      get subject() {
        return message.subject
      },
      read: headerReader(message, data),
      body: textOf(data),
      data,
    }
    return readItem(received, this.#options.decoders, () => this.#ack(message))
  }

  #isWanted({ subject }: JsMsg): boolean {
    return this.#options.accounts?.has(subject.split('.')[ACCOUNT_TOKEN] ?? '') ?? true
  }

  /** Opens the consumer again. With `auto` it delivers again all messages that were not handled. */
  #restart(): void {
    this.#durable.invalidate()
    this.#fetches.close()
    if (!this.#isAuto) return
    this.queue.drain()
    this.#receivedUpTo = this.#takenUpTo
  }

  #fail(error: unknown): void {
    this.#hasFailed = true
    this.queue.close({ error })
  }

  #onIdle(): void {
    const stall = this.#stalls.onIdle()
    if (stall === undefined) return
    this.#restart()
    if (!this.#isAuto) throw this.#stalled(stall)
  }

  #stalled({ delivered, last }: Look): RelayError {
    const { stream, durable } = this.#options
    const reason = `its consumer ${durable} has delivered up to ${delivered} and says that nothing is pending, and the stream has ${last}: its server lags behind; nats consumer cluster step-down ${stream} ${durable}`
    return unavailable(stream, reason)
  }

  async #onError(error: unknown): Promise<void> {
    const { stream, clock } = this.#options
    if (isRelayError(error)) throw error
    const number = errorNumber(error)
    if (number === JETSTREAM_ERROR.streamNotFound) throw missingStream(stream)
    if (number === CONSUMER_NOT_FOUND && this.#durable.isOpen) {
      const text = `the consumer of ${stream} is missing: was it deleted?`
      throw unfit(stream, text, {
        setting: 'consumer',
        expected: 'a consumer of this name',
        received: 'none',
      })
    }
    if (!isTransient(error)) {
      const reason = printable(error instanceof Error ? error.message : String(error), 200)
      throw unavailable(stream, reason, error)
    }
    this.#restart()
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures)
    this.#failures += 1
    await sleep(clock, delayMs, this.#stopped.signal).catch(() => {})
  }
}
