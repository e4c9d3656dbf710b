/** Reads and writes the record of a webhook stream in the store by compare-and-set. */
import { randomBytes } from 'node:crypto'
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { sleep, withTimeout } from '@brokerwire/core/internal'
import type { RelayError } from '../relay-error.ts'
import type { TailRequest } from '../sink/event-sink.ts'
import { sinkUnavailable, streamTruncated, writerFenced } from '../sink/sink-errors.ts'
import { WebhookRecord, webhookRecordKey } from './webhook-record.ts'

export interface RecordWriterOptions {
  /** The name of the stream. */
  readonly stream: string
  readonly store: Store
  readonly clock: Clock
  /** Called when the store failed. The write is retried. */
  readonly onFailed: (error: RelayError) => void
}

/** Time limit of one read or write. */
const LIMIT_MS = 5000
const RETRY_MS = 1000
/** How long the last read or write proves that there is no other writer. */
const CONFIRMED_MS = 200

export class RecordWriter {
  readonly #options: RecordWriterOptions
  readonly #storeKey: string
  #record = new WebhookRecord()
  /** The text in the store, as it was last read or written. */
  #text: string | undefined
  #lastOf: readonly string[] = []
  /** Whether the record in the store names this writer. */
  #isClaimed = false
  #confirmedMs = 0

  constructor(options: RecordWriterOptions) {
    this.#options = options
    this.#storeKey = webhookRecordKey(options.stream)
  }

  get record(): WebhookRecord {
    return this.#record
  }

  /** Reads the record. @throws RelayError `RELAY_SINK_UNAVAILABLE`, `RELAY_STATE_INVALID`. */
  async read({ lastOf = [] }: Pick<TailRequest, 'lastOf'>): Promise<WebhookRecord> {
    const text = await this.#get()
    this.#record = text === undefined ? new WebhookRecord() : WebhookRecord.parse(this.#storeKey, text)
    this.#text = text
    this.#lastOf = lastOf
    this.#isClaimed = false
    return this.#record
  }

  /**
   * Throws if another writer has changed the record. Before the first message, it writes this writer into the record, so that
   * an earlier writer is fenced.
   *
   * @throws RelayError `RELAY_FENCED`; the reason of the signal.
   */
  async requireOwnership(signal: AbortSignalLike): Promise<void> {
    const { clock } = this.#options
    if (!this.#isClaimed) {
      await this.#write(this.#record.withWriter(randomBytes(9).toString('base64url'), this.#lastOf), signal)
      this.#isClaimed = true
    } else if (Math.abs(clock.now() - this.#confirmedMs) >= CONFIRMED_MS) {
      await this.#retry(() => this.confirm(), signal)
    }
  }

  /** Reads the record. @throws RelayError `RELAY_FENCED` if another writer has changed it, `RELAY_SINK_UNAVAILABLE`. */
  async confirm(): Promise<void> {
    const expected = this.#text
    const text = await this.#get()
    // A write that ended in the meantime has compared the text itself.
    if (text !== expected && expected === this.#text) throw this.#lossError(text)
    this.#confirmedMs = this.#options.clock.now()
  }

  /**
   * Adds messages to the record.
   *
   * @throws RelayError `RELAY_FENCED`; the reason of the signal.
   */
  async append(entries: Parameters<WebhookRecord['append']>[0], signal: AbortSignalLike): Promise<void> {
    await this.requireOwnership(signal)
    await this.#write(this.#record.append(entries, this.#lastOf), signal)
  }

  async #write(record: WebhookRecord, signal: AbortSignalLike): Promise<void> {
    const text = record.serialize()
    const { store } = this.#options
    await this.#retry(async () => {
      const isStored = await this.#call(() => store.compareAndSet(this.#storeKey, this.#text, text))
      if (isStored) return
      // A write whose response was lost has stored the text.
      const found = await this.#get()
      if (found !== text) throw this.#lossError(found)
    }, signal)
    this.#text = text
    this.#record = record
    this.#confirmedMs = this.#options.clock.now()
  }

  /** Retries while the store is unavailable. */
  async #retry(work: () => Promise<void>, signal: AbortSignalLike): Promise<void> {
    const { clock, onFailed } = this.#options
    for (;;) {
      try {
        return await work()
      } catch (error) {
        const failure = error as RelayError
        if (failure.code !== 'RELAY_SINK_UNAVAILABLE') throw error
        onFailed(failure)
        await sleep(clock, RETRY_MS, signal)
      }
    }
  }

  #get(): Promise<string | undefined> {
    return this.#call(async () => this.#options.store.get(this.#storeKey))
  }

  async #call<T>(work: () => T | PromiseLike<T>): Promise<T> {
    const { clock, stream } = this.#options
    try {
      return await withTimeout(
        clock,
        LIMIT_MS,
        undefined,
        async () => work(),
        () => {},
      )
    } catch (error) {
      throw sinkUnavailable(stream, 'the store of its record failed', error)
    }
  }

  /** Creates the error of a record that this writer did not write. */
  #lossError(text: string | undefined): RelayError {
    const { stream } = this.#options
    const found = text === undefined ? new WebhookRecord() : WebhookRecord.parse(this.#storeKey, text)
    const { sequence } = this.#record
    return found.sequence < sequence || text === undefined
      ? streamTruncated(stream, sequence, found.sequence)
      : writerFenced(stream, found.sequence, found.lastWriterNotice)
  }
}
