/**
 * A relay's stream, read with a durable consumer of JetStream: the same items as those of `@brokerwire/streams`.
 *
 * Messages are fetched in parts that are bounded in number, two at a time: the next one is asked for when half of the one before
 * is handled, and what waits here never grows, however slow its reader. A server answers requests in their order, so the parts
 * follow each other without a hole.
 */
import { type Clock, printable } from '@brokerwire/core'
import {
  array,
  clock,
  custom,
  type FieldsOf,
  integer,
  isRecord,
  object,
  onAbort,
  oneOf,
  optional,
  port,
  readOptions,
  signal,
  sleep,
  string,
} from '@brokerwire/core/internal'
import { type ModuleEvent, payloads as standardPayloads } from '@brokerwire/payloads'
import type { BatchStream, EventStream, ItemBatch, StreamDecoders } from '@brokerwire/streams'
import type {
  Consumer,
  ConsumerAPI,
  ConsumerInfo,
  ConsumerMessages,
  JetStreamClient,
  JsMsg,
} from '@nats-io/jetstream'
import type { Subscription } from '../fleet/slots.ts'
import { isRelayError, optionFailure } from '../relay-error.ts'
import { rewound, sinkClosed, unavailable, unfit } from '../sink/sink-errors.ts'
import { type RelayItem, readItem } from '../wire/items.ts'
import {
  type StreamAddress,
  streamAddress,
  streamName,
  subjectRoot,
  subjectsOf,
  subjectToken,
} from '../wire/subjects.ts'
import { JETSTREAM_ERROR, MAX_BEHIND, MOST_MAX_PAYLOAD } from './jetstream-api.ts'
import { missingStream } from './mending.ts'
import { headerReader, textOf } from './message-headers.ts'
import { isStalled, type Look } from './stalled.ts'

/** The client of `@nats-io/jetstream`, as far as it is used. */
export type JetStreamClientLike = Pick<JetStreamClient, 'consumers' | 'jetstreamManager'>

