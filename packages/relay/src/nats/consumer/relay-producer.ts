/**
 * Fills the queue of one reader: each message once, in the order of the stream. The fetches (`fetch-loop.ts`), the consumer on the
 * server (`durable-consumer.ts`) and the acknowledgements (`acknowledger.ts`) have their own files.
 */
import { type AbortSignalLike, escapeControlChars } from '@brokerwire/core'
import { type Producer, sleep } from '@brokerwire/core/internal'
import type { ItemBatch, StreamDecoders } from '@brokerwire/streams'
import type { JsMsg } from '@nats-io/jetstream'
import { isRelayError } from '../../relay-error.ts'
import { sinkUnavailable } from '../../sink/sink-errors.ts'
import { acknowledgeItem, type RelayItem } from '../../wire/items.ts'
import type { ReaderGap } from '../../wire/notices.ts'
import { JETSTREAM_ERROR, MAX_STALE_READS } from '../api/jetstream-api.ts'
import { streamMissing } from '../api/stream-config-errors.ts'
import { Acknowledger } from './acknowledger.ts'
import { CONSUMER_NOT_FOUND, errorNumber, isTransient } from './client-errors.ts'
import { type Delivery, DeliveryQueue } from './delivery-queue.ts'
import {
  DurableConsumer,
  type DurableConsumerOptions,
  type MissingRange,
  type ReaderProgress,
} from './durable-consumer.ts'
import { FetchLoop, type FetchLoopOptions } from './fetch-loop.ts'
import { matchesAccounts, parseMessage } from './parse-message.ts'
import { itemTimes, readerGap } from './reader-gap.ts'
import { StallDetector, stalledConsumer } from './stall-detector.ts'

export interface RelayProducerOptions<Event>
  extends DurableConsumerOptions,
    Omit<FetchLoopOptions, 'signal' | 'expiresMs'> {
  /** Tokens of the selected accounts; `undefined`: all. */
  readonly accounts: ReadonlySet<string> | undefined
  readonly stallTimeoutMs: number
  readonly decoders: StreamDecoders<Event>
  readonly signal: AbortSignalLike | undefined
}

const RETRY_MS = 100
const MAX_RETRY_MS = 2000

export class RelayProducer<Event> implements Producer<RelayItem<Event>, ItemBatch<RelayItem<Event>>> {
  readonly signal: AbortSignalLike | undefined
  readonly onConsumed: (item: RelayItem<Event>) => void
  readonly queue: DeliveryQueue<RelayItem<Event>>
  readonly #options: RelayProducerOptions<Event>
  readonly #isAuto: boolean
  /** Whether each sequence of the stream is received. */
  readonly #isContiguous: boolean
  readonly #durable: DurableConsumer
  readonly #fetches: FetchLoop
  readonly #stalls: StallDetector
  /** Used with `auto` only. */
  readonly #acks = new Acknowledger<Delivery<RelayItem<Event>>>()
  /** With `auto`: the last sequence that was received, and the last one that the reader took. */
  #receivedUpTo: number | undefined
  #takenUpTo: number | undefined
  #lastReceived: RelayItem<Event> | undefined
  #lastTaken: RelayItem<Event> | undefined
  /** The last item that was queued. */
  #lastQueued: Delivery<RelayItem<Event>> | undefined
  /** With `auto`: whether messages were received and not taken, so that they will be redelivered. */
  #hasDropped = false
  /** With `manual`: sequences of messages that were received and are not acknowledged. */
  readonly #unacked = new Set<number>()
  /** With `manual`: acknowledges an item that has no `ack()`. */
  readonly #ackOnNext = new WeakMap<RelayItem<Event>, () => void>()
  /** The first consumer of the stream that is read now. Earlier ones were of another stream of the same name. */
  #firstConsumer = 0
  /** Whether the truncation must still be reported. `#truncated` is its notice until the reader takes it. */
  #isTruncated = false
  #truncated: ReaderGap | undefined
  readonly #stopped = new AbortController()
  #failures = 0
  /** How many times in a row the stream was missing. */
  #streamMissing = 0
  #hasFailed = false
  /** With `manual`: messages that arrived after the end and must be rejected (NAK); `undefined` when that is done. */
  #unread: JsMsg[] | undefined = []
  #ended: Promise<void> | undefined

