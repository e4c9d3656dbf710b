/** A sink that writes to a table of Postgres: runs a {@link BatchWriter} after the end of the stream that was read. */
import { notify } from '@brokerwire/core/internal'
import { PublishCalls } from '../nats/publish-calls.ts'
import { isRelayError, RelayError } from '../relay-error.ts'
import {
  type EventSink,
  entryBytes,
  type Oversize,
  type PublishAck,
  type Retention,
  type SinkEntry,
  type SinkState,
  type SinkTail,
  type TailRequest,
} from '../sink/event-sink.ts'
import { sinkClosed, sinkUnavailable } from '../sink/sink-errors.ts'
import { streamName } from '../wire/subjects.ts'
import { BatchWriter } from './batch-writer.ts'
import { Database, type StreamState } from './database.ts'
import { type PostgresSinkOptions, readPostgresSinkOptions } from './postgres-sink-options.ts'
import { RetentionJob, toRetention } from './retention.ts'
import { serializeRecord } from './rows.ts'
import { readStreamEnd } from './stream-end.ts'

/**
 * Creates a sink that writes to a table of Postgres: each message once, in order, in batches of one transaction.
 * `migratePostgresSink` creates the table.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createPostgresSink, migratePostgresSink, type PostgresSinkOptions } from '@brokerwire/relay/postgres'
 *
 * declare const client: PostgresSinkOptions['client']
 *
 * await migratePostgresSink({ client })
 * const address = { prefix: 'brokerwire', environment: 'sandbox', region: 'us', app: 'team-a' } as const
 * await using sink = createPostgresSink({ client, address, retention: { maxAgeMs: 7 * 86_400_000 } })
 * const { sequence } = await sink.tail({ maxEntries: 10 })
 * console.log(sequence)
 * ```
 */
export function createPostgresSink(options: PostgresSinkOptions): EventSink {
  return new PostgresSink(options)
}

class PostgresSink implements EventSink {
  readonly #options
  readonly #name: string
  readonly #database: Database
  readonly #retention: RetentionJob
  readonly #calls = new PublishCalls()
  #writer: BatchWriter | undefined
  /** The error of a message that is too long. Later messages are rejected too. */
  #rejection: RelayError | undefined
  /** The reason why the tail must be read before the next call of `publish`. */
  #endReason: RelayError | undefined
  #isClosed = false
  #isWaiting = false

  constructor(given: PostgresSinkOptions) {
    const options = readPostgresSinkOptions(given)
    const { client, address, table, retention, requestTimeoutMs, clock } = options
    this.#options = options
    this.#name = streamName(address)
    this.#database = new Database({ client, stream: this.#name, table, requestTimeoutMs, clock })
    this.#retention = new RetentionJob(this.#database, this.#name, retention, clock)
  }

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    // A statement that is still running could otherwise store messages after the tail was read.
    await this.#end(sinkUnavailable(this.#name, 'its tail is being read again'))
    try {
      await this.#database.check()
      const { state, tail } = await readStreamEnd(this.#database, this.#name, request)
      this.#requireOpen()
      this.#begin(state)
      return { ...tail, retention: toRetention(this.#options.retention) }
    } catch (error) {
      throw await this.#database.toRelayError(error)
    }
  }

  async publish(batch: readonly SinkEntry[]): Promise<PublishAck> {
    this.#requireOpen()
    const writer = this.#requireWriter()
    if (this.#rejection !== undefined) throw this.#rejection
    let count = 0
    for (const entry of batch) {
      this.#rejection = this.#oversizedError(entry)
      if (this.#rejection !== undefined) break
      writer.add(entry)
      count += 1
    }
    const result = this.#calls.add(count, this.#rejection)
    this.#settle(writer.position)
    writer.send()
    return result
  }

  checkSize(entry: SinkEntry): Oversize | undefined {
    const { maxMessageBytes: maxBytes } = this.#options
    // JSON has at most six bytes for each character of a string. `entryBytes()` counts two.
    if (3 * entryBytes(entry) <= maxBytes) return undefined
    const messageBytes = Buffer.byteLength(serializeRecord(entry))
    return messageBytes <= maxBytes ? undefined : { messageBytes, maxBytes, setting: 'maxMessageBytes' }
  }

  async probe(): Promise<Retention> {
    this.#requireOpen()
    const writer = this.#requireWriter()
    try {
      await writer.probe()
    } catch (error) {
      const relayError = await this.#database.toRelayError(error)
      const isTransient = isRelayError(relayError, 'RELAY_SINK_UNAVAILABLE')
      if (writer === this.#writer && !isTransient) void this.#end(relayError)
      throw relayError
    }
    if (writer !== this.#writer) this.#requireWriter()
    return toRetention(this.#options.retention)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#end(sinkClosed(this.#name))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #begin(state: StreamState): void {
    const { maxBatchMessages, clock } = this.#options
    this.#calls.begin(state.lastPosition)
    this.#rejection = undefined
    this.#endReason = undefined
    const writer = new BatchWriter(
      {
        database: this.#database,
        stream: this.#name,
        maxBatchMessages,
        clock,
        onStored: (position) => {
          this.#report({ state: 'writing' })
          this.#settle(position)
        },
        onWaiting: (reason) => this.#report({ state: 'waiting', reason }),
        onLost: (error) => {
          if (writer === this.#writer) void this.#end(error)
        },
      },
      state,
    )
    this.#writer = writer
    this.#retention.start(() => writer.position)
  }

  #settle(position: number): void {
    const rejection = this.#calls.settle(position)
    if (rejection !== undefined) void this.#end(rejection)
  }

  /** Ends the writer. Nothing more is stored until the tail was read again. @returns Resolves when no statement runs. */
  async #end(error: RelayError): Promise<void> {
    const writer = this.#writer
    this.#writer = undefined
    this.#endReason = error
    this.#retention.stop()
    this.#calls.rejectAll(error)
    await writer?.end()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#name)
  }

  #requireWriter(): BatchWriter {
    if (this.#writer !== undefined) return this.#writer
    throw this.#endReason ?? sinkUnavailable(this.#name, 'its tail must be read before publishing')
  }

  #report(state: SinkState): void {
    const isWaiting = state.state === 'waiting'
    if (isWaiting === this.#isWaiting) return
    this.#isWaiting = isWaiting
    const { onState } = this.#options
    if (onState !== undefined) notify(() => onState(state))
  }

  #oversizedError(entry: SinkEntry): RelayError | undefined {
    const oversize = this.checkSize(entry)
    if (oversize === undefined) return undefined
    const { messageBytes, maxBytes } = oversize
    const text = `a message must have at most ${maxBytes} bytes (maxMessageBytes of the sink); received ${messageBytes}. Raise maxMessageBytes.`
    return new RelayError('RELAY_EVENT_OVERSIZED', text, {
      details: { stream: this.#name, messageBytes, maxBytes, configuration: undefined },
    })
  }
}