/** Options of {@link consumeRelay}. Read once. */
export interface ConsumeRelayOptions<Event = ModuleEvent> {
  /** `jetstream(connection)` of `@nats-io/jetstream`. */
  readonly js: JetStreamClientLike
  readonly address: StreamAddress
  /** Name of the consumer: where it stopped, one of the same name goes on. */
  readonly durable: string
  /** @defaultValue everything in the stream */
  readonly filter?:
    | {
        /** One of the subscriptions: its events and notices. */
        readonly stream?: Subscription | undefined
        /** Events whose payload names one of these, and all notices. Events without a readable account are left out. */
        readonly accounts?: readonly string[] | undefined
      }
    | undefined
  /** Where a consumer that does not exist yet begins. @defaultValue 'all' */
  readonly from?: 'all' | 'new' | undefined
  /**
   * `auto`: asking for the next item acknowledges the one before, at the end of the turn of the event loop; one process at a
   * time. `manual`: `item.ack()` does, at once; several processes may share the work. Fixed when the consumer is made. @defaultValue 'auto'
   */
  readonly ack?: 'auto' | 'manual' | undefined
  /** With `ack: 'manual'`: how many may wait for `ack()`. @defaultValue 10_000 */
  readonly maxUnacked?: number | undefined
  /** Messages that are fetched, and may wait here. @defaultValue 256 */
  readonly maxMessages?: number | undefined
  /**
   * Bytes of them: no more messages are fetched at once than fit where each is as long as the server's `max_payload` allows,
   * 1 MiB if nobody changed it, or as the longest one that has come. One message is always fetched. @defaultValue 128 MiB
   */
  readonly maxBytes?: number | undefined
  /**
   * Without a message for so long, the stream's leader is asked whether there is one: a consumer's server that lags in silence
   * delivers nothing. Where that is so at two looks, `auto` makes the consumer anew behind what was handled, and `manual` ends with
   * `RELAY_SINK_UNAVAILABLE`, which says what to do. Milliseconds. @defaultValue 30_000
   */
  readonly stallMs?: number | undefined
  /** @defaultValue `payloads` of `@brokerwire/payloads` */
  readonly payloads?: StreamDecoders<Event> | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

const FILTER_OPTIONS = {
  stream: optional(oneOf(['module', 'trade', 'position'])),
  accounts: optional(array(string(), { expected: 'a non-empty array of accounts' })),
}
const OPTIONS = {
  js: port<JetStreamClientLike>(['jetstreamManager']),
  address: streamAddress,
  durable: string({ pattern: /^[\w-]{1,128}$/, expected: '1 to 128 letters, digits, _ and -', isName: true }),
  filter: object(FILTER_OPTIONS, {}),
  from: oneOf(['all', 'new'], 'all'),
  ack: oneOf(['auto', 'manual'], 'auto'),
  maxUnacked: integer({ min: 1, max: 10_000_000, default: 10_000 }),
  maxMessages: integer({ min: 1, max: 100_000, default: 256 }),
  maxBytes: integer({ min: 1024 * 1024, max: 64 * 1024 ** 3, default: 128 * 1024 * 1024 }),
  stallMs: integer({ min: 1000, max: 600_000, default: 30_000 }),
  payloads: optional(custom<StreamDecoders<unknown>>('an object of decoders', isRecord)),
  signal,
  clock,
} satisfies FieldsOf<ConsumeRelayOptions>
const BATCH_OPTIONS = { maxItems: integer({ min: 1, max: 1_000_000, default: 1024 }) }

/** Consumer not found. */
const NOT_FOUND = 10014
const RETRY_MS = 100
const MAX_RETRY_MS = 2000
const ACK_LOOKS = 24
const MAX_ACK_LOOK_MS = 20
/** Acknowledgements wait for each other until what they are of has so many bytes: until then it is held. */
const MAX_ACK_BYTES = 64 * 1024
/** The account's place in a subject of an event. */
const ACCOUNT_TOKEN = 6

/**
 * Reads a relay's stream: events and notices in the order in which they stand there.
 *
 * At least once: what was not acknowledged comes again to the next consumer of the same name, never twice to one.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`. `next()` rejects with `RELAY_SINK_UNFIT` where stream or consumer are not as
 * they have to be, `RELAY_SCHEMA_UNKNOWN` and `RELAY_MESSAGE_INVALID`, where the message stays in the stream.
 *
 * @example
 * ```ts
 * import { consumeRelay } from '@brokerwire/relay/nats'
 * import { jetstream } from '@nats-io/jetstream'
 * import { connect } from '@nats-io/transport-node'
 *
 * const connection = await connect({ servers: 'nats://127.0.0.1:4222' })
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', key: 'desk-a' } as const
 * for await (const item of consumeRelay({ js: jetstream(connection), address, durable: 'billing' })) {
 *   if (item.type === 'event') console.log(item.kind, item.decode())
 *   else console.log(item.kind)
 * }
 * ```
 */
export function consumeRelay<Event = ModuleEvent>(
  options: ConsumeRelayOptions<Event>,
): EventStream<RelayItem<Event>> {
  return new RelayConsumer(options)
}

/** Messages of one request. */
interface Part {
  readonly messages: ConsumerMessages
  readonly iterator: AsyncIterator<JsMsg>
  /** How many were asked for. */
  readonly size: number
  taken: number
}

interface Taken {
  readonly message: JsMsg
  /** Its body: the client makes another view of it each time it is asked. */
  readonly data: Uint8Array
}

class RelayConsumer<Event> implements EventStream<RelayItem<Event>> {
  readonly #options
  readonly #stream: string
  readonly #subject: string
  readonly #accounts: ReadonlySet<string> | undefined
  readonly #decoders: StreamDecoders<Event>
  readonly #left = new AbortController()
  #consumer: Consumer | undefined
  #part: Part | undefined
  /** The part behind that one. */
  #ahead: Promise<Part> | undefined
  #pending: Promise<IteratorResult<JsMsg>> | undefined
  /** With `auto`: handed over since the last call. */
  #inHand: { readonly message: JsMsg; readonly bytes: number; readonly consumer: number } | undefined
  /** Handled in this turn of the event loop. */
  #toAcknowledge: JsMsg[] = []
  #toAcknowledgeBytes = 0
  /** With `auto`: the last one that was handled. */
  #handledUpTo: number | undefined
  /** When the stream that is read was made. */
  #created: string | undefined
  /** How often the consumer was opened. */
  #opened = 0
  /** With `auto`: the number that the next delivery has, if none was lost on its way. */
  #expected = 0
  /** With `auto`: what was handed over came up to here, so what comes again is not new. */
  #delivered = 0
  /** With `manual`: handed over and not acknowledged. */
  readonly #unacked = new Set<number>()
  /** A message behind the last batch that cannot be read: whoever asks for more is told. */
  #unreadable: { readonly error: unknown } | undefined
  #turn: Promise<unknown> = Promise.resolve()
  /** How many ask for the next one. */
  #underWay = 0
  #failures = 0
  /** How often in a row the stream had less than was handled. */
  #behind = 0
  /** At the consumer, since the last message. */
  #looked: Look | undefined
  /** Found stalled. */
  #stall: Look | undefined
  /** What the longest message had. */
  #longestBytes = 0

