/** A stream of NATS JetStream as a sink: runs the pure {@link PublishLine} over the caller's connection. */
import { randomBytes } from 'node:crypto'
import { printable } from '@brokerwire/core'
import { isRecord, notify, parseJsonObject } from '@brokerwire/core/internal'
import { createInbox } from '@nats-io/nats-core'
import { isRelayError, type RelayError } from '../relay-error.ts'
import {
  type Acknowledged,
  type EventSink,
  entryBytes,
  type Oversize,
  type Retention,
  type SinkEntry,
  type SinkTail,
  type TailRequest,
} from '../sink/event-sink.ts'
import { fenced, rewound, sinkClosed, unavailable } from '../sink/sink-errors.ts'
import { streamName } from '../wire/subjects.ts'
import {
  apiError,
  createJetStreamApi,
  JetStreamApiError,
  MAX_BEHIND,
  type StreamConfig,
} from './api/jetstream-api.ts'
import { eventTooLarge, isFull } from './api/stream-config-errors.ts'
import { retentionOf } from './api/stream-limits.ts'
import { ensureStream, fullStreamError, readableError } from './ensure-stream.ts'
import {
  type JetStreamSinkOptions,
  type JetStreamSinkState,
  readJetStreamSinkOptions,
} from './jetstream-sink-options.ts'
import { PublishCalls } from './publish-calls.ts'
import { type Expected, type Loss, PublishLine, type TailSeen, type Ticket } from './publish-line.ts'
import {
  messageBytes,
  messageHeaders,
  oversizeOf,
  type QueuedEntry,
  readTicket,
  replySubject,
} from './publish-message.ts'
import { messageId, readStreamEnd, storedEntry } from './stream-tail.ts'

const RETRY_MS = 50
const MAX_RETRY_MS = 2000
/** Probes are a few seconds apart. */
const MAX_PROBES_BEHIND = 6

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
  /** No two writers share an id, so a message of another one is never taken for this one's. */
  readonly #writer = randomBytes(9).toString('base64url')
  readonly #inbox = createInbox()
  readonly #answers
  readonly #calls = new PublishCalls()
  #written = 0
  /** How many lines there were. */
  #lines = 0
  #line: PublishLine<QueuedEntry> | undefined
  #config: StreamConfig = {}
  /** When the stream was made that is written. */
  #created = ''
  /** A message that the server would not take: messages after it have to wait. */
  #refused: RelayError | undefined
  /** Why nothing is published until the tail was read. */
  #ended: RelayError | undefined
  #isClosed = false
  #isWaiting = false
  #failures = 0
  #hasProgress = false
  /** Probes in a row at which the stream ended before what is known to be stored. */
  #behind = 0
  #cancelTimer: (() => void) | undefined
  #cancelRetry: (() => void) | undefined

  constructor(given: JetStreamSinkOptions) {
    const options = readJetStreamSinkOptions(given)
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

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    this.#end(unavailable(this.#name, 'its tail is read anew'))
    try {
      await ensureStream(this.#api, this.#options)
      const { tail, lastId, created, config } = await readStreamEnd(this.#api, request, () => this.#isClosed)
      this.#requireOpen()
      this.#config = config
      this.#created = created
      this.#begin(tail.sequence, lastId)
      return tail
    } catch (error) {
      throw readableError(this.#name, error)
    }
  }

  async publish(batch: readonly SinkEntry[]): Promise<Acknowledged> {
    this.#requireOpen()
    const line = this.#line
    if (this.#refused !== undefined) throw this.#refused
    if (line === undefined) throw this.#ended ?? unavailable(this.#name, 'its tail was not read yet')
    let count = 0
    for (const entry of batch) {
      this.#refused = this.#tooLarge(entry)
      if (this.#refused !== undefined) break
      this.#written += 1
      const id = `${entry.key}@${this.#writer}-${this.#written.toString(36)}`
      line.add({ ...entry, id, bytes: entryBytes(entry) })
      count += 1
    }
    const result = this.#calls.add(count, this.#refused)
    this.#settle(this.#calls.storedSequence)
    line.send()
    this.#watch()
    return result
  }

  oversize(entry: SinkEntry): Oversize | undefined {
    return oversizeOf(entry, this.#options.connection.info?.max_payload, this.#config)
  }

  async probe(): Promise<Retention> {
    this.#requireOpen()
    const line = this.#line
    if (line === undefined) throw this.#ended ?? unavailable(this.#name, 'its tail was not read yet')
    try {
      const { config, created, lastSequence } = await this.#api.info()
      const { storedSequence } = this.#calls
      if (line !== this.#line) throw this.#ended
      // A new leader may still be reading its log.
      this.#behind = lastSequence < storedSequence ? this.#behind + 1 : 0
      if (created !== this.#created || this.#behind > MAX_PROBES_BEHIND) {
        const error = rewound(this.#name, storedSequence, lastSequence)
        this.#end(error)
        throw error
      }
      this.#config = config
      return retentionOf(config)
    } catch (error) {
      throw readableError(this.#name, error)
    }
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

  #begin(sequence: number, id: string | undefined): void {
    const { maxInFlight: maxMessages, maxInFlightBytes: maxBytes } = this.#options
    this.#ended = undefined
    this.#calls.begin(sequence)
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

  #send(entry: QueuedEntry, expected: Expected, ticket: Ticket): void {
    try {
      this.#options.connection.publish(entry.subject, entry.data ?? entry.body, {
        headers: messageHeaders(entry, expected),
        reply: replySubject(this.#inbox, this.#lines, ticket),
      })
    } catch (error) {
      // The connection is closed, or the client took a message that its server then did not.
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
    this.#report({ state: 'writing' })
    this.#settle(sequence)
  }

  #settle(storedSequence: number): void {
    const refused = this.#calls.settle(storedSequence)
    if (refused !== undefined) this.#end(refused)
  }

  /** Asks the stream, if no acknowledgement comes for the messages on their way. */
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
    if (this.#failures > 1) this.#report({ state: 'waiting', reason: 'the end of the stream is not known' })
    this.#cancelRetry = this.#options.clock.setTimer(() => {
      void this.#readTail().then(
        (seen) => {
          if (line !== this.#line) return
          line?.tailRead(seen)
          this.#watch()
        },
        (error: unknown) => {
          if (line !== this.#line) return
          const readable = readableError(this.#name, error)
          if (!isRelayError(readable, 'RELAY_SINK_UNAVAILABLE')) line?.refused(readable)
          this.#report({ state: 'waiting', reason: readable.message })
          line?.tailFailed()
        },
      )
    }, delayMs)
  }

  async #readTail(): Promise<TailSeen> {
    const message = await this.#api.message({ last_by_subj: '>' })
    const found = message && { sequence: message.sequence, id: messageId(message) }
    if (found !== undefined && found.sequence >= this.#calls.storedSequence) return found
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
        return loss.error instanceof JetStreamApiError
          ? fullStreamError(this.#api, stream, loss.error)
          : loss.error
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
    this.#calls.rejectAll(error)
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#name)
  }

  #report(state: JetStreamSinkState): void {
    const isWaiting = state.state === 'waiting'
    if (isWaiting === this.#isWaiting) return
    this.#isWaiting = isWaiting
    const { onState } = this.#options
    if (onState !== undefined) notify(() => onState(state))
  }

  #tooLarge(entry: SinkEntry): RelayError | undefined {
    const maxBytes = this.#options.connection.info?.max_payload
    const bytes = messageBytes(entry)
    return maxBytes === undefined || bytes <= maxBytes
      ? undefined
      : eventTooLarge(this.#name, bytes, maxBytes)
  }
}
