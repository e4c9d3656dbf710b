/** A stream of NATS JetStream as a sink: what runs the line over the caller's connection. */
import { randomBytes } from 'node:crypto'
import { type Clock, printable } from '@brokerwire/core'
import {
  boolean,
  clock,
  custom,
  type FieldsOf,
  func,
  integer,
  isRecord,
  notify,
  optional,
  parseJsonObject,
  port,
  readOptions,
  string,
} from '@brokerwire/core/internal'
import { headers as createHeaders, createInbox, type MsgHdrs } from '@nats-io/nats-core'
import { isRelayError, optionFailure, type RelayError } from '../relay-error.ts'
import {
  type Acknowledged,
  type EventSink,
  entryBytes,
  type SinkEntry,
  type SinkTail,
  type StoredEntry,
} from '../sink/event-sink.ts'
import { type PendingPublish, rejectAll } from '../sink/pending-publish.ts'
import { fenced, rewound, sinkClosed, unavailable } from '../sink/sink-errors.ts'
import { type StreamAddress, streamAddress, streamName } from '../wire/subjects.ts'
import {
  apiError,
  createJetStreamApi,
  JETSTREAM_ERROR,
  JetStreamApiError,
  MAX_BEHIND,
  type NatsConnectionLike,
  type RawMessage,
  type StreamConfig,
} from './jetstream-api.ts'
import { eventTooLarge, fullStream, isFull, misfitStream, missingStream, otherStream } from './mending.ts'
import { type Expected, type Loss, PublishLine, type TailSeen, type Ticket } from './publish-line.ts'
import { differences, misfits, type StreamLimits, streamConfig } from './stream-limits.ts'

/** Options of {@link createJetStreamSink}. Read once. */
export interface JetStreamSinkOptions {
  /** The caller's, which stays the caller's: closing the sink leaves it open. */
  readonly connection: NatsConnectionLike
  readonly address: StreamAddress
  /** Makes the stream where it is missing. @defaultValue a missing stream is an error */
  readonly createStream?: StreamLimits | undefined
  /** Takes a stream in memory, which its server forgets. @defaultValue false */
  readonly allowMemory?: boolean | undefined
  /** JetStream's domain. @defaultValue that of the connection */
  readonly domain?: string | undefined
  /** Messages that wait for their acknowledgement at once. @defaultValue 256 */
  readonly maxInFlight?: number | undefined
  /** Bytes of them. @defaultValue 8 MiB */
  readonly maxInFlightBytes?: number | undefined
  /** Without an acknowledgement for so long, the stream is asked what it has. @defaultValue 1000 */
  readonly publishTimeoutMs?: number | undefined
  /** Of a request to JetStream's API. @defaultValue 2000 */
  readonly requestTimeoutMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Told when the stream cannot be written for now, and when it can again. */
  readonly onState?: ((state: JetStreamSinkState) => void) | undefined
}

/** Whether the stream can be written. */
export type JetStreamSinkState =
  | { readonly state: 'writing' }
  /** It is tried again, for as long as it takes. */
  | { readonly state: 'waiting'; readonly reason: string }

const OPTIONS = {
  connection: port<NatsConnectionLike>(['publish', 'request', 'subscribe']),
  address: streamAddress,
  createStream: optional(custom<StreamLimits>('an object', isRecord)),
  allowMemory: boolean(false),
  domain: optional(string()),
  maxInFlight: integer({ min: 1, max: 100_000, default: 256 }),
  maxInFlightBytes: integer({ min: 1024, max: 1024 ** 3, default: 8 * 1024 * 1024 }),
  publishTimeoutMs: integer({ min: 10, max: 600_000, default: 1000 }),
  requestTimeoutMs: integer({ min: 10, max: 600_000, default: 2000 }),
  clock,
  onState: optional(func<NonNullable<JetStreamSinkOptions['onState']>>()),
} satisfies FieldsOf<JetStreamSinkOptions>

const RETRY_MS = 50
const MAX_RETRY_MS = 2000
/** Requests for single messages at once. */
const READ_AHEAD = 64
/** For each of them. */
const READ_ATTEMPTS = 3

interface QueuedEntry extends SinkEntry {
  readonly id: string
  readonly bytes: number
}

/** A call of `publish` whose messages are not all stored. */
interface Call extends PendingPublish {
  /** The place of its last one; of the one before it, where it has none. */
  readonly sequence: number
  /** What comes after them. */
  readonly refused: RelayError | undefined
}