  constructor(given: ConsumeRelayOptions<Event>) {
    const options = readOptions(optionFailure, given, OPTIONS)
    const { address } = options
    const { stream, accounts } = options.filter
    this.#options = options
    this.#stream = streamName(address)
    this.#subject = stream === undefined ? subjectsOf(address) : `${subjectRoot(address)}.${stream}.>`
    this.#accounts = accounts && new Set(accounts.map(subjectToken))
    this.#decoders = (options.payloads ?? standardPayloads) as StreamDecoders<Event>
    if (options.signal !== undefined) onAbort(options.signal, () => void this.return())
  }

  next(): Promise<IteratorResult<RelayItem<Event>, undefined>> {
    this.#handled()
    return this.#inTurn(() => this.#nextItem())
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#left.signal.aborted) {
      this.#left.abort()
      this.#inHand = undefined
      this.#acknowledgeHandled()
      const left = await this.#allAtHand()
      this.#endFetch()
      // For others at once; behind the end of the fetch, or they would come back here. With `auto` the next one begins anew.
      if (this.#options.ack === 'manual') for (const message of left) message.nak()
      await this.#acknowledged().catch(() => {})
    }
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  batches(options: { readonly maxItems?: number | undefined } = {}): BatchStream<RelayItem<Event>> {
    const { maxItems } = readOptions(optionFailure, options, BATCH_OPTIONS)
    const batches: BatchStream<RelayItem<Event>> = {
      next: () => {
        this.#handled()
        return this.#inTurn(() => this.#nextBatch(maxItems))
      },
      return: () => this.return(),
      [Symbol.asyncIterator]: () => batches,
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
    return batches
  }

  /** Whoever asks for more has handled what it was given. */
  #handled(): void {
    if (this.#inHand === undefined) return
    const { message, bytes, consumer } = this.#inHand
    this.#inHand = undefined
    this.#handledUpTo = message.seq
    // The policy of the consumer is `all`: one answers for those before it. One of an earlier consumer would answer for others.
    if (consumer !== this.#opened) return
    // The client writes to its socket each time somebody asks it to, and that is a third of what a message costs.
    if (this.#toAcknowledge.push(message) === 1) setImmediate(() => this.#acknowledgeHandled())
    this.#toAcknowledgeBytes += bytes
    if (this.#toAcknowledgeBytes >= MAX_ACK_BYTES) this.#acknowledgeHandled()
  }

  #acknowledgeHandled(): void {
    const handled = this.#toAcknowledge
    this.#toAcknowledge = []
    this.#toAcknowledgeBytes = 0
    for (const message of handled) message.ack()
  }

  #inTurn<T>(take: () => Promise<T | undefined>): Promise<IteratorResult<T, undefined>> {
    const step = async (): Promise<IteratorResult<T, undefined>> => {
      const { signal } = this.#options
      let value: T | undefined
      try {
        if (this.#unreadable !== undefined) throw this.#unreadable.error
        if (!this.#left.signal.aborted) value = await take()
      } catch (error) {
        return await this.#endWith(error)
      } finally {
        this.#underWay -= 1
      }
      if (value !== undefined) return { done: false, value }
      if (signal?.aborted) throw signal.reason
      return { done: true, value: undefined }
    }
    this.#underWay += 1
    const result = this.#underWay === 1 ? step() : this.#turn.then(step, step)
    this.#turn = result
    return result
  }

  /** What cannot be read is not passed over: the stream ends before it, and nothing behind it is acknowledged. */
  async #endWith(error: unknown): Promise<never> {
    this.#unreadable = undefined
    await this.return()
    throw error
  }

  /** What was handled does not come again: acknowledgements are on their way for a moment, also for the server. */
  async #acknowledged(): Promise<void> {
    const { js, durable, clock, ack } = this.#options
    const upTo = this.#handledUpTo
    if (ack === 'manual' || upTo === undefined) return
    const { consumers } = await js.jetstreamManager(false)
    for (let look = 0; look < ACK_LOOKS; look += 1) {
      const { ack_floor } = await consumers.info(this.#stream, durable)
      if (ack_floor.stream_seq >= upTo) return
      // Most often it is there within a millisecond.
      await sleep(clock, Math.min(MAX_ACK_LOOK_MS, 2 ** look))
    }
  }

  /** Waits for an item, as long as it takes. @returns `undefined` when the stream was left. */
  async #nextItem(): Promise<RelayItem<Event> | undefined> {
    const { signal } = this.#left
    while (!signal.aborted) {
      let message: Taken
      try {
        const part = this.#part ?? (await this.#nextPart())
        this.#pending ??= part.iterator.next()
        const { done, value } = await this.#pending
        this.#pending = undefined
        if (done === true) {
          this.#part = undefined
          if (part.taken === 0) this.#heardNothing()
          continue
        }
        this.#failures = 0
        message = this.#took(part, value)
      } catch (error) {
        this.#pending = undefined
        this.#endFetch()
        if (signal.aborted) return undefined
        await this.#recover(error)
        continue
      }
      const item = this.#take(message)
      if (item !== undefined) return item
    }
    return undefined
  }

  /** For as long as a fetch waits. */
  #heardNothing(): void {
    const stall = this.#stall
    if (stall === undefined) {
      // The next fetch waits meanwhile. Who may not look reads on.
      this.#look().catch(() => {})
      return
    }
    this.#stall = undefined
    this.#looked = undefined
    this.#consumer = undefined
    const { ack, durable } = this.#options
    if (ack === 'auto') return
    const reason = `its consumer ${durable} has delivered up to ${stall.delivered} and says that nothing is pending, and the stream has ${stall.last}: its server lags behind; nats consumer cluster step-down ${this.#stream} ${durable}`
    throw unavailable(this.#stream, reason)
  }

  async #look(): Promise<void> {
    const { js, durable } = this.#options
    const { consumers, streams } = await js.jetstreamManager(false)
    const [last, { delivered, num_pending: pending }] = await Promise.all([
      streams.getMessage(this.#stream, { last_by_subj: this.#subject }),
      consumers.info(this.#stream, durable),
    ])
    const now = { last: last?.seq ?? 0, delivered: delivered.stream_seq, pending }
    if (isStalled(this.#looked, now)) this.#stall = now
    this.#looked = now
  }

  async #nextBatch(maxItems: number): Promise<ItemBatch<RelayItem<Event>> | undefined> {
    const first = await this.#nextItem()
    if (first === undefined) return undefined
    const items = [first]
    while (items.length < maxItems) {
      const message = await this.#messageAtHand()
      if (message === undefined) break
      try {
        const item = this.#take(message)
        if (item !== undefined) items.push(item)
      } catch (error) {
        this.#unreadable = { error }
        break
      }
    }
    const ack = (): void => {
      for (const item of items) if ('ack' in item) item.ack()
    }
    return Object.defineProperty(items, 'ack', { value: ack }) as typeof items & { ack(): void }
  }

  /** @returns `undefined` where the reader does not want it, or has it. */
  #take({ message, data }: Taken): RelayItem<Event> | undefined {
    const { ack } = this.#options
    const { seq } = message
    if (ack === 'auto' && !this.#isNext(message)) return undefined
    if (ack === 'auto' ? seq <= this.#delivered : this.#unacked.has(seq)) return undefined
    const item = this.#read(message, data)
    if (ack === 'auto') {
      this.#delivered = seq
      this.#inHand = { message, bytes: data.length, consumer: this.#opened }
    } else if (item.type === 'notice' || !this.#isWanted(message)) message.ack()
    else this.#unacked.add(seq)
    return item.type === 'event' && !this.#isWanted(message) ? undefined : item
  }

  /** Where a delivery was lost on its way, the consumer begins anew behind what was handled: what is lost would come late. */
  #isNext(message: JsMsg): boolean {
    if (message.info.deliverySequence === this.#expected) {
      this.#expected += 1
      return true
    }
    this.#consumer = undefined
    this.#endFetch()
    return false
  }

  #read(message: JsMsg, data: Uint8Array): RelayItem<Event> {
    const { seq } = message
    const ack = (): void => {
      if (this.#unacked.delete(seq)) message.ack()
    }
    const received = {
      // Decoded where somebody asks for it.
      get subject() {
        return message.subject
      },
      read: headerReader(message, data),
      body: textOf(data),
    }
    return readItem(received, this.#decoders, ack)
  }

  #isWanted({ subject }: JsMsg): boolean {
    return this.#accounts?.has(subject.split('.')[ACCOUNT_TOKEN] ?? '') ?? true
  }

  /** A message that is here already. */
  async #messageAtHand(): Promise<Taken | undefined> {
    const part = this.#part
    if (part === undefined) return undefined
    this.#pending ??= part.iterator.next()
    const pending = this.#pending
    const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined))
    // What goes wrong is found out by whoever waits for the next one.
    const result = await Promise.race([pending, turn]).catch(() => undefined)
    if (result === undefined || result.done === true) return undefined
    // Whoever waited for it before this one has it.
    if (this.#pending !== pending) return await this.#messageAtHand()
    this.#pending = undefined
    return this.#took(part, result.value)
  }

  /** Everything that is here already, of both parts. */
  async #allAtHand(): Promise<JsMsg[]> {
    const found: JsMsg[] = []
    for (;;) {
      const taken = await this.#messageAtHand()
      if (taken !== undefined) found.push(taken.message)
      else if (this.#ahead === undefined) return found
      else {
        const ahead = await this.#ahead.catch(() => undefined)
        this.#closePart()
        this.#ahead = undefined
        this.#part = ahead
      }
    }
  }

  async #nextPart(): Promise<Part> {
    const ahead = this.#ahead
    this.#ahead = undefined
    const part = await (ahead ?? this.#fetch())
    this.#part = part
    return part
  }

  /** Behind the half of a part the next one is asked for. */
  #took(part: Part, message: JsMsg): Taken {
    const { data } = message
    this.#longestBytes = Math.max(this.#longestBytes, data.length)
    part.taken += 1
    this.#looked = undefined
    this.#stall = undefined
    const isHalf = part.taken * 2 >= part.size
    const isRoom = this.#mayWait > part.size
    if (isHalf && isRoom && this.#ahead === undefined && !this.#left.signal.aborted) {
      this.#ahead = this.#fetch()
      // What goes wrong is found out by whoever comes to it.
      this.#ahead.catch(() => {})
    }
    return { message, data }
  }

  /** How many messages may wait, of both parts. */
  get #mayWait(): number {
    const { js, maxMessages, maxBytes } = this.#options
    // A bound of bytes in the request itself makes the client wait for 30 s at the end of each fetch. What the server takes
    // is looked up each time: another one may have been connected to since, and its longer messages are here already.
    const longest = Math.max(this.#longestBytes, maxPayloadOf(js))
    return Math.min(maxMessages, Math.max(1, Math.floor(maxBytes / longest)))
  }

  async #fetch(): Promise<Part> {
    this.#consumer ??= await this.#open()
    const size = Math.ceil(this.#mayWait / 2)
    const messages = await this.#consumer.fetch({ max_messages: size, expires: this.#options.stallMs })
    if (this.#left.signal.aborted) {
      void messages.close()
      throw sinkClosed(this.#stream)
    }
    return { messages, iterator: messages[Symbol.asyncIterator](), size, taken: 0 }
  }

  #endFetch(): void {
    this.#closePart()
    const ahead = this.#ahead
    this.#ahead = undefined
    ahead?.then(
      ({ messages }) => void messages.close(),
      () => {},
    )
  }

  /** Not waited for: the client ends an iteration only for whoever iterates. */
  #closePart(): void {
    void this.#part?.messages.close()
    this.#part = undefined
    this.#pending = undefined
  }

  /** Makes the consumer where it does not exist, and compares it where it does. */
  async #open(): Promise<Consumer> {
    const { js, durable, from, ack, maxUnacked } = this.#options
    // What is acknowledged of the consumer before says nothing to the next one.
    this.#acknowledgeHandled()
    const asked = {
      durable_name: durable,
      filter_subject: this.#subject,
      ack_policy: ack === 'auto' ? ('all' as const) : ('explicit' as const),
      deliver_policy: from,
      max_ack_pending: ack === 'auto' ? -1 : maxUnacked,
    }
    const { consumers, streams } = await js.jetstreamManager(false)
    const { created, state } = await streams.info(this.#stream)
    // In another stream of this name what was handled means nothing: its first messages would be passed over.
    const handled = this.#handledUpTo ?? 0
    this.#behind = state.last_seq < handled ? this.#behind + 1 : 0
    if ((this.#created ?? created) !== created || this.#behind > MAX_BEHIND)
      throw rewound(this.#stream, handled, state.last_seq)
    this.#created = created
    if (this.#behind > 0) throw new LeaderBehindError()
    const found = await consumers.info(this.#stream, durable).catch((error: unknown) => {
      if (codeOf(error) === NOT_FOUND) return undefined
      throw error
    })
    if (found !== undefined) this.#requireSame(found.config, asked)
    const isNew = found === undefined || (await this.#isToBeginAnew(found, consumers))
    const startAt = this.#handledUpTo === undefined ? found?.ack_floor.stream_seq : this.#handledUpTo
    const start =
      startAt === undefined
        ? {}
        : { deliver_policy: 'by_start_sequence' as const, opt_start_seq: startAt + 1 }
    const { delivered } = isNew ? await consumers.add(this.#stream, { ...asked, ...start }) : found
    this.#expected = delivered.consumer_seq + 1
    this.#opened += 1
    return js.consumers.get(this.#stream, durable)
  }

  /**
   * With `auto` one process reads, in order. What was delivered to another one, or got lost, and was not acknowledged would
   * come again only after a while, behind what is newer; so the consumer is made anew behind what was acknowledged.
   */
  async #isToBeginAnew(found: ConsumerInfo, consumers: ConsumerAPI): Promise<boolean> {
    const { ack, durable } = this.#options
    if (ack === 'manual' || (found.num_ack_pending === 0 && this.#opened === 0)) return false
    await consumers.delete(this.#stream, durable)
    return true
  }

  #requireSame(
    config: ConsumerInfo['config'],
    asked: Readonly<Record<'filter_subject' | 'ack_policy', string>>,
  ): void {
    const { durable } = this.#options
    for (const setting of ['filter_subject', 'ack_policy'] as const) {
      const received = String(config[setting])
      if (received === asked[setting]) continue
      const text = `the consumer ${durable} of ${this.#stream} was made for something else: give this one a name of its own, or delete that one`
      throw unfit(this.#stream, text, {
        setting,
        expected: asked[setting],
        received: printable(received, 200),
        command: `nats consumer rm ${this.#stream} ${durable}`,
      })
    }
  }

  async #recover(error: unknown): Promise<void> {
    if (isRelayError(error)) throw error
    const code = codeOf(error)
    if (code === JETSTREAM_ERROR.streamNotFound) throw missingStream(this.#stream)
    if (code === NOT_FOUND && this.#consumer !== undefined) {
      const text = `the consumer of ${this.#stream} is missing: was it deleted?`
      const misfit = { setting: 'consumer', expected: 'a consumer of this name', received: 'none' }
      throw unfit(this.#stream, text, misfit)
    }
    if (!mayPass(error)) {
      const reason = printable(error instanceof Error ? error.message : String(error), 200)
      throw unavailable(this.#stream, reason, error)
    }
    this.#consumer = undefined
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures)
    this.#failures += 1
    await sleep(this.#options.clock, delayMs, this.#left.signal).catch(() => {})
  }
}

/** The stream's leader has less than was handled, for now. */
class LeaderBehindError extends Error {
  override readonly name = 'LeaderBehindError'
}

/** A client of JetStream gives its connection to the client's other packages, so its type does not say so. */
interface WithConnection {
  getConnection?(): { readonly info?: { readonly max_payload?: unknown } | undefined }
}

/** The longest message that the server takes, which it says when it is connected to. */
function maxPayloadOf(js: JetStreamClientLike & WithConnection): number {
  const bytes = js.getConnection?.().info?.max_payload
  return typeof bytes === 'number' && bytes > 0 ? bytes : MOST_MAX_PAYLOAD
}

/** Errors of the client that another attempt may not meet: a server or a leader is away. By name, as classes have copies. */
const PASSING = new Set([
  'NoRespondersError',
  'RequestError',
  'TimeoutError',
  'JetStreamError',
  'JetStreamNotEnabled',
  'JetStreamStatusError',
  'LeaderBehindError',
])
const SERVER_ERRORS = 500

function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfServer = 'status' in error && Number(error.status) >= SERVER_ERRORS
  return PASSING.has(error.name) || isOfServer
}

/** The number of JetStream's error, where it is one. */
function codeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'number' ? error.code : undefined
}
