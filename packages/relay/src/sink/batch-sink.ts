/**
 * A sink over a storage that stores a batch of messages as one transaction: a database, or a script on a server.
 *
 * One batch is sent at a time. Calls that wait are stored together in the next one. Each batch has a random
 * token, which the storage keeps as the token of the stream's end. The next batch expects that end. So a batch
 * whose response was lost is recognized when it is sent again, and so is a stream that another writer
 * continued or that was cut, even if it has the same length.
 */
import { randomBytes } from 'node:crypto'
import { type Clock, escapeControlChars } from '@brokerwire/core'
import {
  clock,
  type FieldsOf,
  func,
  type InferFields,
  integer,
  optional,
  port,
  readOptions,
  string,
  withTimeout,
} from '@brokerwire/core/internal'
import { isRelayError, optionFailure, type RelayError } from '../relay-error.ts'
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
} from './event-sink.ts'
import { type PendingPublish, rejectAll } from './pending-publish.ts'
import { sinkClosed, sinkUnavailable, streamTruncated, writerFenced } from './sink-errors.ts'
import { StateReporter } from './state-reporter.ts'

/** The end of a stream. */
export interface StreamEnd {
  /** The sequence of the last message that was ever stored; 0 if there is none. */
  readonly sequence: number
  /** The token of the batch that was stored last; empty if there is none. */
  readonly token: string
}

/** The storage of a stream, for {@link createBatchSink}. */
export interface BatchStorage {
  /**
   * Reads the end of the stream. Creates the stream if it is missing.
   *
   * @returns The end, and the token of the last batch.
   */
  readTail(request: TailRequest): Promise<SinkTail & StreamEnd>
  /**
   * Stores all messages directly after `expected`, and `token` as the token of the new end, in one
   * transaction. Stores nothing if the stream has another end.
   *
   * @returns The end of the stream after the call.
   */
  append(entries: readonly SinkEntry[], expected: StreamEnd, token: string): Promise<StreamEnd>
  /** Checks whether the stream can be written, without writing a message. @returns The end and the limits. */
  probe(): Promise<StreamEnd & { readonly retention: Retention }>
  /** Checks whether a message is larger than the storage accepts. @returns The limit that it exceeds. */
  checkSize?(entry: SinkEntry): Oversize | undefined
  /** Releases the resources of the storage. Called once. */
  close?(): Promise<void>
}

/** Options of {@link createBatchSink}. They are read once. */
export interface BatchSinkOptions {
  /** The storage of the stream. Closing the sink closes it. */
  readonly storage: BatchStorage
  /** The name of the stream, for errors. */
  readonly name: string
  /** Time limit of one call of the storage, milliseconds. @defaultValue 5000 */
  readonly requestTimeoutMs?: number | undefined
  /** Maximum number of messages in a batch. @defaultValue 1000 */
  readonly maxBatchMessages?: number | undefined
  /** Bytes of messages after which a batch takes no more calls of `publish`. @defaultValue 1 MiB */
  readonly maxBatchBytes?: number | undefined
  /** The clock of timers. @defaultValue the system clock */
  readonly clock?: Clock | undefined
  /** Called when the stream temporarily cannot be written, and when it can be written again. */
  readonly onState?: ((state: SinkState) => void) | undefined
}

const OPTIONS = {
  storage: port<BatchStorage>(['readTail', 'append', 'probe']),
  name: string({ isName: true }),
  requestTimeoutMs: integer({ min: 10, max: 600_000, default: 5000 }),
  maxBatchMessages: integer({ min: 1, max: 100_000, default: 1000 }),
  maxBatchBytes: integer({ min: 1, max: 1024 ** 3, default: 1024 * 1024 }),
  clock,
  onState: optional(func<NonNullable<BatchSinkOptions['onState']>>()),
} satisfies FieldsOf<BatchSinkOptions>

const RETRY_MS = 50
const MAX_RETRY_MS = 2000
const WRITER_NOTICE = '*.*.*.*.relay.notice.writer-changed'

interface Waiting extends PendingPublish {
  readonly batch: readonly SinkEntry[]
}

/**
 * Creates a sink over a storage. The sink orders the calls, retries while the storage is unavailable, and
 * notices another writer. An error of the storage that is no `RelayError` counts as unavailable.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { type BatchStorage, createBatchSink } from '@brokerwire/relay'
 *
 * declare const storage: BatchStorage
 *
 * await using sink = createBatchSink({ storage, name: 'brokerwire_sandbox_us_desk-a' })
 * await sink.tail({ maxEntries: 0 })
 * await sink.publish([{ subject: 'a.b', key: '1', headers: {}, body: 'text' }])
 * ```
 */
export function createBatchSink(options: BatchSinkOptions): EventSink {
  return new BatchSink(readOptions(optionFailure, options, OPTIONS))
}

/** A part of a call, whose result is that of the call's last part. */
const UNSETTLED: PendingPublish = { resolve() {}, reject() {} }

class BatchSink implements EventSink {
  readonly #options
  readonly #storage: BatchStorage
  readonly #name: string
  readonly checkSize?: (entry: SinkEntry) => Oversize | undefined
  readonly #waiting: Waiting[] = []
  /** The end of the stream after the last acknowledged message. */
  #end: StreamEnd = { sequence: 0, token: '' }
  /** The reason why the tail must be read before the next call of `publish`. */
  #endReason: RelayError | undefined
  #writing: Promise<void> | undefined
  #isClosed = false
  readonly #state: StateReporter
  #wake = (): void => {}

  constructor(options: InferFields<typeof OPTIONS>) {
    const { storage, name } = options
    this.#options = options
    this.#storage = storage
    this.#name = name
    this.#state = new StateReporter(options)
    if (storage.checkSize !== undefined) this.checkSize = storage.checkSize.bind(storage)
    this.#endReason = sinkUnavailable(name, 'its tail must be read before publishing')
  }