/**
 * A stream of JetStream as a sink, with 256 messages in flight, in order, each once.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createJetStreamSink } from '@brokerwire/relay/nats'
 * import { connect } from '@nats-io/transport-node'
 *
 * const connection = await connect({ servers: 'nats://127.0.0.1:4222' })
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', key: 'desk-a' } as const
 * await using sink = createJetStreamSink({ connection, address, createStream: { replicas: 1 } })
 * const { sequence } = await sink.tail({ maxEntries: 10 })
 * console.log(sequence)
 * ```
 */
export function createJetStreamSink(options: JetStreamSinkOptions): EventSink {
  return new JetStreamSink(options)
}

class JetStreamSink implements EventSink {
  readonly #options
  readonly #name: string
  readonly #api
  /** No two writers ever share an id, so what another one wrote is never taken for this one's. */
  readonly #writer = randomBytes(9).toString('base64url')
  readonly #inbox = createInbox()
  readonly #answers
  #written = 0
  /** How many lines there were: an answer to an earlier one is not this one's. */
  #lines = 0
  #line: PublishLine<QueuedEntry> | undefined
  #lastSequence = 0
  /** When the stream was made that is written. */
  #created = ''
  #calls: Call[] = []
  /** A message that the server would not take: what comes after it has to wait. */
  #refused: RelayError | undefined
  /** Why nothing is taken until the tail was read. */
  #ended: RelayError | undefined
  #isClosed = false
  #isWaiting = false
  #failures = 0
  #hasProgress = false
  #cancelTimer: (() => void) | undefined
  #cancelRetry: (() => void) | undefined