  constructor(options: RelayProducerOptions<Event>) {
    this.#options = options
    this.#isAuto = options.ack === 'auto'
    this.#isContiguous = this.#isAuto && !options.isFiltered
    this.signal = options.signal
    this.onConsumed = this.#isAuto
      ? () => this.#acks.complete(this.#durable.opened)
      : (item) => this.#ackOnNext.get(item)?.()
    this.#durable = new DurableConsumer(options, {
      progress: () => this.#progress(),
      onTruncated: () => this.#onTruncated(),
    })
    this.#stalls = new StallDetector(() => this.#durable.takeSnapshot())
    this.queue = new DeliveryQueue({
      onTaken: (delivery, isLast) => this.#onTaken(delivery, isLast),
      onEmpty: () => this.#fetches.wake(),
    })
    const { maxItems, maxBytes, maxPayload, stallTimeoutMs: expiresMs } = options
    this.#fetches = new FetchLoop(
      {
        fetch: (request) => {
          // Sent before the next consumer is opened, because they do not apply to it.
          if (!this.#durable.isOpen) this.#acks.flush()
          return this.#durable.fetch(request)
        },
        onFetch: (request) => this.#onFetch(request),
        isAwaited: () => this.queue.isAwaited && !this.#hasFailed,
        waiting: () => this.queue.size,
        receive: (message, data) => this.#receive(message, data),
        onIdle: () => this.#onIdle(),
        onError: (error) => this.#onError(error),
      },
      { maxItems, maxBytes, maxPayload, expiresMs, signal: this.#stopped.signal },
    )
  }

  start(): void {
    this.#fetches.run().catch((error: unknown) => this.#fail(error))
  }

  stop(): void {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.#acks.flush()
    this.#hasDropped ||= this.queue.size > 0
    this.#unread?.unshift(...this.queue.drain())
    this.#fetches.wake()
    this.#ended = this.#end()
    this.#ended.catch(() => {})
  }

  teardown(): Promise<void> {
    return this.#ended ?? Promise.resolve()
  }

  batch(items: RelayItem<Event>[]): ItemBatch<RelayItem<Event>> {
    const ack = (): void => items.forEach(acknowledgeItem)
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  async #end(): Promise<void> {
    // The messages of the last read of the socket arrive within a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    this.#fetches.close()
    // A NAK redelivers a message at once. The fetch has ended, so the message goes to another process.
    const unread = this.#unread ?? []
    this.#unread = undefined
    if (!this.#isAuto) for (const message of unread) message.nak()
    if (!this.#isAuto) return
    try {
      await this.#durable.waitForAck(this.#acks.last?.message?.seq)
      await this.#durable.saveCheckpoint()
    } catch {
      // Ignored. The next reader receives handled messages again, and may report some of them as missing.
    }
  }

  #receive(message: JsMsg, data: Uint8Array): void {
    if (this.#hasFailed || this.#stopped.signal.aborted) {
      this.#returnMessage(message)
      return
    }
    this.#failures = 0
    this.#streamMissing = 0
    this.#stalls.reset()
    const { seq } = message
    if (this.#isAuto && !this.#durable.countDelivery(message.info.deliverySequence)) {
      // Create the consumer again after the last handled message: a lost delivery would be redelivered late.
      this.#restart()
      return
    }
    this.#receivedUpTo ??= this.#durable.checkpoint.sequence
    const isDuplicate = this.#isAuto ? seq <= this.#receivedUpTo : this.#unacked.has(seq)
    if (isDuplicate) {
      this.#fetches.onTaken()
      return
    }
    const consumer = this.#durable.opened
    let item: RelayItem<Event>
    try {
      item = parseMessage(message, data, this.#options.decoders, () => this.#ack(message, consumer))
    } catch (error) {
      // The message is not skipped: the reader ends before it, and no message after it is acknowledged.
      this.#fail(error)
      return
    }
    this.#reportMissing(seq, item)
    this.#receivedUpTo = seq
    this.#lastReceived = item
    const delivery = { item, message, sequence: seq, bytes: data.length, consumer }
    if (!matchesAccounts(message, item.type, this.#options.accounts)) {
      this.#skip(delivery)
      this.#fetches.onTaken()
      return
    }
    if (!this.#isAuto) this.#unacked.add(seq)
    this.#push(delivery)
  }

  /** Reports messages that are missing before `seq`. @param after - The message of `seq`, if there is one. */
  #reportMissing(seq: number, after: RelayItem<Event> | undefined): void {
    if (this.#isTruncated) this.#pushTruncated(after)
    const fromSeq = (this.#receivedUpTo ?? 0) + 1
    if (this.#isContiguous && after !== undefined && seq > fromSeq) {
      const certain = seq - 1 > this.#durable.checkpoint.handledAtMost
      this.#pushMissing({ fromSeq, toSeq: seq - 1, certain }, after)
    }
    for (const missing of this.#durable.takeMissing(seq)) this.#pushMissing(missing, after)
  }

  #pushMissing(missing: MissingRange, after: RelayItem<Event> | undefined): void {
    const before = this.#lastReceived
    const item = readerGap(
      { cause: 'retention', ...missing },
      before === undefined ? this.#durable.checkpoint.times : itemTimes(before),
      after === undefined ? {} : itemTimes(after),
      this.#options.clock.now(),
    )
    const consumer = this.#durable.opened
    // Completing the notice acknowledges this message, and so all messages before the notice.
    const last = this.#isAuto && this.#lastQueued?.consumer === consumer ? this.#lastQueued : undefined
    this.#push({ item, message: last?.message, sequence: missing.toSeq, bytes: 0, consumer })
  }

  #push(delivery: Delivery<RelayItem<Event>>): void {
    this.#lastQueued = delivery
    this.queue.push(delivery)
  }

  /** Acknowledges a message that is not selected, together with the item before the message. */
  #skip(delivery: Delivery<RelayItem<Event>>): void {
    const { message, sequence, consumer } = delivery
    if (!this.#isAuto) {
      message?.ack()
    } else if (this.queue.size === 0 && this.#acks.isIdle) {
      this.#acks.track(delivery, true)
      this.#acks.complete(consumer)
    } else if (this.#lastQueued?.consumer === consumer) {
      this.#lastQueued.message = message
      this.#lastQueued.sequence = sequence
    }
  }

  #progress(): ReaderProgress {
    const { last, isIdle } = this.#acks
    return {
      handledUpTo: last?.sequence,
      takenUpTo: this.#takenUpTo,
      hasHandledAll: isIdle && this.queue.size === 0 && !this.#hasDropped,
      times: last === undefined ? {} : itemTimes(last.item),
    }
  }

  async #onFetch(request: () => Promise<IteratorResult<JsMsg>>): Promise<void> {
    await this.#durable.findRemoved(request)
    this.#hasDropped = false
  }

  #onTruncated(): void {
    this.#firstConsumer = this.#durable.opened + 1
    this.#acks.reset(this.#firstConsumer)
    this.#unacked.clear()
    this.#receivedUpTo = undefined
    this.#takenUpTo = undefined
    this.#isTruncated = true
  }

  #pushTruncated(after: RelayItem<Event> | undefined): void {
    const before = this.#lastReceived
    const item = readerGap(
      { cause: 'stream-truncated', fromSeq: undefined, toSeq: undefined, certain: false },
      before === undefined ? {} : itemTimes(before),
      after === undefined ? {} : itemTimes(after),
      this.#options.clock.now(),
    )
    this.#isTruncated = false
    this.#truncated = item
    const { sequence } = this.#durable.checkpoint
    this.#push({ item, message: undefined, sequence, bytes: 0, consumer: this.#durable.opened })
  }

  #returnMessage(message: JsMsg): void {
    this.#hasDropped = true
    if (this.#unread !== undefined) this.#unread.push(message)
    else if (!this.#isAuto) message.nak()
  }

  #onTaken(delivery: Delivery<RelayItem<Event>>, isLast: boolean): void {
    const { item, message } = delivery
    if (item === this.#truncated) this.#truncated = undefined
    if (this.#isAuto) {
      this.#takenUpTo = delivery.sequence
      this.#lastTaken = item
      this.#acks.track(delivery, isLast)
    } else if (item.type !== 'event' && message !== undefined)
      this.#ackOnNext.set(item, () => this.#ack(message, delivery.consumer))
    this.#fetches.onTaken()
  }

  #ack(message: JsMsg, consumer: number): void {
    if (consumer >= this.#firstConsumer && this.#unacked.delete(message.seq)) message.ack()
  }

  /** Opens the consumer again. With `auto`, it delivers all messages again that were not handled. */
  #restart(): void {
    this.#durable.invalidate()
    this.#fetches.close()
    if (!this.#isAuto) return
    this.#hasDropped ||= this.queue.size > 0
    this.queue.drain()
    this.#receivedUpTo = this.#takenUpTo
    this.#lastReceived = this.#lastTaken
    this.#isTruncated ||= this.#truncated !== undefined
  }

  #fail(error: unknown): void {
    this.#hasFailed = true
    this.#hasDropped = true
    this.queue.close({ error })
  }

  #onIdle(): void {
    this.#reportMissing(Number.POSITIVE_INFINITY, undefined)
    const stall = this.#stalls.onIdle()
    if (stall === undefined) return
    this.#restart()
    const { stream, durableName } = this.#options
    if (!this.#isAuto) throw stalledConsumer(stream, durableName, stall)
  }

  async #onError(error: unknown): Promise<void> {
    const { stream, clock } = this.#options
    if (isRelayError(error)) throw error
    const number = errorNumber(error)
    if (number === JETSTREAM_ERROR.streamNotFound) {
      // A stream that is being recreated exists again soon, so this error is retried.
      this.#streamMissing += 1
      if (this.#durable.opened === 0 || this.#streamMissing > MAX_STALE_READS) throw streamMissing(stream)
    }
    const isMissing = number === JETSTREAM_ERROR.streamNotFound || number === CONSUMER_NOT_FOUND
    if (!isMissing && !isTransient(error)) {
      const reason = escapeControlChars(error instanceof Error ? error.message : String(error), 200)
      throw sinkUnavailable(stream, reason, error)
    }
    this.#restart()
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures)
    this.#failures += 1
    await sleep(clock, delayMs, this.#stopped.signal).catch(() => {})
  }
}