  async tail(request: TailRequest): Promise<SinkTail> {
    this.#requireOpen()
    this.#stop(sinkUnavailable(this.#name, 'its tail is being read again'))
    await this.#writing
    const { token, ...tail } = await this.#call(() => this.#storage.readTail(request))
    this.#requireOpen()
    this.#end = { sequence: tail.sequence, token }
    this.#endReason = undefined
    return tail
  }

  publish(batch: readonly SinkEntry[]): Promise<PublishAck> {
    return new Promise((resolve, reject) => {
      this.#requireOpen()
      if (this.#endReason !== undefined) throw this.#endReason
      const { maxBatchMessages } = this.#options
      // A long call becomes several batches, of which the last one settles the call.
      let at = 0
      for (; batch.length - at > maxBatchMessages; at += maxBatchMessages)
        this.#waiting.push({ batch: batch.slice(at, at + maxBatchMessages), ...UNSETTLED })
      this.#waiting.push({ batch: batch.slice(at), resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async probe(): Promise<Retention> {
    this.#requireOpen()
    if (this.#endReason !== undefined) throw this.#endReason
    const expected = this.#end
    const { retention, ...end } = await this.#call(() => this.#storage.probe())
    // A batch that is being written checks the end itself.
    if (this.#writing !== undefined || expected !== this.#end || isSameEnd(end, expected)) return retention
    const error = await this.#lossError(end)
    if (expected === this.#end) this.#stop(error)
    throw error
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stop(sinkClosed(this.#name))
    await this.#writing
    await this.#storage.close?.()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Writes the waiting calls, one batch after the other. */
  async #writeAll(): Promise<void> {
    // Calls of the same turn are written together.
    await undefined
    while (this.#endReason === undefined) {
      const calls = this.#nextCalls()
      if (calls.length === 0) break
      const entries = calls.flatMap(({ batch }) => batch)
      const start = this.#end.sequence
      if (entries.length > 0 && !(await this.#append(entries))) break
      this.#waiting.splice(0, calls.length)
      let sequence = start
      for (const { batch, resolve } of calls) {
        sequence += batch.length
        resolve({ sequence })
      }
    }
    this.#writing = undefined
  }

  /** Returns the waiting calls of the next batch. */
  #nextCalls(): readonly Waiting[] {
    const { maxBatchMessages, maxBatchBytes } = this.#options
    let messages = 0
    let bytes = 0
    let calls = 0
    for (const { batch } of this.#waiting) {
      const isFull = messages + batch.length > maxBatchMessages || bytes >= maxBatchBytes
      if (calls > 0 && isFull) break
      calls += 1
      messages += batch.length
      for (const entry of batch) bytes += entryBytes(entry)
    }
    return this.#waiting.slice(0, calls)
  }

  /** Stores messages, and retries while the storage is unavailable. @returns Whether they are stored. */
  async #append(entries: readonly SinkEntry[]): Promise<boolean> {
    const token = randomBytes(12).toString('base64url')
    const newEnd = { sequence: this.#end.sequence + entries.length, token }
    for (let waitMs = RETRY_MS; this.#endReason === undefined; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        const end = await this.#call(() => this.#storage.append(entries, this.#end, token))
        // The sink was stopped in the meantime, and its calls were rejected.
        if (this.#endReason !== undefined) return false
        if (isSameEnd(end, newEnd)) {
          this.#end = newEnd
          this.#state.report({ state: 'writing' })
          return true
        }
        this.#stop(await this.#lossError(end))
      } catch (error) {
        if (isRelayError(error, 'RELAY_SINK_UNAVAILABLE')) {
          this.#state.report({ state: 'waiting', reason: error.message })
          await this.#wait(waitMs)
        } else this.#stop(error as RelayError)
      }
    }
    return false
  }

  /** Creates the error of a stream with another end than this writer's last message. */
  async #lossError({ sequence }: StreamEnd): Promise<RelayError> {
    const acknowledged = this.#end.sequence
    if (sequence < acknowledged) return streamTruncated(this.#name, acknowledged, sequence)
    const request = { maxEntries: 1, lastOf: [WRITER_NOTICE] }
    const tail = await this.#call(() => this.#storage.readTail(request)).catch(() => undefined)
    return writerFenced(this.#name, sequence, tail?.lastOf[0] ?? tail?.entries.at(-1))
  }

  /** Calls the storage within the time limit. @throws RelayError. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    const { clock, requestTimeoutMs } = this.#options
    let isLate = false
    try {
      return await withTimeout(clock, requestTimeoutMs, undefined, work, () => {
        isLate = true
      })
    } catch (error) {
      if (isRelayError(error)) throw error
      if (isLate) throw sinkUnavailable(this.#name, `no response within ${requestTimeoutMs} ms`)
      const reason = error instanceof Error ? error.message : String(error)
      throw sinkUnavailable(this.#name, escapeControlChars(reason, 200), error)
    }
  }

  #wait(waitMs: number): Promise<void> {
    if (this.#endReason !== undefined) return Promise.resolve()
    return new Promise((wake) => {
      const cancel = this.#options.clock.setTimer(wake, waitMs)
      this.#wake = () => {
        cancel()
        wake()
      }
    })
  }

  #stop(error: RelayError): void {
    this.#endReason = error
    this.#wake()
    rejectAll(this.#waiting, error)
  }

  #requireOpen(): void {
    if (this.#isClosed) throw sinkClosed(this.#name)
  }
}

const isSameEnd = (one: StreamEnd, other: StreamEnd): boolean =>
  one.sequence === other.sequence && one.token === other.token