  constructor(given: JetStreamSinkOptions) {
    const options = readOptions(optionFailure, given, OPTIONS)
    const { connection, address, domain, requestTimeoutMs: timeoutMs } = options
    this.#options = options
    this.#name = streamName(address)
    this.#api = createJetStreamApi(connection, this.#name, { timeoutMs, domain })
    this.#answers = connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        const ticket = readTicket(message.subject, this.#lines)
        if (ticket !== undefined && error === null)
          this.#answered(
            ticket,
            message.headers?.code === 503 ? undefined : parseJsonObject(message.string()),
          )
      },
    })
  }

  async tail({ maxEntries, lastOf = [] }: Parameters<EventSink['tail']>[0]): Promise<SinkTail> {
    this.#requireOpen()
    this.#end(unavailable(this.#name, 'its tail is read anew'))
    try {
      await this.#ready()
      // What is read first is what the first message will expect: whoever writes from here on is found out then.
      const { lastSequence, messages, created } = await this.#api.info()
      const found = await this.#inParallel(lastOf, (filter) => this.#api.message({ last_by_subj: filter }))
      const last = messages === 0 ? undefined : await this.#api.message({ seq: lastSequence })
      const count = Math.min(maxEntries, messages, lastSequence)
      const sequences = Array.from({ length: count }, (_, index) => lastSequence - count + 1 + index)
      const entries = await this.#inParallel(sequences, (seq) => this.#messageAt(seq))
      this.#requireOpen()
      this.#created = created
      this.#begin(lastSequence, last === undefined ? undefined : (last.headers['Nats-Msg-Id'] ?? ''))
      return {
        sequence: lastSequence,
        entries: entries.filter((entry) => entry !== undefined).map(storedEntry),
        lastOf: found.map((entry) => entry && storedEntry(entry)),
      }
    } catch (error) {
      throw this.#readable(error)
    }
  }

  async publish(batch: readonly SinkEntry[]): Promise<Acknowledged> {
    this.#requireOpen()
    const line = this.#line
    if (this.#refused !== undefined) throw this.#refused
    if (line === undefined) throw this.#ended ?? unavailable(this.#name, 'its tail was not read yet')
    let refused: RelayError | undefined
    let sequence = this.#calls.at(-1)?.sequence ?? this.#lastSequence
    for (const entry of batch) {
      refused = this.#tooLarge(entry)
      this.#refused = refused
      if (refused !== undefined) break
      this.#written += 1
      const id = `${entry.key}@${this.#writer}-${this.#written.toString(36)}`
      line.add({ ...entry, id, bytes: entryBytes(entry) })
      sequence += 1
    }
    const result = new Promise<Acknowledged>((resolve, reject) => {
      this.#calls.push({ sequence, refused, resolve, reject })
    })
    this.#settle()
    line.send()
    this.#watch()
    return result
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#end(sinkClosed(this.#name))
    this.#isClosed = true
    this.#answers.unsubscribe()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Makes or checks the stream. */
  async #ready(): Promise<void> {
    const { address, createStream, allowMemory } = this.#options
    try {
      const { config } = await this.#api.info()
      const [misfit] = misfits(address, config, allowMemory)
      if (misfit !== undefined) throw misfitStream(this.#name, misfit)
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.errorCode === JETSTREAM_ERROR.streamNotFound))
        throw error
      if (createStream === undefined) throw missingStream(this.#name)
      const asked = streamConfig(address, createStream)
      const [difference] = differences(asked, await this.#create(asked))
      if (difference !== undefined) throw otherStream(this.#name, difference)
    }
  }

  async #create(asked: StreamConfig): Promise<StreamConfig> {
    try {
      return await this.#api.create(asked)
    } catch (error) {
      // A cluster that has no server to spare just now says that its resources do not suffice.
      const mayPass =
        !(error instanceof JetStreamApiError) || error.errorCode === JETSTREAM_ERROR.insufficientResources
      if (mayPass || !isFull(error)) throw error
      // A stream's limit is set aside for it when it is made.
      throw fullStream(this.#name, error, asked, Number(asked.max_bytes))
    }
  }

  /** What a stream that takes no more has for limits is read then, so that the error has their numbers. */
  async #fullError(error: JetStreamApiError): Promise<RelayError> {
    const [info, storedBytes] = await Promise.all([
      this.#api.info().catch(() => undefined),
      this.#api.storedBytes().catch(() => 0),
    ])
    return fullStream(this.#name, error, info?.config, storedBytes)
  }

  #begin(sequence: number, id: string | undefined): void {
    const { maxInFlight: maxMessages, maxInFlightBytes: maxBytes } = this.#options
    this.#ended = undefined
    this.#lastSequence = sequence
    this.#failures = 0
    this.#lines += 1
    this.#refused = undefined
    this.#line = new PublishLine<QueuedEntry>(
      {
        send: (entry, expected, ticket) => this.#send(entry, expected, ticket),
        readTail: () => this.#readTailSoon(),
        stored: (_, last) => this.#stored(last),
        lost: (loss) => void this.#lost(loss),
      },
      { maxMessages, maxBytes, maxBehind: MAX_BEHIND },
      { sequence, id },
    )
  }

  #send(entry: QueuedEntry, expected: Expected, { round, sequence }: Ticket): void {
    try {
      this.#options.connection.publish(entry.subject, entry.body, {
        headers: messageHeaders(entry, expected),
        reply: `${this.#inbox}.${this.#lines}-${round}-${sequence}`,
      })
    } catch (error) {
      // The connection is closed for good, or took a message that its server then did not.
      this.#line?.refused(unavailable(this.#name, printable(String(error), 200), error))
    }
  }

  #answered(ticket: Ticket, answer: Readonly<Record<string, unknown>> | undefined): void {
    const line = this.#line
    if (line === undefined) return
    if (answer !== undefined && typeof answer.seq === 'number' && answer.error === undefined) {
      line.acknowledged(ticket, answer.seq)
      this.#watch()
      return
    }
    const error = isRecord(answer?.error) ? apiError(answer.error) : undefined
    if (error !== undefined && isFull(error)) line.refused(error)
    else line.unclear(ticket)
  }

  #stored(sequence: number): void {
    this.#hasProgress = true
    this.#failures = 0
    this.#say({ state: 'writing' })
    this.#lastSequence = sequence
    this.#settle()
  }

  /** Answers the calls whose messages are all stored. */
  #settle(): void {
    for (;;) {
      const [call] = this.#calls
      if (call === undefined || call.sequence > this.#lastSequence) return
      this.#calls.shift()
      if (call.refused === undefined) call.resolve({ sequence: call.sequence })
      else {
        call.reject(call.refused)
        this.#end(call.refused)
      }
    }
  }

  /** Asks the stream, where nothing is heard of what is on its way. */
  #watch(): void {
    if (this.#cancelTimer !== undefined || (this.#line?.inFlight ?? 0) === 0) return
    this.#hasProgress = false
    this.#cancelTimer = this.#options.clock.setTimer(() => {
      this.#cancelTimer = undefined
      if (!this.#hasProgress) this.#line?.unclear()
      this.#watch()
    }, this.#options.publishTimeoutMs)
  }

  #readTailSoon(): void {
    const line = this.#line
    const delayMs = this.#failures === 0 ? 0 : Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (this.#failures - 1))
    this.#failures += 1
    if (this.#failures > 1) this.#say({ state: 'waiting', reason: 'the end of the stream is not known' })
    this.#cancelRetry = this.#options.clock.setTimer(() => {
      void this.#readTail().then(
        (seen) => {
          if (line !== this.#line) return
          line?.tailRead(seen)
          this.#watch()
        },
        (error: unknown) => {
          if (line !== this.#line) return
          const readable = this.#readable(error)
          if (!isRelayError(readable, 'RELAY_SINK_UNAVAILABLE')) line?.refused(readable)
          this.#say({ state: 'waiting', reason: readable.message })
          line?.tailFailed()
        },
      )
    }, delayMs)
  }

  async #readTail(): Promise<TailSeen> {
    const message = await this.#api.message({ last_by_subj: '>' })
    const found = message && { sequence: message.sequence, id: message.headers['Nats-Msg-Id'] ?? '' }
    if (found !== undefined && found.sequence >= this.#lastSequence) return found
    const { lastSequence, created } = await this.#api.info()
    return { ...(found ?? { sequence: lastSequence, id: undefined }), isAnother: created !== this.#created }
  }

  async #lost(loss: Loss): Promise<void> {
    const line = this.#line
    const error = await this.#lossError(loss)
    if (line === this.#line) this.#end(error)
  }

  async #lossError(loss: Loss): Promise<RelayError> {
    const stream = this.#name
    switch (loss.why) {
      case 'refused':
        return loss.error instanceof JetStreamApiError ? this.#fullError(loss.error) : loss.error
      case 'rewound':
        return rewound(stream, loss.acknowledged, loss.sequence)
      case 'fenced': {
        const found = await this.#api.message({ seq: loss.sequence }).catch(() => undefined)
        return fenced(stream, loss.sequence, found && storedEntry(found))
      }
    }
  }

  /** Ends the line: nothing more is stored until the tail was read. */
  #end(error: RelayError): void {
    this.#line?.end()
    this.#line = undefined
    this.#ended = error
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    rejectAll(this.#calls, error)
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#name)
  }

  #say(state: JetStreamSinkState): void {
    const isWaiting = state.state === 'waiting'
    if (isWaiting === this.#isWaiting) return
    this.#isWaiting = isWaiting
    const { onState } = this.#options
    if (onState !== undefined) notify(() => onState(state))
  }

  #tooLarge(entry: SinkEntry): RelayError | undefined {
    const maxBytes = this.#options.connection.info?.max_payload
    if (maxBytes === undefined) return undefined
    let bytes = Buffer.byteLength(entry.body) + entry.key.length + OWN_HEADER_BYTES
    for (const name in entry.headers) bytes += name.length + (entry.headers[name] as string).length + 4
    if (bytes <= maxBytes) return undefined
    return eventTooLarge(this.#name, bytes, maxBytes)
  }

  /** One of thousands: where a busy server is late with an answer, the others are not asked for once more. */
  async #messageAt(seq: number): Promise<RawMessage | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#api.message({ seq })
      } catch (error) {
        if (attempt === READ_ATTEMPTS || error instanceof JetStreamApiError || this.#isClosed) throw error
      }
    }
  }

  async #inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = []
    for (let at = 0; at < items.length; at += READ_AHEAD) {
      results.push(...(await Promise.all(items.slice(at, at + READ_AHEAD).map(work))))
    }
    return results
  }

  /** An error of this package, whatever the client threw. */
  #readable(error: unknown): RelayError {
    if (isRelayError(error)) return error
    if (error instanceof JetStreamApiError && error.errorCode === JETSTREAM_ERROR.streamNotFound) {
      return missingStream(this.#name)
    }
    return unavailable(
      this.#name,
      printable(error instanceof Error ? error.message : String(error), 200),
      error,
    )
  }
}

