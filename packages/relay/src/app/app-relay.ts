/**
 * Relays one app while it is assigned to this relay. Each event is published once, and committed only after
 * that. Each phase has its own file: `ownership.ts`, `subscriptions.ts` with `connection-slots.ts`,
 * `gap-tracker.ts`, `batch-entries.ts` and `publisher.ts`.
 *
 * A writer reads its resume point from the stream. The stream stores the positions of module events with the
 * events, so an event and its cursor cannot differ. The cursors and the record in the store matter only if
 * the stream has deleted these messages.
 */
import type { Clock, Store } from '@brokerwire/core'
import type {
  BatchStream,
  ItemBatch,
  StreamModuleName,
  StreamNotice,
  Streams,
  StreamsObserver,
} from '@brokerwire/streams'
import {
  type AppReporter,
  createAppReporter,
  type RelayObserver,
  type RelayStoredReport,
} from '../observer.ts'
import { isRelayError } from '../relay-error.ts'
import type { EventSink, SinkEntry } from '../sink/event-sink.ts'
import { type AnyEvent, EntryFactory } from '../wire/entries.ts'
import { RELAYED_NOTICES, type WriterGap } from '../wire/notices.ts'
import { type StreamAddress, type Subscription, streamName, subjectRoot } from '../wire/subjects.ts'
import { type AppSelection, BatchReader, type Item } from './batch-entries.ts'
import { clockOffsetOf, GapTracker, isCovered, TICK_MS, widened } from './gap-tracker.ts'
import { type OversizedDirectory, OversizedEvents } from './oversized-events.ts'
import { Ownership } from './ownership.ts'
import { Publisher } from './publisher.ts'
import { completeBefore } from './resume-point.ts'
import { createRetainingSink } from './retaining-sink.ts'
import { SinkProbe } from './sink-probe.ts'
import { type ConnectionWait, Subscriptions } from './subscriptions.ts'
import { AppTimers } from './timers.ts'

export interface AppRelayOptions {
  readonly address: StreamAddress
  readonly selection: AppSelection
  /** Opens the streams of the service. Called once; they are closed when the relay ends. */
  readonly openStreams: (observer: StreamsObserver) => Streams<unknown>
  /** The stream that this relay writes. Closed at the end. */
  readonly sink: EventSink
  /** The store that the cluster shares. */
  readonly store: Store
  readonly writer: { readonly cluster: string; readonly relay: string; readonly incarnation: string }
  /** The directory for oversized events. @defaultValue they are not written to files */
  readonly oversized?: OversizedDirectory | undefined
  readonly bufferBytes: number
  /** The delay before a sink with a wrong setting is tried again. @defaultValue 60 000 */
  readonly sinkRetryMs?: number | undefined
  readonly slotLingerMs: number
  readonly maxConnections: number
  readonly openOrder: readonly Subscription[]
  readonly clock: Clock
  readonly random: () => number
  readonly observer?: RelayObserver | undefined
  /** Called when this relay is the stream's writer. Before that, nothing is relayed. */
  readonly onWriter?: (() => void) | undefined
  /** Called with the number of ended connections, of any relay, that the service may still count. */
  readonly onLingering?: ((connections: number) => void) | undefined
}

/** The end of an app's relay. */
export type AppRelayEnd =
  /** Another relay may start the app. `lingering`: how many connections the service may still count. */
  | { readonly why: 'released'; readonly lingering: number }
  /** Another relay has become the writer of the stream. */
  | { readonly why: 'fenced'; readonly error: unknown }
  | { readonly why: 'failed'; readonly error: unknown }

/** How long the end waits for a store or a sink that does not respond. */
const CLOSE_MS = 1500

/** Relays one app. Each instance runs once. */
export class AppRelay {
  readonly #options: AppRelayOptions
  readonly #report: AppReporter
  readonly #sink: EventSink
  readonly #stop = new AbortController()
  readonly #timers: AppTimers
  readonly #entries: EntryFactory
  readonly #streams: Streams<unknown>
  readonly #gaps: GapTracker
  readonly #batches: BatchReader
  readonly #oversized: OversizedEvents
  readonly #publisher: Publisher
  readonly #subscriptions: Subscriptions
  readonly #ownership: Ownership
  readonly #probe: SinkProbe
  #end: (end: AppRelayEnd) => void = () => {}

