/** The durable consumer on the server: created if it does not exist, otherwise compared with the options. */
import type { Clock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import type {
  Consumer,
  ConsumerAPI,
  ConsumerInfo,
  ConsumerMessages,
  FetchOptions,
  JetStreamClient,
  JsMsg,
  StreamInfo,
} from '@nats-io/jetstream'
import { MAX_STALE_READS } from '../api/jetstream-api.ts'
import {
  type Checkpoint,
  computeCheckpoint,
  parseCheckpoint,
  removedAfter,
  type SequenceRange,
  type StreamState,
  serializeCheckpoint,
} from './checkpoint.ts'
import { CONSUMER_NOT_FOUND, errorNumber, LeaderBehindError } from './client-errors.ts'
import { consumerMissing, getAckPolicy, requireSameConfig } from './consumer-config.ts'
import type { EventTimes } from './reader-gap.ts'
import type { ConsumerSnapshot } from './stall-detector.ts'

/** The part of a client of `@nats-io/jetstream` that is used. */
export type JetStreamClientLike = Pick<JetStreamClient, 'consumers' | 'jetstreamManager'>

export interface DurableConsumerOptions {
  readonly js: JetStreamClientLike
  readonly stream: string
  readonly subject: string
  /** Whether `subject` selects only a part of the stream's messages. */
  readonly isFiltered: boolean
  readonly durableName: string
  readonly deliver: 'all' | 'new'
  readonly ack: 'auto' | 'manual'
  readonly maxUnacked: number
  readonly maxItems: number
  readonly clock: Clock
}

/** A fetch that gets no message for this long is waiting at the end of the stream. */
const FIRST_MESSAGE_MS = 1000
const MAX_ACK_CHECKS = 24
const MAX_ACK_CHECK_MS = 20

/** The progress of the reader in this process, with `ack: 'auto'`. */
export interface ReaderProgress {
  /** The last sequence that the reader handled. */
  readonly handledUpTo: number | undefined
  /** The last sequence that the reader took. */
  readonly takenUpTo: number | undefined
  /** Whether the reader has handled all messages that were received. */
  readonly hasHandledAll: boolean
  /** Times of the last event that the reader handled. */
  readonly times: EventTimes
}

/** Callbacks to the reader. */
export interface DurableConsumerPort {
  /** Returns the progress of the reader. */
  progress(): ReaderProgress
  /** Called when the stream was deleted and created again, or restored. */
  onTruncated(): void
}

/** A range of missing messages. */
export interface MissingRange extends SequenceRange {
  /** See `ReaderGap`. */
  readonly certain: boolean
}

export class DurableConsumer {
  readonly #options: DurableConsumerOptions
  readonly #port: DurableConsumerPort
  #consumer: Consumer | undefined
  #opened = 0
  #nextDelivery = 0
  /** The creation times of the stream and of the consumer. */
  #streamCreated: string | undefined
  #consumerCreated: string | undefined
  /** How many times in a row the stream had fewer messages than were handled. */
  #staleReads = 0
  /** The checkpoint at the first opening, or in a recreated stream. */
  #origin: Checkpoint | undefined
  /** The checkpoint at the last opening. */
  #checkpoint: Checkpoint = { sequence: 0, handledAtMost: 0, times: {} }
  /** Whether the messages after `#checkpoint` must still be compared with the stream. */
  #isUnchecked = true
  #reportedUpTo = 0
  /** Messages that are missing and not reported yet. */
  #missing: MissingRange[] = []

  constructor(options: DurableConsumerOptions, port: DurableConsumerPort) {
    this.#options = options
    this.#port = port
  }

  get isOpen(): boolean {
    return this.#consumer !== undefined
  }

  /** How many times the consumer was opened. */
  get opened(): number {
    return this.#opened
  }

  /** The checkpoint at the last opening of the consumer. */
  get checkpoint(): Checkpoint {
    return this.#checkpoint
  }

  /** Discards the consumer, so that the next fetch opens it again. */
  invalidate(): void {
    this.#consumer = undefined
    // With `auto`, missing messages are found again when the consumer is opened.
    if (this.#options.ack === 'auto') this.#missing = []
  }

  /** Counts a delivery. @returns `false` if a delivery before it was lost. */
  countDelivery(deliverySequence: number): boolean {
    if (deliverySequence !== this.#nextDelivery) return false
    this.#nextDelivery += 1
    return true
  }

  /** Removes and returns the missing ranges before a sequence. They are reported before its message. */
  takeMissing(before: number): MissingRange[] {
    if (this.#missing.length === 0) return []
    // The message of that sequence is not missing, even if it was removed after its delivery.
    const taken = this.#missing
      .filter(({ fromSeq }) => fromSeq < before)
      .map((range) => ({ ...range, toSeq: Math.min(range.toSeq, before - 1) }))
    this.#missing = this.#missing.filter(({ fromSeq }) => fromSeq >= before)
    this.#reportedUpTo = taken.at(-1)?.toSeq ?? this.#reportedUpTo
    return taken
  }

  /** Prepares a fetch. The consumer is opened first if it is not open. */
  async fetch(options: FetchOptions): Promise<ConsumerMessages> {
    const { js, stream, durableName } = this.#options
    if (this.#consumer === undefined) {
      await this.#open()
      this.#consumer = await js.consumers.get(stream, durableName)
    }
    return this.#consumer.fetch(options)
  }

  /**
   * Finds messages that were removed before the consumer reached them. While a fetch waits, the consumer
   * delivers each message when it is stored. So removed messages are after the last one that was delivered
   * before the fetch, and before the first message of the fetch.
   *
   * @param request - Sends the fetch, and returns its first message.
   */
  async findRemoved(request: () => Promise<IteratorResult<JsMsg>>): Promise<void> {
    const { js, stream, durableName, ack, isFiltered, clock } = this.#options
    // With `auto` and without a filter, the reader compares each sequence with the one before.
    if (ack === 'auto' && !isFiltered) {
      void request()
      return
    }
    const { consumers, streams } = await js.jetstreamManager(false)
    const { delivered } = await consumers.info(stream, durableName)
    const { sequence, handledAtMost } = this.#isUnchecked
      ? this.#checkpoint
      : { sequence: delivered.stream_seq, handledAtMost: delivered.stream_seq }
    const from = Math.max(sequence, this.#missing.at(-1)?.toSeq ?? this.#reportedUpTo)
    const stopWaiting = new AbortController()
    const wait = sleep(clock, FIRST_MESSAGE_MS, stopWaiting.signal).catch(() => {})
    await Promise.race([request(), wait]).finally(() => stopWaiting.abort())
    const state = toStreamState(await streams.info(stream, { deleted_details: true }))
    this.#isUnchecked = false
    for (const range of removedAfter(from, state))
      this.#missing.push({ ...range, certain: !isFiltered && range.toSeq > handledAtMost })
  }

  /** Reads the state of the stream from its leader, and that of the consumer from its server. */
  async takeSnapshot(): Promise<ConsumerSnapshot> {
    const { js, stream, subject, durableName } = this.#options
    const { consumers, streams } = await js.jetstreamManager(false)
    const [last, { delivered, num_pending: pending }] = await Promise.all([
      streams.getMessage(stream, { last_by_subj: subject }),
      consumers.info(stream, durableName),
    ])
    return { last: last?.seq ?? 0, delivered: delivered.stream_seq, pending }
  }

  /** Waits until the server has an acknowledgement, so that the next reader gets no handled message again. */
  async waitForAck(upTo: number | undefined): Promise<void> {
    const { js, stream, durableName, clock } = this.#options
    if (upTo === undefined) return
    const { consumers } = await js.jetstreamManager(false)
    for (let check = 0; check < MAX_ACK_CHECKS; check += 1) {
      const { ack_floor: floor } = await consumers.info(stream, durableName)
      if (floor.stream_seq >= upTo) return
      // The server usually has the acknowledgement within a millisecond.
      await sleep(clock, Math.min(MAX_ACK_CHECK_MS, 2 ** check))
    }
  }

  /** Writes the checkpoint into the consumer's description when the reader ends. */
  async saveCheckpoint(): Promise<void> {
    const { js, stream, durableName } = this.#options
    if (this.#opened === 0) return
    const { consumers } = await js.jetstreamManager(false)
    const found = await consumers.info(stream, durableName)
    // Another reader has created the consumer again, so its description is not changed.
    if (found.created !== this.#consumerCreated) return
    const progress = this.#port.progress()
    const checkpoint = this.#handled(this.#isAtEnd(found, progress) ? found.delivered.stream_seq : 0)
    const description = serializeCheckpoint(checkpoint, found.delivered.consumer_seq)
    if (description !== found.config.description) await consumers.update(stream, durableName, { description })
  }

  async #open(): Promise<void> {
    const { js, stream, durableName, ack } = this.#options
    const { consumers, streams } = await js.jetstreamManager(false)
    const info = await streams.info(stream, { deleted_details: true })
    const found = await this.#find(consumers)
    if (found !== undefined) requireSameConfig(found.config, this.#options)
    const known = Math.max(this.#port.progress().handledUpTo ?? 0, found?.ack_floor.stream_seq ?? 0)
    const isOther = this.#streamCreated !== undefined && this.#streamCreated !== info.created
    const isRestored = !isOther && this.#isRestored(info.state.last_seq, known)
    if (isOther || isRestored) {
      const start = isRestored ? info.state.last_seq : 0
      this.#origin = { sequence: start, handledAtMost: start, times: {} }
      this.#checkpoint = this.#origin
      this.#port.onTruncated()
    } else {
      this.#checkpoint = this.#checkpointIn(info, found)
      this.#origin ??= this.#checkpoint
    }
    this.#streamCreated = info.created
    this.#isUnchecked = true
    this.#reportedUpTo = 0
    // With `auto` one process reads, in order. A message that was delivered to another process or was lost would be redelivered
    // after newer ones. So the consumer is created again after the last handled message.
    const isInOrder = ack === 'manual' || (this.#opened === 0 && found?.num_ack_pending === 0)
    const canStay = found !== undefined && isInOrder && !isRestored
    if (found !== undefined && !canStay) await consumers.delete(stream, durableName)
    const { delivered, created } = canStay ? found : await this.#create(consumers)
    this.#nextDelivery = delivered.consumer_seq + 1
    this.#consumerCreated = created
    this.#opened += 1
  }

  async #find(consumers: ConsumerAPI): Promise<ConsumerInfo | undefined> {
    const { stream, durableName } = this.#options
    return consumers.info(stream, durableName).catch((error: unknown) => {
      if (errorNumber(error) === CONSUMER_NOT_FOUND) return undefined
      throw error
    })
  }

  async #create(consumers: ConsumerAPI): Promise<ConsumerInfo> {
    const { stream, durableName, ack, subject, maxUnacked } = this.#options
    const checkpoint = this.#handled(this.#checkpoint.sequence)
    const config = {
      durable_name: durableName,
      description: serializeCheckpoint(checkpoint, 0),
      filter_subject: subject,
      ack_policy: getAckPolicy(ack),
      deliver_policy: 'by_start_sequence' as const,
      opt_start_seq: checkpoint.handledAtMost + 1,
      max_ack_pending: ack === 'auto' ? -1 : maxUnacked,
    }
    try {
      return await consumers.add(stream, config)
    } catch (error) {
      // With `manual`, another process may have created the consumer at the same time.
      const found = ack === 'manual' ? await this.#find(consumers) : undefined
      if (found === undefined) throw error
      return found
    }
  }

  #checkpointIn(info: StreamInfo, found: ConsumerInfo | undefined): Checkpoint {
    const { stream, ack, isFiltered, deliver, maxItems } = this.#options
    const { first_seq, last_seq } = info.state
    if (this.#opened > 0 && ack === 'auto') {
      const progress = this.#port.progress()
      const { takenUpTo, times } = progress
      if (takenUpTo === undefined) return this.#checkpoint
      const isAtEnd = found !== undefined && this.#isAtEnd(found, progress)
      const sequence = isAtEnd ? Math.max(takenUpTo, found.delivered.stream_seq) : takenUpTo
      return { sequence, handledAtMost: sequence, times }
    }
    if (found === undefined) {
      if (this.#opened > 0) throw consumerMissing(stream)
      const sequence = deliver === 'all' ? Math.max(0, first_seq - 1) : last_seq
      return { sequence, handledAtMost: sequence, times: {} }
    }
    // The reader may handle one batch while another one waits.
    const window = isFiltered ? undefined : 2 * maxItems
    return computeCheckpoint(
      found,
      parseCheckpoint(found.config.description),
      toStreamState(info),
      ack,
      window,
    )
  }

  /**
   * Whether a consumer with a filter is at the end of the stream. The end may be far after the last message
   * that it delivered.
   */
  #isAtEnd({ delivered }: ConsumerInfo, { hasHandledAll }: ReaderProgress): boolean {
    if (!this.#options.isFiltered || !hasHandledAll || this.#missing.length > 0) return false
    return delivered.consumer_seq === this.#nextDelivery - 1
  }

  /**
   * Returns the checkpoint.
   *
   * @param passedUpTo - There is no message between the last handled one and this.
   */
  #handled(passedUpTo: number): Checkpoint {
    const { handledUpTo, hasHandledAll, times } = this.#port.progress()
    const handled =
      handledUpTo === undefined
        ? (this.#origin ?? this.#checkpoint)
        : { sequence: handledUpTo, handledAtMost: handledUpTo, times }
    if (!hasHandledAll || passedUpTo <= handled.sequence) return handled
    return { ...handled, sequence: passedUpTo, handledAtMost: passedUpTo }
  }

  /**
   * Whether the stream has old data: fewer messages than were handled.
   *
   * @throws LeaderBehindError while its leader may lag behind.
   */
  #isRestored(last: number, handledUpTo: number): boolean {
    this.#staleReads = last < handledUpTo ? this.#staleReads + 1 : 0
    if (this.#staleReads === 0) return false
    if (this.#staleReads <= MAX_STALE_READS) throw new LeaderBehindError()
    this.#staleReads = 0
    return true
  }
}

function toStreamState({ state }: StreamInfo): StreamState {
  return { firstSeq: state.first_seq, deleted: state.deleted ?? [] }
}