/** Of the headers that are added to an entry's own. */
const OWN_HEADER_BYTES = 512

function messageHeaders(entry: QueuedEntry, expected: Expected): MsgHdrs {
  const headers = createHeaders()
  for (const name in entry.headers) headers.set(name, entry.headers[name] as string)
  headers.set('Nats-Msg-Id', entry.id)
  headers.set('Nats-Expected-Last-Sequence', String(expected.sequence))
  if (expected.id !== undefined) headers.set('Nats-Expected-Last-Msg-Id', expected.id)
  return headers
}

function readTicket(subject: string, lines: number): Ticket | undefined {
  const found = /\.(\d+)-(\d+)-(\d+)$/.exec(subject)
  if (found === null || Number(found[1]) !== lines) return undefined
  return { round: Number(found[2]), sequence: Number(found[3]) }
}

const NATS_HEADERS = /^Nats-/

function storedEntry({ subject, sequence, headers, body }: RawMessage): StoredEntry {
  const id = headers['Nats-Msg-Id'] ?? ''
  const at = id.lastIndexOf('@')
  const own = Object.entries(headers).filter(([name]) => !NATS_HEADERS.test(name))
  return { subject, sequence, headers: Object.fromEntries(own), body, key: at === -1 ? id : id.slice(0, at) }
}
