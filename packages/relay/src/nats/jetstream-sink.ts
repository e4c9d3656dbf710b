/** A sink that writes to a stream of NATS JetStream: runs the pure {@link PublishPipeline} on the caller's connection. */
import { randomBytes } from 'node:crypto'
import { escapeControlChars } from '@brokerwire/core'
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import { createInbox } from '@nats-io/nats-core'
import { isRelayError, type RelayError } from '../relay-error.ts'
import {
  type EventSink,
  entryBytes,
  type Oversize,
  type PublishAck,
  type Retention,
  type SinkEntry,
  type SinkTail,
  type TailRequest,
} from '../sink/event-sink.ts'
import { sinkClosed, sinkUnavailable, streamTruncated } from '../sink/sink-errors.ts'
import { StateReporter } from '../sink/state-reporter.ts'
import { addCloudEventHeaders } from '../wire/cloud-events.ts'
import { streamName } from '../wire/subjects.ts'
import { apiError, createJetStreamApi, MAX_STALE_READS, type StreamConfig } from './api/jetstream-api.ts'
import { eventOversized, isFull } from './api/stream-config-errors.ts'
import { getRetention } from './api/stream-limits.ts'
import { createLossError, ensureStream, isStreamNotFound, toRelayError } from './ensure-stream.ts'
import { type JetStreamSinkOptions, readJetStreamSinkOptions } from './jetstream-sink-options.ts'
import { PublishCalls } from './publish-calls.ts'
import {
  findOversize,
  messageBytes,
  messageHeaders,
  parseTicket,
  type QueuedEntry,
  replySubject,
} from './publish-message.ts'
import {
  type Expected,
  type Loss,
  type ObservedTail,
  PublishPipeline,
  type Ticket,
} from './publish-pipeline.ts'
import { messageId, readStreamEnd } from './stream-tail.ts'

const RETRY_MS = 50
const MAX_RETRY_MS = 2000
/** How many probes in a row may report too few messages. Probes are a few seconds apart. */
const MAX_STALE_PROBES = 6

