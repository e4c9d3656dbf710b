/**
 * Ownership of an app's stream: the writer's notices in the stream and the record in the cluster's store.
 * Both contain the instants until which the subscriptions were complete, so that the next writer reports the
 * gaps after them.
 */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { type EventSink, entryBytes, type Retention, type SinkEntry } from '../sink/event-sink.ts'
import type { EntryFactory } from '../wire/entries.ts'
import type { WriterChangedNotice } from '../wire/notices.ts'
import { type StreamAddress, type Subscription, streamName } from '../wire/subjects.ts'
import { type Announced, acquireWriter } from './acquire-writer.ts'
import { type GapTracker, TICK_MS } from './gap-tracker.ts'
import type { Publisher } from './publisher.ts'
import type { ResumePoint } from './resume-point.ts'
import { streamRecordKey } from './stream-record.ts'
import { StreamRecordStore } from './stream-record-store.ts'
import type { AppTimers } from './timers.ts'
import { WriterNoticeRenewal } from './writer-notice-renewal.ts'

export interface OwnershipOptions {
  readonly address: StreamAddress
  readonly writer: Pick<WriterChangedNotice, 'cluster' | 'relay' | 'incarnation'>
  readonly subscriptions: readonly Subscription[]
  readonly eventTypes: readonly string[]
  readonly sink: EventSink
  readonly store: Store
  readonly entries: EntryFactory
  readonly publisher: Publisher
  readonly gaps: GapTracker
  readonly clock: Clock
  readonly random: () => number
  readonly timers: AppTimers
  readonly signal: AbortSignalLike
  /** Called when this relay is the stream's writer. */
  readonly onBegin: (resumePoint: ResumePoint) => void
  /** Called when the sink is unavailable. */
  readonly onWaitingForSink: (error: unknown) => void
  /** Called when the record could not be written. */
  readonly onStoreFailed: (error: unknown) => void
}

/** The number of ticks between two writes of the record in the store. */
const RECORD_TICKS = 5
/** Time limit for writing the last record, which has the same instants as the `released` notice. */
const LAST_RECORD_MS = 1000
/** How long a release waits until the `acquired` notice is stored. */
const BEGIN_MS = 3000

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #record: StreamRecordStore
  readonly #renewal = new WriterNoticeRenewal()
  #resumePoint: ResumePoint | undefined
  #retention: Retention = {}
  #ticks = 0
  #isWriting = false
  /** Resolves when the `acquired` notice is stored. */
  #beginning: Promise<void> = Promise.resolve()

  constructor(options: OwnershipOptions) {
    this.#options = options
    const { address, writer, store, clock, onStoreFailed } = options
    this.#record = new StreamRecordStore({
      stream: streamName(address),
      store,
      storeKey: streamRecordKey(writer.cluster, address.app),
      clock,
      onFailed: onStoreFailed,
    })
  }

  /** Becomes the stream's writer. @throws RelayError of the sink. */
  acquire(): Promise<void> {
    const { address, sink, writer, eventTypes, subscriptions, gaps } = this.#options
    const { onWaitingForSink, clock, random, signal } = this.#options
    return acquireWriter({
      address,
      sink,
      cluster: writer.cluster,
      eventTypes,
      readRecord: () => this.#record.read(),
      writerNotice: (resumePoint) => {
        gaps.begin(resumePoint, subscriptions, eventTypes)
        return this.#createWriterNotice('acquired')
      },
      onAnnounced: (stored) => {
        this.#beginning = stored.then((announced) => this.#begin(announced))
        return this.#beginning
      },
      onWaitingForSink,
      clock,
      random,
      signal,
    })
  }

  /** Called every `TICK_MS`. */
  tick(): void {
    this.#renewal.elapsed(TICK_MS)
    this.#ticks += 1
    if (this.#resumePoint === undefined) return
    this.#renew()
    if (this.#ticks % RECORD_TICKS === 0) void this.#writeRecord()
  }

  /** Called when messages were passed to the publisher. */
  published(entries: readonly SinkEntry[]): void {
    let bytes = 0
    // `entryBytes()` counts two bytes for each character.
    for (const entry of entries) bytes += entryBytes(entry) / 2
    this.#renewal.published(entries.length, bytes)
    this.#renew()
  }

  /** Sets the limits of the stream. */
  setRetention(retention: Retention): void {
    this.#retention = retention
  }

  /** Publishes the `released` notice, if this relay is the writer. @throws The error of the sink. */
  async release(): Promise<void> {
    const { timers, publisher } = this.#options
    await timers.waitAtMost(BEGIN_MS, () => this.#beginning)
    if (this.#resumePoint === undefined) return
    publisher.publish([this.#createWriterNotice('released')], () => {})
    await publisher.published
    await timers.waitAtMost(LAST_RECORD_MS, () => this.#writeRecord())
  }

  #begin({ resumePoint, sequence, retention }: Announced): void {
    const { publisher, onBegin } = this.#options
    this.#resumePoint = resumePoint
    this.#retention = retention
    publisher.begin(sequence)
    onBegin(resumePoint)
    void this.#writeRecord()
  }

  #createWriterNotice(state: WriterChangedNotice['state']): SinkEntry {
    const { clock, writer, gaps, entries } = this.#options
    const atMs = clock.now()
    const completeUntil = gaps.completeUntil(atMs)
    this.#renewal.renewed()
    return entries.notice('relay', {
      type: 'notice',
      kind: 'writer-changed',
      state,
      atMs,
      ...writer,
      completeUntil,
    })
  }

  /** Writes the writer's notice again before the stream deletes the last one. */
  #renew(): void {
    if (this.#resumePoint !== undefined && this.#renewal.isDue(this.#retention))
      this.#options.publisher.publish([this.#createWriterNotice('renewed')], () => {})
  }

  /** Writes the record when all published messages are stored. */
  async #writeRecord(): Promise<void> {
    const { gaps, clock, publisher } = this.#options
    if (this.#isWriting || this.#resumePoint === undefined) return
    this.#isWriting = true
    const { streamId, since = gaps.start } = this.#resumePoint
    const completeUntil = gaps.completeUntil(clock.now())
    try {
      await publisher.published
      await this.#record.write({ streamId, sequence: publisher.sequence, since, completeUntil })
    } catch {
      // The error of the sink is ignored here, because the publisher reports it.
    }
    this.#isWriting = false
  }
}
