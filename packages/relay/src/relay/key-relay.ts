/**
 * One app key, as long as this relay has it: its subscriptions, each event published once, and committed only after that.
 *
 * Where the last writer ended is read from the stream itself. The positions of the module events stand there beside the
 * events, so nothing can come between an event and its cursor; the cursors in the store matter only where the stream does not
 * reach back far enough.
 */
import type { Clock } from '@brokerwire/core'
import { notify, sleep, withinLimit } from '@brokerwire/core/internal'
import { MODULES } from '@brokerwire/payloads'
import {
  type BatchStream,
  type ItemBatch,
  isStreamsError,
  type StreamItem,
  type StreamModuleName,
  type StreamNotice,
  type StreamObserver,
  type Streams,
} from '@brokerwire/streams'
import {
  initialSlots,
  placesTaken,
  type SlotsEffect,
  type SlotsEvent,
  type Subscription,
  slotsTransition,
} from '../fleet/slots.ts'
import { isRelayError, type RelayError } from '../relay-error.ts'
import { type EventSink, entryBytes, type SinkEntry } from '../sink/event-sink.ts'
import { Entries } from '../wire/entries.ts'
import { type HolderNotice, RELAYED_NOTICES } from '../wire/notices.ts'
import { type StreamAddress, streamName, subjectRoot } from '../wire/subjects.ts'
import { bothDone } from './both-done.ts'
import { KnownKeys, RecentKeys } from './recent-keys.ts'
import { heardBy, readTail, type Seen, TIMED, tailRequest } from './seen.ts'

/** What is followed of a key. */
export interface KeySelection {
  readonly accounts: readonly string[]
  /** Names of modules. */
  readonly modules: readonly string[]
  /** Module events by event type besides. */
  readonly eventTypes: readonly string[]
  readonly subscriptions: readonly Subscription[]
}

/** Told what happens to a key. What these throw is dropped. */
export interface KeyRelayObserver {
  /** Messages were stored. */
  onStored?(report: {
    readonly key: string
    readonly messages: number
    readonly bytes: number
    readonly sequence: number
  }): void
  /** Events that were in the stream before, and were not published again. */
  onRepeats?(report: { readonly key: string; readonly events: number }): void
  /** Nothing is read while more than the bound waits to be stored; and reading goes on. */
  onBackpressure?(report: { readonly key: string; readonly isHeld: boolean; readonly bytes: number }): void
  /** It has the key and cannot begin, because the sink cannot be used; it is tried again. */
  onWaiting?(report: { readonly key: string; readonly error: unknown }): void
  onNotice?(report: {
    readonly key: string
    readonly stream: Subscription
    readonly notice: StreamNotice
  }): void
  onSubscription?(report: {
    readonly key: string
    readonly stream: Subscription
    readonly state: 'opening' | 'closed' | 'failed'
  }): void
}

export interface KeyRelayOptions {
  readonly address: StreamAddress
  readonly selection: KeySelection
  /** Called once. The streams are closed when the relay ends. */
  readonly openStreams: (observer: StreamObserver) => Streams<unknown>
  /** Closed at the end. */
  readonly sink: EventSink
  readonly writer: { readonly fleet: string; readonly relay: string; readonly incarnation: string }
  readonly bufferBytes: number
  readonly slotLingerMs: number
  readonly maxConnections: number
  readonly openOrder: readonly Subscription[]
  readonly clock: Clock
  readonly random: () => number
  readonly observer?: KeyRelayObserver | undefined
  /** Told when it is the stream's writer: before that, nothing is relayed. */
  readonly onWriter?: (() => void) | undefined
  /** Told how many places are taken by nobody who is there: those of earlier holders, and of its own lost connections. */
  readonly onLingering?: ((places: number) => void) | undefined
}