/**
 * Creates a sink that writes to a stream of JetStream: each message once, in order, with up to 256 messages in flight.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createJetStreamSink } from '@brokerwire/relay/nats'
 * import { connect } from '@nats-io/transport-node'
 *
 * const connection = await connect({ servers: 'nats://127.0.0.1:4222' })
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
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
  /** A random id of this sink, which distinguishes its messages from those of other writers. */
  readonly #sinkId = randomBytes(9).toString('base64url')
  readonly #inbox = createInbox()
  readonly #replies
  readonly #calls = new PublishCalls()
  #messageCount = 0
  /** The number of pipelines that were created. */
  #pipelineCount = 0
  #pipeline: PublishPipeline<QueuedEntry> | undefined
  #config: StreamConfig = {}
  /** The creation time of the stream that is written. */
  #created = ''
  /** The error of a message that the server would not accept. Later messages are rejected too. */
  #rejection: RelayError | undefined
  /** The reason why the tail must be read before the next call of `publish`. */
  #endReason: RelayError | undefined
  #isClosed = false
  readonly #state: StateReporter
  #failures = 0
  #hasProgress = false
  /** The number of probes in a row that reported fewer messages than are known to be stored. */
  #staleProbes = 0
  #cancelTimer: (() => void) | undefined
  #cancelRetry: (() => void) | undefined

  constructor(given: JetStreamSinkOptions) {
    const options = readJetStreamSinkOptions(given)
    const { connection, address, domain, requestTimeoutMs: timeoutMs } = options
    this.#options = options
    this.#state = new StateReporter(options)
    this.#name = streamName(address)
    this.#api = createJetStreamApi(connection, this.#name, { timeoutMs, domain })
    this.#replies = connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        const ticket = parseTicket(message.subject, this.#pipelineCount)
        if (ticket !== undefined && error === null)
          this.#onReply(ticket, message.headers?.code === 503 ? undefined : parseJsonObject(message.string()))
      },
    })
  }

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    this.#end(sinkUnavailable(this.#name, 'its tail is being read again'))
    try {
      await ensureStream(this.#api, this.#options)
      const { tail, lastId, created, config } = await readStreamEnd(this.#api, request, () => this.#isClosed)
      this.#requireOpen()
      this.#config = config
      this.#created = created
      this.#begin(tail.sequence, lastId)
      return tail
    } catch (error) {
      throw toRelayError(this.#name, error)
    }
  }

  async publish(batch: readonly SinkEntry[]): Promise<PublishAck> {
    this.#requireOpen()
    const pipeline = this.#pipeline
    if (this.#rejection !== undefined) throw this.#rejection
    if (pipeline === undefined)
      throw this.#endReason ?? sinkUnavailable(this.#name, 'its tail must be read before publishing')
    let count = 0
    for (const given of batch) {
      const entry = this.#options.cloudEvents ? addCloudEventHeaders(given) : given
      this.#rejection = this.#oversizedError(entry)
      if (this.#rejection !== undefined) break
      this.#messageCount += 1
      const id = `${entry.key}@${this.#sinkId}-${this.#messageCount.toString(36)}`
      pipeline.add({ ...entry, id, bytes: entryBytes(entry) })
      count += 1
    }
    const result = this.#calls.add(count, this.#rejection)
    this.#settle(this.#calls.storedSequence)
    pipeline.send()
    this.#watch()
    return result
  }

  checkSize(entry: SinkEntry): Oversize | undefined {
    const { cloudEvents, connection } = this.#options
    const message = cloudEvents ? addCloudEventHeaders(entry) : entry
    return findOversize(message, connection.info?.max_payload, this.#config)
  }

  async probe(): Promise<Retention> {
    this.#requireOpen()
    const pipeline = this.#pipeline
    if (pipeline === undefined)
      throw this.#endReason ?? sinkUnavailable(this.#name, 'its tail must be read before publishing')
    try {
      const { config, created, lastSequence } = await this.#api.info()
      const { storedSequence } = this.#calls
      if (pipeline !== this.#pipeline) throw this.#endReason
      // A new leader may report too few messages while it reads its log.
      this.#staleProbes = lastSequence < storedSequence ? this.#staleProbes + 1 : 0
      if (created !== this.#created || this.#staleProbes > MAX_STALE_PROBES) {
        const error = streamTruncated(this.#name, storedSequence, lastSequence)
        this.#end(error)
        throw error
      }
      this.#config = config
      return getRetention(config)
    } catch (error) {
      throw this.#toWriterError(error)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#end(sinkClosed(this.#name))
    this.#isClosed = true
    this.#replies.unsubscribe()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #begin(sequence: number, id: string | undefined): void {
    const { maxInFlight: maxMessages, maxInFlightBytes: maxBytes } = this.#options
    this.#endReason = undefined
    this.#calls.begin(sequence)
    this.#failures = 0
    this.#pipelineCount += 1
    this.#rejection = undefined
    this.#pipeline = new PublishPipeline<QueuedEntry>(
      {
        send: (entry, expected, ticket) => this.#send(entry, expected, ticket),
        readTail: () => this.#scheduleTailRead(),
        onStored: (_, last) => this.#onStored(last),
        onLost: (loss) => void this.#onLost(loss),
      },
      { maxMessages, maxBytes, maxStaleReads: MAX_STALE_READS },
      { sequence, id },
    )
  }

  #send(entry: QueuedEntry, expected: Expected, ticket: Ticket): void {
    try {
      this.#options.connection.publish(entry.subject, entry.data ?? entry.body, {
        headers: messageHeaders(entry, expected),
        reply: replySubject(this.#inbox, this.#pipelineCount, ticket),
      })
    } catch (error) {
      // The connection is closed, or the message is longer than the server accepts.
      this.#pipeline?.refused(sinkUnavailable(this.#name, escapeControlChars(String(error), 200), error))
    }
  }

  #onReply(ticket: Ticket, reply: Readonly<Record<string, unknown>> | undefined): void {
    const pipeline = this.#pipeline
    if (pipeline === undefined) return
    if (reply !== undefined && typeof reply.seq === 'number' && reply.error === undefined) {
      pipeline.acknowledged(ticket, reply.seq)
      this.#watch()
      return
    }
    const error = isRecord(reply?.error) ? apiError(reply.error) : undefined
    if (error !== undefined && isFull(error)) pipeline.refused(error)
    else pipeline.ambiguous(ticket)
  }

  #onStored(sequence: number): void {
    this.#hasProgress = true
    this.#failures = 0
    this.#state.report({ state: 'writing' })
    this.#settle(sequence)
  }

  #settle(storedSequence: number): void {
    const rejection = this.#calls.settle(storedSequence)
    if (rejection !== undefined) this.#end(rejection)
  }

  /** Reads the end of the stream if no acknowledgement arrives for the messages in flight. */
  #watch(): void {
    if (this.#cancelTimer !== undefined || (this.#pipeline?.inFlight ?? 0) === 0) return
    this.#hasProgress = false
    this.#cancelTimer = this.#options.clock.setTimer(() => {
      this.#cancelTimer = undefined
      if (!this.#hasProgress) this.#pipeline?.ambiguous()
      this.#watch()
    }, this.#options.publishTimeoutMs)
  }

  #scheduleTailRead(): void {
    const pipeline = this.#pipeline
    const delayMs = this.#failures === 0 ? 0 : Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (this.#failures - 1))
    this.#failures += 1
    // A wait that has begun has the more exact reason of a failed read.
    if (this.#failures > 1 && !this.#state.isWaiting)
      this.#state.report({ state: 'waiting', reason: 'the end of the stream must be read again' })
    this.#cancelRetry = this.#options.clock.setTimer(() => {
      void this.#readTail().then(
        (seen) => {
          if (pipeline !== this.#pipeline) return
          pipeline?.tailRead(seen)
          this.#watch()
        },
        (error: unknown) => {
          if (pipeline !== this.#pipeline) return
          const readable = this.#toWriterError(error)
          if (!isRelayError(readable, 'RELAY_SINK_UNAVAILABLE')) pipeline?.refused(readable)
          this.#state.report({ state: 'waiting', reason: readable.message })
          pipeline?.tailFailed()
        },
      )
    }, delayMs)
  }

  async #readTail(): Promise<ObservedTail> {
    const message = await this.#api.message({ last_by_subj: '>' })
    const found = message && { sequence: message.sequence, id: messageId(message) }
    if (found !== undefined && found.sequence >= this.#calls.storedSequence) return found
    const { lastSequence, created } = await this.#api.info()
    return { ...(found ?? { sequence: lastSequence, id: undefined }), isRecreated: created !== this.#created }
  }

  async #onLost(loss: Loss): Promise<void> {
    const pipeline = this.#pipeline
    const error = await createLossError(this.#api, this.#name, loss)
    if (pipeline === this.#pipeline) this.#end(error)
  }

  /** Converts an error of the client. If a stream that was written before does not exist, it was deleted. */
  #toWriterError(error: unknown): RelayError {
    return isStreamNotFound(error)
      ? streamTruncated(this.#name, this.#calls.storedSequence, 0)
      : toRelayError(this.#name, error)
  }

  /** Ends the pipeline. Nothing more is published until the tail was read again. */
  #end(error: RelayError): void {
    this.#pipeline?.end()
    this.#pipeline = undefined
    this.#endReason = error
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    this.#calls.rejectAll(error)
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#name)
  }

  #oversizedError(entry: SinkEntry): RelayError | undefined {
    const maxBytes = this.#options.connection.info?.max_payload
    const bytes = messageBytes(entry)
    return maxBytes === undefined || bytes <= maxBytes
      ? undefined
      : eventOversized(this.#name, bytes, maxBytes)
  }
}
