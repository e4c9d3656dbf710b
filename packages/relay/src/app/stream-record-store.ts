/**
 * Reads and writes the record of a stream in the cluster's store by compare-and-set. A writer that was
 * replaced by another one no longer changes the record.
 */
import { randomBytes } from 'node:crypto'
import type { Clock, Store } from '@brokerwire/core'
import { withTimeout } from '@brokerwire/core/internal'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { parseStreamRecord, type StreamRecord, serializeStreamRecord } from './stream-record.ts'

export interface StreamRecordStoreOptions {
  /** The name of the stream, for errors. */
  readonly stream: string
  readonly store: Store
  readonly storeKey: string
  readonly clock: Clock
  /** Called when a record could not be written. The next record replaces it. */
  readonly onFailed: (error: unknown) => void
}

/** Time limit of one read or write, for a store that does not respond. */
const LIMIT_MS = 5000
const MAX_ATTEMPTS = 5

export class StreamRecordStore {
  readonly #options: StreamRecordStoreOptions
  /** A random id of this run, so that a run that has ended does not replace the record of the next one. */
  readonly #runId = randomBytes(9).toString('base64url')
  /** The text in the store, as it was last read or written. */
  #text: string | undefined
  #hasWritten = false
  #isReplaced = false
  #nextRecord: Omit<StreamRecord, 'runId'> | undefined
  #writing: Promise<void> | undefined

  constructor(options: StreamRecordStoreOptions) {
    this.#options = options
  }

  /**
   * Reads the record.
   *
   * @throws RelayError `RELAY_SINK_UNAVAILABLE` if the store fails; `RELAY_STATE_INVALID`.
   */
  async read(): Promise<StreamRecord | undefined> {
    const { store, storeKey, clock, stream } = this.#options
    let text: string | undefined
    try {
      text = await withTimeout(
        clock,
        LIMIT_MS,
        undefined,
        async () => store.get(storeKey),
        () => {},
      )
    } catch (error) {
      throw sinkUnavailable(stream, 'the store of its record failed', error)
    }
    this.#text = text
    return text === undefined ? undefined : parseStreamRecord(storeKey, text)
  }

  /** Writes a record after the current write. Of several waiting records, only the last one is written. */
  write(record: Omit<StreamRecord, 'runId'>): Promise<void> {
    this.#nextRecord = record
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const { clock, onFailed } = this.#options
    while (this.#nextRecord !== undefined && !this.#isReplaced) {
      const text = serializeStreamRecord({ ...this.#nextRecord, runId: this.#runId })
      this.#nextRecord = undefined
      if (text === this.#text) continue
      try {
        await withTimeout(
          clock,
          LIMIT_MS,
          undefined,
          () => this.#replace(text),
          () => {},
        )
      } catch (error) {
        onFailed(error)
      }
    }
  }

  async #replace(text: string): Promise<void> {
    const { store, storeKey } = this.#options
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (await store.compareAndSet(storeKey, this.#text, text)) {
        this.#text = text
        this.#hasWritten = true
        return
      }
      this.#text = await store.get(storeKey)
      const isOwn = this.#text !== undefined && this.#isOwn(this.#text)
      // Only the first record of this run replaces that of another writer. If a write succeeded without a
      // response, the record is this run's own.
      if (this.#hasWritten && !isOwn) {
        this.#isReplaced = true
        return
      }
    }
    throw new Error(
      `${storeKey} must be written in ${MAX_ATTEMPTS} attempts; other writers changed it each time. The next record is written in a few seconds.`,
    )
  }

  #isOwn(text: string): boolean {
    return parseStreamRecord(this.#options.storeKey, text).runId === this.#runId
  }
}
