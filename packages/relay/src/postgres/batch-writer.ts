/**
 * Stores messages in batches, one statement at a time. While a statement runs, later messages wait and form the
 * next batch.
 *
 * Each statement has the expected last position of the stream, the expected id of the last batch, and a new id,
 * which the row of the stream keeps. If the result of a statement is unknown, the same statement is sent again.
 * It is stored once, because the position has changed by then. The id shows whether this writer or another one
 * has stored it, also if the stream was restored and another writer has reached the same position.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '@brokerwire/core'
import { Queue } from '@brokerwire/core/internal'
import { isRelayError, type RelayError } from '../relay-error.ts'
import { entryBytes, type SinkEntry } from '../sink/event-sink.ts'
import { sinkUnavailable, streamTruncated, writerFenced } from '../sink/sink-errors.ts'
import type { Database, StreamState } from './database.ts'
import { parsePosition, parseRow, serializeRecord } from './rows.ts'
import { positionMismatch, sqlState, UNIQUE_VIOLATION } from './server-errors.ts'

/** After this many bytes, a batch takes no more messages. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024
const RETRY_MS = 50
const MAX_RETRY_MS = 2000

export interface BatchWriterOptions {
  readonly database: Database
  /** The name of the stream. */
  readonly stream: string
  readonly maxBatchMessages: number
  readonly clock: Clock
  /** Called when a batch is stored. @param position - The position of its last message. */
  readonly onStored: (position: number) => void
  /** Called when a batch could not be stored, before it is tried again. */
  readonly onWaiting: (reason: string) => void
  /** Called when this writer has ended by itself. */
  readonly onLost: (error: RelayError) => void
}

interface Batch {
  readonly id: string
  readonly count: number
  readonly json: string
}

export class BatchWriter {
  readonly #options: BatchWriterOptions
  /** A random id, which distinguishes the batches of this writer from those of others. */
  readonly #writerId = randomBytes(9).toString('base64url')
  readonly #streamId: string
  readonly #queue = new Queue<SinkEntry>()
  #position: number
  /** The id of the batch that the stream ends with. */
  #lastBatch: string
  #highestSent: number
  #batchCount = 0
  #isWriting = false
  #isEnded = false
  #writing: Promise<void> = Promise.resolve()
  #wake = (): void => {}

  constructor(options: BatchWriterOptions, { streamId, lastPosition, lastBatch }: StreamState) {
    this.#options = options
    this.#streamId = streamId
    this.#position = lastPosition
    this.#lastBatch = lastBatch
    this.#highestSent = lastPosition
  }

  /** The position of the last message that is known to be stored. */
  get position(): number {
    return this.#position
  }

  /** Appends a message to those that wait. */
  add(entry: SinkEntry): void {
    this.#queue.push(entry)
  }

  /** Stores the messages that wait. */
  send(): void {
    if (!this.#isWriting && !this.#isEnded) this.#writing = this.#writeAll()
  }

  /** Stores nothing more. @returns Resolves when no statement runs. */
  end(): Promise<void> {
    this.#isEnded = true
    this.#wake()
    return this.#writing
  }

  /**
   * Reads whether the stream has the expected end, without writing to it.
   *
   * @throws RelayError `RELAY_STREAM_TRUNCATED`, `RELAY_FENCED`; errors of the client.
   */
  async probe(): Promise<void> {
    const position = this.#position
    const lastBatch = this.#lastBatch
    const state = await this.#options.database.readStream()
    this.#requireSameStream(state, position)
    const isReplaced = state.lastPosition === position && state.lastBatch !== lastBatch
    if (state.lastPosition > this.#highestSent || isReplaced) throw await this.#fenced(state.lastPosition)
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (!this.#isEnded && this.#queue.size > 0) {
      const batch = this.#takeBatch()
      this.#highestSent = this.#position + batch.count
      if (!(await this.#store(batch)) || this.#isEnded) break
      this.#position += batch.count
      this.#lastBatch = batch.id
      this.#options.onStored(this.#position)
    }
    this.#isWriting = false
  }

  #takeBatch(): Batch {
    const records: string[] = []
    let bytes = 0
    while (records.length < this.#options.maxBatchMessages && bytes < MAX_BATCH_BYTES) {
      const entry = this.#queue.shift()
      if (entry === undefined) break
      records.push(serializeRecord(entry))
      bytes += entryBytes(entry)
    }
    this.#batchCount += 1
    return {
      id: `${this.#writerId}-${this.#batchCount.toString(36)}`,
      count: records.length,
      json: `[${records.join(',')}]`,
    }
  }

  /** Stores a batch. @returns `false` if this writer has ended. */
  async #store(batch: Batch): Promise<boolean> {
    for (let failures = 0; !this.#isEnded; failures += 1) {
      try {
        if ((await this.#append(batch)) || (await this.#isStored(batch))) return true
        throw sinkUnavailable(this.#options.stream, 'the server did not store a batch')
      } catch (error) {
        const relayError = await this.#options.database.toRelayError(error)
        if (this.#isEnded) break
        if (!isRelayError(relayError, 'RELAY_SINK_UNAVAILABLE')) {
          this.#isEnded = true
          this.#options.onLost(relayError)
          break
        }
        this.#options.onWaiting(relayError.details.reason)
        await this.#pause(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(failures, 10)))
      }
    }
    return false
  }

  /** Sends a batch. @returns Whether it was stored after the expected position. */
  async #append({ id, count, json }: Batch): Promise<boolean> {
    const { database, stream } = this.#options
    try {
      const params = [stream, this.#streamId, String(this.#position), String(count), id, json]
      return (await database.run(database.statements.append, ...params, this.#lastBatch)).length > 0
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      const [row] = await database.run(database.statements.lastPosition, stream)
      throw positionMismatch(stream, database.tables, parsePosition(row?.position) ?? 0)
    }
  }

  /**
   * Whether the end of the stream is this batch, because an earlier attempt has stored it.
   *
   * @throws RelayError `RELAY_STREAM_TRUNCATED`, `RELAY_FENCED`.
   */
  async #isStored({ id, count }: Batch): Promise<boolean> {
    const state = await this.#options.database.readStream()
    this.#requireSameStream(state, this.#position)
    if (state.lastPosition === this.#position && state.lastBatch === this.#lastBatch) return false
    if (state.lastPosition === this.#position + count && state.lastBatch === id) return true
    throw await this.#fenced(state.lastPosition)
  }

  #requireSameStream(state: StreamState | undefined, position: number): asserts state is StreamState {
    if (state?.streamId !== this.#streamId || state.lastPosition < position)
      throw streamTruncated(this.#options.stream, position, state?.lastPosition ?? 0)
  }

  /** Creates the error of a replaced writer. If the last message is a writer's notice, the error names the relay. */
  async #fenced(position: number): Promise<RelayError> {
    const { database, stream } = this.#options
    const [row] = await database
      .run(database.statements.entries, stream, String(position), '1')
      .catch(() => [])
    return writerFenced(stream, position, parseRow(row))
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.setTimer(resolve, ms)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}