/** How it ended. */
export type KeyRelayEnd =
  /** Another relay may have the key. @param lingering - Places of connections that are left behind. */
  | { readonly why: 'released'; readonly lingering: number }
  /** Another writer has taken the stream. */
  | { readonly why: 'fenced'; readonly error: unknown }
  | { readonly why: 'failed'; readonly error: unknown }

/** How far the bounds of a gap may be wrong: events on their way, and clocks that differ, the service's among them. */
const MARGIN_MS = 5000
const MAX_TAKES = 20
const MAX_TAKE_PAUSE_MS = 1000
/** The service learns later than its client that a connection has ended, and counts from then. */
const SLOT_MARGIN_MS = 1000
const REOPEN_MS = 1000
/** How often it is looked whether this host stands still. */
const TICK_MS = 1000
/** For a store or a sink that does not answer while a key is given up. Where module events go on stands in the stream. */
const LEAVE_MS = 10_000
/** For what is on its way when module events are left: later it is stored all the same, and not committed. */
const COMMIT_MS = 500

interface Running {
  readonly subscription: Subscription
  readonly leave: () => Promise<unknown>
  /** Set where everything that was received has been taken. */
  isIdle: boolean
  isLeft: boolean
  /** Nothing more is taken: of module events, what comes now comes again. */
  isOver: boolean
  /** Until when all that was sent has been taken, by the last event that was. A notice would not do: the next may be of a gap before it. */
  takenUntilMs: number | undefined
}

type Item = StreamItem<unknown>

/** Runs once. */
export class KeyRelay {
  readonly #options: KeyRelayOptions
  readonly #key: string
  readonly #entries: Entries
  /** Those that were asked for. Of others, of which there may be any number, nothing is kept. */
  readonly #eventTypes: ReadonlySet<string>
  readonly #stop = new AbortController()
  readonly #running = new Map<Subscription, Running>()
  readonly #completeUntilMs: Partial<Record<Subscription, number>> = {}
  /** Subscriptions that were live in this relay: before that, whatever came after the last writer is missing. */
  readonly #wasLive = new Set<Subscription>()
  /** Of those that are not live: since when events may be missing, where somebody, or this relay itself, followed them before. */
  readonly #missingSinceMs = new Map<Subscription, number | undefined>()
  /** Until when the service was heard: a connection that stands still looks like one on which nothing happens. */
  readonly #heardMs: Partial<Record<Subscription, number>> = {}
  readonly #streams: Streams<unknown>
  /** When this host was last seen to run, and since when it stood still, until a tick says otherwise. */
  #ranMs: number
  #stoodStillSinceMs: number | undefined
  #slots
  #seen: Seen | undefined
  readonly #known: KnownKeys
  readonly #recent = new RecentKeys()
  #positions: Record<string, string> = {}
  /** Of what is on its way into the stream. */
  #bytes = 0
  #isHeld = false
  #waitsFor = ''
  #resume: (() => void)[] = []
  #publishing: Promise<void> = Promise.resolve()
  /** It says that it is the stream's writer. */
  #beginning: Promise<void> = Promise.resolve()
  #timers = new Set<() => void>()
  #end: (end: KeyRelayEnd) => void = () => {}

