/**
 * A sink that writes to a table of Postgres. The row of a stream has its last position, and the token of the batch
 * that it ends with. Each batch is one statement, which stores nothing if the stream has another end.
 */
import { type BatchStorage, createBatchSink, type StreamEnd } from '../sink/batch-sink.ts'
import {
  type EventSink,
  entryBytes,
  type Oversize,
  type Retention,
  type SinkEntry,
  type SinkTail,
  type TailRequest,
} from '../sink/event-sink.ts'
import { streamName } from '../wire/subjects.ts'
import { Database } from './database.ts'
import {
  type PostgresSettings,
  type PostgresSinkOptions,
  readPostgresSinkOptions,
} from './postgres-sink-options.ts'
import { RetentionJob, toRetention } from './retention.ts'
import { parsePosition, serializeRecord } from './rows.ts'
import { eventOversized, positionMismatch, sqlState, UNIQUE_VIOLATION } from './server-errors.ts'
import { readStreamEnd } from './stream-end.ts'

/** Bytes of messages after which a batch takes no more calls. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** Each statement has its own time limit. Reading the end of a stream takes several of them. */
const STATEMENTS_OF_A_CALL = 20

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
export function createPostgresSink(given: PostgresSinkOptions): EventSink {
  const options = readPostgresSinkOptions(given)
  const { address, requestTimeoutMs, maxBatchMessages, clock, onState } = options
  const name = streamName(address)
  return createBatchSink({
    storage: new PostgresStorage(name, options),
    name,
    requestTimeoutMs: Math.min(600_000, requestTimeoutMs * STATEMENTS_OF_A_CALL),
    maxBatchMessages,
    maxBatchBytes: MAX_BATCH_BYTES,
    clock,
    onState,
  })
}

class PostgresStorage implements BatchStorage {
  readonly #name: string
  readonly #options: PostgresSettings
  readonly #database: Database
  readonly #retention: RetentionJob
  #lastPosition = 0

  constructor(name: string, options: PostgresSettings) {
    const { client, table, retention, requestTimeoutMs, clock } = options
    this.#name = name
    this.#options = options
    this.#database = new Database({ client, stream: name, table, requestTimeoutMs, clock })
    this.#retention = new RetentionJob(this.#database, name, retention, clock)
  }

  readTail(request: TailRequest): Promise<SinkTail & StreamEnd> {
    return this.#database.converted(async () => {
      await this.#database.check()
      const { tail, token } = await readStreamEnd(this.#database, this.#name, request)
      this.#lastPosition = tail.sequence
      this.#retention.start(() => this.#lastPosition)
      return { ...tail, token, retention: toRetention(this.#options.retention) }
    })
  }

  append(entries: readonly SinkEntry[], expected: StreamEnd, token: string): Promise<StreamEnd> {
    return this.#database.converted(async () => {
      for (const entry of entries) {
        const oversize = this.checkSize(entry)
        if (oversize !== undefined) throw eventOversized(this.#name, oversize)
      }
      const { cloudEvents } = this.#options
      const json = `[${entries.map((entry) => serializeRecord(entry, cloudEvents)).join(',')}]`
      const { statements } = this.#database
      const { sequence } = expected
      const params = [this.#name, String(sequence), expected.token, String(entries.length), token, json]
      const rows = await this.#database
        .run(statements.append, ...params)
        .catch((error) => this.#explain(error))
      if (rows.length === 0) return this.#readEnd()
      this.#lastPosition = sequence + entries.length
      return { sequence: this.#lastPosition, token }
    })
  }

  probe(): Promise<StreamEnd & { readonly retention: Retention }> {
    return this.#database.converted(async () => ({
      ...(await this.#readEnd()),
      retention: toRetention(this.#options.retention),
    }))
  }

  checkSize(entry: SinkEntry): Oversize | undefined {
    const { maxMessageBytes: maxBytes, cloudEvents } = this.#options
    // JSON has at most six bytes for each character of a string. `entryBytes()` counts two. The attributes of
    // CloudEvents repeat the subject and the key.
    if (6 * entryBytes(entry) <= maxBytes) return undefined
    const messageBytes = Buffer.byteLength(serializeRecord(entry, cloudEvents))
    return messageBytes <= maxBytes ? undefined : { messageBytes, maxBytes, setting: 'maxMessageBytes' }
  }

  async close(): Promise<void> {
    this.#retention.stop()
  }

  /** Reads the end of the stream. A stream that was deleted has no messages. */
  async #readEnd(): Promise<StreamEnd> {
    const state = await this.#database.readStream()
    return { sequence: state?.lastPosition ?? 0, token: state?.lastBatch ?? '' }
  }

  /** Throws the error of a failed batch. */
  async #explain(error: unknown): Promise<never> {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    const [row] = await this.#database.run(this.#database.statements.lastPosition, this.#name)
    throw positionMismatch(this.#name, this.#database.tables, parsePosition(row?.position) ?? 0)
  }
}
