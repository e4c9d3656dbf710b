/** The durable consumer on the server: made if it does not exist, compared with the options if it does. */
import { printable } from '@brokerwire/core'
import type { Consumer, ConsumerAPI, ConsumerInfo, JetStreamClient } from '@nats-io/jetstream'
import { rewound, unfit } from '../../sink/sink-errors.ts'
import { MAX_BEHIND } from '../api/jetstream-api.ts'
import { CONSUMER_NOT_FOUND, errorNumber, LeaderBehindError } from './client-errors.ts'
import type { Look } from './stall-detector.ts'

/** The client of `@nats-io/jetstream`, as far as it is used. */
export type JetStreamClientLike = Pick<JetStreamClient, 'consumers' | 'jetstreamManager'>

export interface DurableConsumerOptions {
  readonly js: JetStreamClientLike
  readonly stream: string
  readonly subject: string
  readonly durable: string
  readonly from: 'all' | 'new'
  readonly ack: 'auto' | 'manual'
  readonly maxUnacked: number
}

export class DurableConsumer {
  readonly #options: DurableConsumerOptions
  #consumer: Consumer | undefined
  #opened = 0
  #nextDelivery = 0
  /** When the stream that is read was made. */
  #created: string | undefined
  /** How many times in a row the stream had fewer messages than were handled. */
  #behind = 0

  constructor(options: DurableConsumerOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#consumer !== undefined
  }

  /** How many times the consumer was opened. */
  get opened(): number {
    return this.#opened
  }

  /** The consumer is to be opened again before the next fetch. */
  invalidate(): void {
    this.#consumer = undefined
  }

  /** Counts a delivery. @returns `false` if a delivery before it was lost on its way. */
  countDelivery(deliverySequence: number): boolean {
    if (deliverySequence !== this.#nextDelivery) return false
    this.#nextDelivery += 1
    return true
  }

  /** @param handledUpTo - The last message that this process has handled. */
  async open(handledUpTo: number | undefined): Promise<Consumer> {
    if (this.#consumer !== undefined) return this.#consumer
    const { js, stream, subject, durable, from, ack, maxUnacked } = this.#options
    const config = {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: ack === 'auto' ? ('all' as const) : ('explicit' as const),
      deliver_policy: from,
      max_ack_pending: ack === 'auto' ? -1 : maxUnacked,
    }
    const { consumers, streams } = await js.jetstreamManager(false)
    const { created, state } = await streams.info(stream)
    this.#requireSameStream(created, state.last_seq, handledUpTo ?? 0)
    const found = await consumers.info(stream, durable).catch((error: unknown) => {
      if (errorNumber(error) === CONSUMER_NOT_FOUND) return undefined
      throw error
    })
    if (found !== undefined) this.#requireSameConfig(found.config, config)
    const isNew = found === undefined || (await this.#deleteIfOutOfOrder(found, consumers))
    const startAfter = handledUpTo ?? found?.ack_floor.stream_seq
    const start =
      startAfter === undefined
        ? {}
        : { deliver_policy: 'by_start_sequence' as const, opt_start_seq: startAfter + 1 }
    const { delivered } = isNew ? await consumers.add(stream, { ...config, ...start }) : found
    this.#nextDelivery = delivered.consumer_seq + 1
    this.#opened += 1
    this.#consumer = await js.consumers.get(stream, durable)
    return this.#consumer
  }

  /** Asks the stream's leader and the consumer's server how far they are. */
  async look(): Promise<Look> {
    const { js, stream, subject, durable } = this.#options
    const { consumers, streams } = await js.jetstreamManager(false)
    const [last, { delivered, num_pending: pending }] = await Promise.all([
      streams.getMessage(stream, { last_by_subj: subject }),
      consumers.info(stream, durable),
    ])
    return { last: last?.seq ?? 0, delivered: delivered.stream_seq, pending }
  }

  /** The last message up to which all messages are acknowledged. */
  async ackFloor(): Promise<number> {
    const { js, stream, durable } = this.#options
    const { consumers } = await js.jetstreamManager(false)
    return (await consumers.info(stream, durable)).ack_floor.stream_seq
  }

  /** In another stream of the same name the sequences mean other messages: the first ones would be skipped. */
  #requireSameStream(created: string, lastSequence: number, handledUpTo: number): void {
    this.#behind = lastSequence < handledUpTo ? this.#behind + 1 : 0
    if ((this.#created ?? created) !== created || this.#behind > MAX_BEHIND)
      throw rewound(this.#options.stream, handledUpTo, lastSequence)
    this.#created = created
    if (this.#behind > 0) throw new LeaderBehindError()
  }

  /**
   * With `auto` one process reads, in order. A message that was delivered to another process, or was lost, and was not
   * acknowledged would come again only after a while, after newer ones. So the consumer is made again after the last message that
   * was acknowledged.
   */
  async #deleteIfOutOfOrder(found: ConsumerInfo, consumers: ConsumerAPI): Promise<boolean> {
    const { stream, durable, ack } = this.#options
    if (ack === 'manual' || (found.num_ack_pending === 0 && this.#opened === 0)) return false
    await consumers.delete(stream, durable)
    return true
  }

  #requireSameConfig(
    config: ConsumerInfo['config'],
    asked: Readonly<Record<'filter_subject' | 'ack_policy', string>>,
  ): void {
    const { stream, durable } = this.#options
    for (const setting of ['filter_subject', 'ack_policy'] as const) {
      const received = String(config[setting])
      if (received === asked[setting]) continue
      const text = `the consumer ${durable} of ${stream} was made for something else: give this one a name of its own, or delete that one`
      throw unfit(stream, text, {
        setting,
        expected: asked[setting],
        received: printable(received, 200),
        command: `nats consumer rm ${stream} ${durable}`,
      })
    }
  }
}