  constructor(options: KeyRelayOptions) {
    this.#options = options
    const { address, writer, selection, openOrder, maxConnections } = options
    this.#key = address.key
    this.#entries = new Entries(subjectRoot(address), writer.incarnation)
    this.#eventTypes = new Set([
      ...selection.modules.flatMap((name) => eventTypesOf(name)),
      ...selection.eventTypes,
    ])
    this.#known = new KnownKeys(selection.subscriptions)
    const order = openOrder.filter((one) => selection.subscriptions.includes(one))
    this.#slots = initialSlots(order, maxConnections)
    this.#ranMs = options.clock.now()
    this.#streams = options.openStreams({
      onAlive: ({ stream, heardMs }) => {
        this.#heardMs[stream] = heardMs
      },
    })
  }

  /**
   * Becomes the stream's writer, and relays until the key is another's.
   *
   * @param lingering - Places of connections that earlier holders may have left behind.
   */
  async run(lingering: number): Promise<KeyRelayEnd> {
    const ended = new Promise<KeyRelayEnd>((resolve) => {
      this.#end = resolve
    })
    this.#tell({ type: 'given', lingering })
    this.#tick()
    this.#take()
      .then(() => {
        if (this.#stop.signal.aborted) return
        this.#options.onWriter?.()
        this.#tell({ type: 'taken' })
      })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#fail(error)
      })
    const end = await ended
    this.#stop.abort()
    for (const cancel of this.#timers) cancel()
    // The sink too: leaving waits for the store, which may be why this ends, and what is written by then is another relay's.
    const closing = [this.#options.sink.close(), this.#streams.close()]
    await this.#limited(LEAVE_MS, () => Promise.allSettled(closing))
    return end
  }

  /** Gives the key up: with as little lost as can be, or `now`. */
  handOver(now: boolean): void {
    this.#tell({ type: 'hand-over', now })
    // One that still waits for its sink has nothing to give back.
    if (this.#slots.phase === 'released') this.#stop.abort()
  }

  /** Ends where it stands: what was received and is not stored yet comes again, or lies in a gap. */
  abandon(): void {
    this.#end({ why: 'released', lingering: placesTaken(this.#slots) })
  }

  /** Becomes the writer. A sink that is away is waited for: no other relay could write it either. */
  async #take(): Promise<void> {
    const { address, sink, writer, clock, random } = this.#options
    const eventTypes = [...this.#eventTypes]
    let overtaken = 0
    for (let attempt = 1; ; attempt += 1) {
      try {
        const tail = await sink.tail(tailRequest(subjectRoot(address), eventTypes))
        const seen = readTail(streamName(address), writer.fleet, eventTypes, tail)
        if (this.#stop.signal.aborted) return
        this.#beginning = sink.publish([this.#holder('taken')]).then(() => this.#begin(seen))
        await this.#beginning
        return
      } catch (error) {
        // Somebody wrote in between: what it was is read before anything else.
        const isFenced = isRelayError(error, 'RELAY_FENCED')
        if (isFenced) overtaken += 1
        const mayPass = isFenced ? overtaken < MAX_TAKES : isRelayError(error, 'RELAY_SINK_UNAVAILABLE')
        if (!mayPass) throw error
        if (!isFenced) this.#sayWaiting(error)
        await sleep(clock, random() * Math.min(MAX_TAKE_PAUSE_MS, 20 * attempt), this.#stop.signal)
      }
    }
  }

  #begin(seen: Seen): void {
    this.#seen = seen
    this.#known.know(seen.keys)
    if (seen.holder !== undefined)
      for (const one of TIMED) this.#missingSinceMs.set(one, seen.completeUntilMs[one])
    this.#positions = { ...seen.positions }
  }

  /** Each reason once. */
  #sayWaiting(error: unknown): void {
    const { message } = error as RelayError
    if (message !== this.#waitsFor) this.#report('onWaiting', { error })
    this.#waitsFor = message
  }

  #holder(state: HolderNotice['state']): SinkEntry {
    const { clock, writer } = this.#options
    // Of what is not live: until when it was, here or with the holder before.
    const completeUntilMs =
      state === 'released'
        ? { ...Object.fromEntries(this.#missingSinceMs), ...this.#completeUntilMs }
        : undefined
    const notice = {
      type: 'notice',
      kind: 'holder',
      state,
      atMs: clock.now(),
      ...writer,
      completeUntilMs,
    } as const
    return this.#entries.notice('relay', notice)
  }

  /** A process that is stopped, on a host that sleeps, reads nothing: what came meanwhile waits where it may get lost. */
  #tick(): void {
    const { clock } = this.#options
    const nowMs = clock.now()
    this.#stoodStillSinceMs = nowMs - this.#ranMs > 2 * TICK_MS ? this.#ranMs : undefined
    this.#ranMs = nowMs
    this.#after(TICK_MS, () => this.#tick())
  }

  /** Until when everything that the service had sent was heard and taken; `undefined` where nothing was. */
  #completeUntil({ subscription, isIdle, takenUntilMs }: Running): number | undefined {
    const nowMs = this.#options.clock.now()
    const ranUntilMs = this.#stoodStillSinceMs ?? (nowMs - this.#ranMs > 2 * TICK_MS ? this.#ranMs : nowMs)
    const heardMs = this.#heardMs[subscription]
    const takenMs = isIdle ? heardMs : takenUntilMs
    if (heardMs === undefined || takenMs === undefined || !this.#wasLive.has(subscription)) return undefined
    return Math.min(takenMs, heardMs, ranUntilMs)
  }

  /** Waits no longer than that, whatever becomes of it. */
  async #limited(limitMs: number, work: () => Promise<unknown>): Promise<void> {
    await withinLimit(this.#options.clock, limitMs, undefined, work, () => {}).catch(() => {})
  }

  /** Nothing once it ends: a timer would keep the process alive. */
  #after(delayMs: number, work: () => void): void {
    if (this.#stop.signal.aborted) return
    const cancel = this.#options.clock.setTimer(() => {
      this.#timers.delete(cancel)
      work()
    }, delayMs)
    this.#timers.add(cancel)
  }

  #tell(event: SlotsEvent): void {
    const before = this.#slots.lingering
    const [next, effects] = slotsTransition(this.#slots, event)
    this.#slots = next
    if (next.lingering !== before) this.#options.onLingering?.(next.lingering)
    for (const effect of effects) this.#carryOut(effect)
  }

  #carryOut(effect: SlotsEffect): void {
    switch (effect.type) {
      case 'open':
        this.#report('onSubscription', { stream: effect.subscription, state: 'opening' })
        void this.#follow(effect.subscription)
        return
      case 'close':
        void this.#close(effect.subscription)
        return
      case 'arm': {
        const { slotLingerMs } = this.#options
        const delayMs = slotLingerMs === 0 ? 0 : slotLingerMs + SLOT_MARGIN_MS
        this.#after(delayMs, () => this.#tell({ type: 'freed' }))
        return
      }
      case 'released':
        void this.#release(effect.lingering)
    }
  }

  async #release(lingering: number): Promise<void> {
    try {
      await this.#publishing
      // What it says on its way into the stream is there when the next holder reads it.
      await this.#limited(LEAVE_MS, () => this.#beginning)
      if (this.#seen !== undefined) await this.#options.sink.publish([this.#holder('released')])
      this.#end({ why: 'released', lingering })
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Everything that was taken is published first, and of module events committed, as far as it is stored soon. */
  async #close(subscription: Subscription): Promise<void> {
    const running = this.#running.get(subscription)
    if (running !== undefined) {
      running.isLeft = true
      // What has come by now is taken first: between its coming and that, it would look as if nothing waited.
      await new Promise<void>((resolve) => setImmediate(resolve))
      const untilMs = this.#completeUntil(running)
      if (untilMs !== undefined) this.#completeUntilMs[subscription] = untilMs
      if (subscription === 'module') {
        running.isOver = true
        await this.#limited(COMMIT_MS, () => this.#publishing)
      }
      await this.#limited(LEAVE_MS, running.leave)
    }
    this.#running.delete(subscription)
    try {
      await this.#publishing
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#report('onSubscription', { stream: subscription, state: 'closed' })
    this.#tell({ type: 'closed', subscription })
  }

  /** Reads a subscription until it is left, and opens it again where it ended by an error that may pass. */
  async #follow(subscription: Subscription): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#stop
    for (;;) {
      let running: Running | undefined
      try {
        const batches = this.#open(subscription)
        running = {
          subscription,
          leave: () => batches.return(),
          isIdle: false,
          isLeft: false,
          isOver: false,
          takenUntilMs: undefined,
        }
        this.#running.set(subscription, running)
        await this.#read(running, batches)
        if (running.isLeft || signal.aborted) return
      } catch (error) {
        if (running?.isLeft || signal.aborted) return
        const mayPass = isStreamsError(error) && (error.retryable || error.code === 'STREAM_CURSOR_CONFLICT')
        if (!mayPass) {
          this.#fail(error)
          return
        }
      }
      // The stream that is opened next knows nothing of the one that has ended.
      if (running !== undefined && this.#wasLive.has(subscription) && subscription !== 'module') {
        this.#missingSinceMs.set(subscription, this.#completeUntil(running))
        this.#wasLive.delete(subscription)
      }
      this.#report('onSubscription', { stream: subscription, state: 'failed' })
      this.#tell({ type: 'dropped', subscription })
      await sleep(clock, REOPEN_MS, signal).catch(() => {})
      if (signal.aborted || running?.isLeft) return
      this.#known.know([...(this.#seen?.keys ?? []), ...this.#recent.all()], subscription)
    }
  }

  #open(subscription: Subscription): BatchStream<Item> {
    const { selection, writer, address } = this.#options
    const { accounts } = selection
    const streams = this.#streams
    if (subscription === 'trade') return streams.tradeEvents({ accounts }).batches()
    if (subscription === 'position') return streams.positionEvents({ accounts }).batches()
    const modules = [
      ...(selection.modules as StreamModuleName[]),
      ...selection.eventTypes.map((eventType) => ({ eventType })),
    ]
    // Event types without a position in the stream begin at their stored cursor.
    const consumer = `relay/${writer.fleet}/${address.key}`
    return streams.moduleEvents({ modules, from: { ...this.#positions }, ack: 'manual', consumer }).batches()
  }

  async #read(running: Running, batches: BatchStream<Item>): Promise<void> {
    for (;;) {
      await this.#room()
      if (running.isOver) return
      running.isIdle = true
      const next = await batches.next()
      running.isIdle = false
      if (next.done === true || running.isOver) return
      this.#publish(running, next.value)
    }
  }

  #publish(running: Running, batch: ItemBatch<Item>): void {
    const { subscription } = running
    const entries: SinkEntry[] = []
    let repeats = 0
    for (const [at, item] of batch.entries()) {
      if (item.type === 'notice') {
        // The gap that a subscription ends stands before it: a writer that dies between the two has said what is missing.
        const isBefore = subscription !== 'module' && item.kind === 'gap' && isSubscribed(batch[at - 1])
        entries.splice(isBefore ? -1 : entries.length, 0, ...this.#noticed(subscription, item))
      } else {
        running.takenUntilMs = Math.max(running.takenUntilMs ?? Number.NEGATIVE_INFINITY, heardBy(item))
        const entry = this.#entries.event(subscription, item)
        const hasCursor =
          item.service === 'module' && item.kind === 'module' && this.#eventTypes.has(item.eventType)
        const eventType = hasCursor ? item.eventType : undefined
        if (this.#known.has(entry.key)) repeats += 1
        else {
          entries.push(entry)
          this.#recent.add(entry.key, eventType)
        }
        if (hasCursor && item.position !== '') this.#positions[item.eventType] = item.position
      }
    }
    if (repeats > 0) this.#report('onRepeats', { events: repeats })
    this.#store(entries, () => batch.ack())
  }

  /** Hands messages to the sink. What they came from is acknowledged when they are stored, and not before. */
  #store(entries: readonly SinkEntry[], onStored: () => void): void {
    const { sink } = this.#options
    const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0)
    this.#bytes += bytes
    this.#known.published(entries.length)
    const published = sink.publish(entries).then(({ sequence }) => {
      this.#bytes -= bytes
      onStored()
      if (entries.length > 0) this.#report('onStored', { messages: entries.length, bytes, sequence })
      this.#letGo()
    })
    published.catch((error: unknown) => this.#fail(error))
    this.#publishing = bothDone(this.#publishing, published)
    this.#publishing.catch(() => {})
  }

  #noticed(subscription: Subscription, notice: StreamNotice): SinkEntry[] {
    this.#report('onNotice', { stream: subscription, notice })
    const found: SinkEntry[] = []
    if (notice.kind === 'reconnecting') {
      const type = notice.reason === 'connection-limit' ? 'refused' : 'dropped'
      this.#tell({ type, subscription })
    }
    if (notice.kind === 'subscribed') {
      const before = this.#wasLive.has(subscription)
        ? undefined
        : this.#sinceBefore(subscription, notice.atMs)
      if (before !== undefined) found.push(this.#entries.notice(subscription, widened(before)))
      this.#wasLive.add(subscription)
      this.#missingSinceMs.delete(subscription)
      this.#known.begun(subscription)
      this.#tell({ type: 'opened', subscription })
    }
    if (RELAYED_NOTICES.has(notice.kind)) found.push(this.#entries.notice(subscription, widened(notice)))
    return found
  }

  /** What happened since the last writer, or the last stream of this one, when a subscription is live for the first time. */
  #sinceBefore(subscription: Subscription, toMs: number): StreamNotice | undefined {
    const seen = this.#seen
    const bounds = { type: 'notice', atMs: toMs, toMs } as const
    if (subscription === 'module') {
      if (seen?.holder === undefined) return undefined
      const eventTypes = Object.keys(seen.positions)
      return eventTypes.length === 0
        ? undefined
        : { ...bounds, kind: 'resumed', fromMs: seen.holder.atMs, eventTypes }
    }
    if (!this.#missingSinceMs.has(subscription)) return undefined
    const fromMs = this.#missingSinceMs.get(subscription)
    return { ...bounds, kind: 'gap', fromMs, eventTypes: undefined, cause: 'disconnected' }
  }

  /** Waits while more than the bound is on its way: the service is held back by not reading on. */
  async #room(): Promise<void> {
    while (this.#bytes >= this.#options.bufferBytes && !this.#stop.signal.aborted) {
      if (!this.#isHeld) {
        this.#isHeld = true
        this.#report('onBackpressure', { isHeld: true, bytes: this.#bytes })
      }
      await new Promise<void>((resolve) => this.#resume.push(resolve))
    }
  }

  #letGo(): void {
    if (this.#bytes >= this.#options.bufferBytes) return
    if (this.#isHeld) {
      this.#isHeld = false
      this.#report('onBackpressure', { isHeld: false, bytes: this.#bytes })
    }
    for (const resume of this.#resume.splice(0)) resume()
  }

  #fail(error: unknown): void {
    this.#stop.abort()
    for (const resume of this.#resume.splice(0)) resume()
    this.#end({ why: isRelayError(error, 'RELAY_FENCED') ? 'fenced' : 'failed', error })
  }

  #report<K extends keyof KeyRelayObserver>(
    what: K,
    report: Omit<Parameters<NonNullable<KeyRelayObserver[K]>>[0], 'key'>,
  ): void {
    const { observer } = this.#options
    const listener = observer?.[what] as ((report: unknown) => unknown) | undefined
    if (listener !== undefined) notify(() => listener.call(observer, { key: this.#key, ...report }))
  }
}

/** A gap with its bounds as far apart as they may be wrong. */
function widened(notice: StreamNotice): StreamNotice {
  if (notice.kind !== 'gap') return notice
  const { fromMs, toMs } = notice
  return {
    ...notice,
    fromMs: fromMs === undefined ? undefined : fromMs - MARGIN_MS,
    toMs: toMs + MARGIN_MS,
  }
}

function isSubscribed(item: Item | undefined): boolean {
  return item?.type === 'notice' && item.kind === 'subscribed'
}

function eventTypesOf(name: string): readonly string[] {
  return Object.hasOwn(MODULES, name) ? MODULES[name as keyof typeof MODULES].eventTypes : []
}