  constructor(options: AppRelayOptions) {
    this.#options = options
    const { address, writer, selection, bufferBytes, clock, observer = {} } = options
    this.#report = createAppReporter(observer, address.app)
    const sink = createRetainingSink({
      sink: options.sink,
      stream: streamName(address),
      clock,
      retryMs: options.sinkRetryMs,
      onWaiting: (error) => this.#report('onRelaySinkWait', { error }),
    })
    this.#sink = sink
    this.#timers = new AppTimers(clock, this.#stop.signal)
    this.#entries = new EntryFactory(subjectRoot(address), writer.incarnation, writer.cluster)
    this.#gaps = new GapTracker(clock.now())
    this.#batches = new BatchReader(selection, this.#entries, {
      onNotice: (subscription, notice, following) => this.#onNotice(subscription, notice, following),
      onEvent: (subscription, event) =>
        this.#gaps.taken(subscription, completeBefore(event, this.#gaps.clockOffsetMs(subscription))),
    })
    this.#oversized = new OversizedEvents({
      stream: streamName(address),
      sink,
      entries: this.#entries,
      directory: options.oversized,
      onOversized: (report) => this.#report('onRelayOversized', report),
    })
    this.#publisher = new Publisher({
      sink,
      bufferBytes,
      onStored: (stored) => {
        this.#probe.confirmed()
        const { first, ...counts } = stored
        this.#report('onRelayStored', { ...counts, ...this.#lagOf(first) })
      },
      onBackpressure: (isPaused, bytes) => this.#report('onRelayBackpressure', { isPaused, bytes }),
      onError: (error) => this.#fail(error),
    })
    this.#ownership = this.#createOwnership()
    this.#probe = new SinkProbe({
      sink,
      isPending: () => this.#publisher.isPending,
      onRetention: (retention) => this.#ownership.setRetention(retention),
      onError: (error) => this.#fail(error),
    })
    this.#subscriptions = this.#createSubscriptions()
    this.#streams = options.openStreams({
      onStreamAlive: ({ stream, ...activity }) => {
        if (stream !== 'account') this.#gaps.frameReceived(stream, activity)
      },
    })
  }

  /**
   * Becomes the stream's writer, and relays the app until the app is released or an error occurs.
   *
   * @param lingering - The number of connections of earlier holders that the service may still count.
   */
  async run(lingering: number): Promise<AppRelayEnd> {
    const ended = new Promise<AppRelayEnd>((resolve) => {
      this.#end = resolve
    })
    this.#subscriptions.dispatch({ type: 'assigned', lingering })
    this.#tick()
    this.#ownership
      .acquire()
      .then(() => {
        if (this.#stop.signal.aborted) return
        this.#options.onWriter?.()
        this.#subscriptions.dispatch({ type: 'acquired' })
      })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#fail(error)
      })
    const end = await ended
    this.#stop.abort()
    this.#timers.cancelAll()
    // The sink is closed at the same time as the streams, because closing the streams waits for the store.
    // The store may not respond, and another relay may write by then.
    const closing = [this.#sink.close(), this.#streams.close(), this.#oversized.written]
    await this.#timers.waitAtMost(CLOSE_MS, () => Promise.allSettled(closing))
    return end
  }

  /** Whether the sink confirmed within 15 seconds that this relay can write. */
  get isWritable(): boolean {
    return this.#probe.isConfirmed
  }

  /** The wait for connections that the service may still count; `undefined` if no subscription waits for one. */
  get connectionWait(): ConnectionWait | undefined {
    return this.#subscriptions.connectionWait
  }

  /** The subscriptions for which all connections are in use, also if none of these lingers. */
  get withoutConnection(): readonly Subscription[] {
    return this.#subscriptions.withoutConnection
  }

  /** Ends with as few gaps as possible; if `now` is true, as soon as possible. */
  drain(now: boolean): void {
    this.#subscriptions.dispatch({ type: 'drain', now })
    // A relay that still waits for its sink has nothing to release, so the wait is ended.
    if (this.#subscriptions.isReleased) this.#stop.abort()
  }

  /** Ends at once. Events that are not stored yet are sent again by the service, or are within a gap. */
  abort(): void {
    this.#end({ why: 'released', lingering: this.#subscriptions.usedConnections })
  }

  #createSubscriptions(): Subscriptions {
    const { selection, openOrder, maxConnections, slotLingerMs, clock } = this.#options
    return new Subscriptions({
      order: openOrder.filter((one) => selection.subscriptions.includes(one)),
      maxConnections,
      slotLingerMs,
      clock,
      timers: this.#timers,
      gaps: this.#gaps,
      publisher: this.#publisher,
      signal: this.#stop.signal,
      open: (subscription) => this.#open(subscription),
      onReopen: (subscription) => this.#batches.reopening(subscription),
      onBatch: (subscription, batch) => this.#publish(subscription, batch),
      onState: (subscription, state, error) =>
        this.#report('onRelaySubscription', { subscription, state, error }),
      onLingering: (connections) => this.#options.onLingering?.(connections),
      onConnectionWait: (wait) => this.#report('onRelayConnectionWait', wait),
      onReleased: (lingering) => void this.#release(lingering),
      onError: (error) => this.#fail(error),
    })
  }

  #createOwnership(): Ownership {
    const { address, writer, store, selection, clock, random } = this.#options
    return new Ownership({
      address,
      writer,
      subscriptions: selection.subscriptions,
      eventTypes: [...this.#batches.eventTypes],
      sink: this.#sink,
      store,
      entries: this.#entries,
      publisher: this.#publisher,
      gaps: this.#gaps,
      clock,
      random,
      timers: this.#timers,
      signal: this.#stop.signal,
      onBegin: (resumePoint) => {
        this.#batches.begin(resumePoint)
        this.#probe.confirmed()
        const { relay, state } = resumePoint.lastWriter ?? {}
        this.#report('onRelayTakeover', {
          previousRelay: relay,
          isReleased: state === undefined || state === 'released',
        })
      },
      onWaitingForSink: (error) => this.#report('onRelaySinkWait', { error }),
      onStoreFailed: (error) => this.#report('onRelayStoreFailed', { error }),
    })
  }

  #tick(): void {
    this.#gaps.tick(this.#options.clock.now())
    this.#ownership.tick()
    this.#probe.tick()
    this.#timers.after(TICK_MS, () => this.#tick())
  }

  #open(subscription: Subscription): BatchStream<Item> {
    const { selection, writer, address } = this.#options
    const { accounts, subscribeType } = selection
    const streams = this.#streams
    const streamId = `${address.app}/${subscription}`
    if (subscription === 'trade')
      return streams
        .tradeEvents({ accounts, subscribeType, allowOtherSubscribeTypes: true, persist: false, streamId })
        .batches()
    if (subscription === 'position')
      return streams.positionEvents({ accounts, persist: false, streamId }).batches()
    const modules = [
      ...(selection.modules as StreamModuleName[]),
      ...selection.eventTypes.map((eventType) => ({ eventType })),
    ]
    // Event types without a position in the stream start at their stored cursor.
    const from = this.#batches.positions
    const consumer = `relay/${writer.cluster}/${address.app}`
    return streams.moduleEvents({ modules, from, ack: 'manual', consumer, streamId }).batches()
  }

  /** Returns the delays of an event that was stored now. */
  #lagOf(event: AnyEvent | undefined): Pick<RelayStoredReport, 'receiveLagMs' | 'storeLagMs'> {
    if (event === undefined) return { receiveLagMs: undefined, storeLagMs: undefined }
    const { receivedAtMs } = event
    const sentMs = event.service === 'module' ? Date.parse(event.timestamp) : Number(event.timestamp)
    return {
      receiveLagMs: sentMs > 0 ? receivedAtMs - sentMs : undefined,
      storeLagMs: this.#options.clock.now() - receivedAtMs,
    }
  }

  #publish(subscription: Subscription, batch: ItemBatch<Item>): void {
    const { entries: received, duplicates } = this.#batches.read(subscription, batch)
    const entries = this.#oversized.fit(received)
    if (duplicates > 0) this.#report('onRelayDuplicates', { events: duplicates })
    this.#publisher.publish(entries, () => batch.ack(), batch.find(isEvent))
    this.#ownership.published(entries)
  }

  #onNotice(
    subscription: Subscription,
    notice: StreamNotice,
    following: StreamNotice | undefined,
  ): readonly SinkEntry[] {
    const entries: SinkEntry[] = []
    const relay = (relayed: StreamNotice | WriterGap): void => {
      this.#report('onRelayNotice', { subscription, notice: relayed })
      if (RELAYED_NOTICES.has(relayed.kind)) entries.push(this.#entries.notice(subscription, relayed))
    }
    if (notice.kind === 'reconnecting') {
      this.#gaps.reconnecting(subscription)
      const type = notice.reason === 'connection-limit' ? 'refused' : 'dropped'
      this.#subscriptions.dispatch({ type, subscription })
    }
    if (notice.kind === 'subscribed') {
      for (const missed of this.#gaps.subscribed(subscription, notice.atMs, clockOffsetOf(following)))
        relay(missed)
      this.#batches.subscribed(subscription)
      this.#subscriptions.dispatch({ type: 'opened', subscription })
    }
    if (!isCovered(subscription, notice)) relay(widened(notice))
    return entries
  }

  async #release(lingering: number): Promise<void> {
    try {
      await this.#publisher.published
      // The `released` notice must be stored before the next relay reads the stream.
      await this.#ownership.release()
      this.#end({ why: 'released', lingering })
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#stop.abort()
    this.#publisher.end()
    this.#end({ why: isRelayError(error, 'RELAY_FENCED') ? 'fenced' : 'failed', error })
  }
}

const isEvent = (item: Item): item is AnyEvent => item.type === 'event'
