/** Relays of one app over the simulator, with a stream in memory, for tests. */
import { systemClock } from '@brokerwire/core'
import { createSeededRandom } from '@brokerwire/core/testing'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import {
  createStreams,
  createSubscriptionBudget,
  type Streams,
  type StreamsOptions,
} from '@brokerwire/streams'
import { expect, onTestFinished } from 'vitest'
import { AppRelay, type AppRelayEnd, type AppRelayOptions } from '../app/app-relay.ts'
import type { RelayObserver } from '../observer.ts'
import type { EventSink, StoredEntry } from '../sink/event-sink.ts'
import { createMemoryStream, type MemoryStream } from '../sink/memory-sink.ts'
import { EntryFactory } from '../wire/entries.ts'
import { HEADER } from '../wire/headers.ts'
import type { WriterChangedNotice, WriterGap } from '../wire/notices.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { ADDRESS } from './entries.ts'

export async function setUp(options: SimulatorOptions = {}) {
  const simulator = await startSimulator({ seed: 5, ...options })
  onTestFinished(() => simulator.close())
  const stream = createMemoryStream(streamName(ADDRESS))
  const store = createMemoryStore()
  const start = (
    name: string,
    change: Partial<AppRelayOptions> = {},
    lingering = 0,
    eventsUrl = simulator.eventsUrl,
  ) =>
    startRelay({ simulator, store, name, change: { sink: stream.open(), ...change }, lingering, eventsUrl })
  return { simulator, stream, store, start }
}

export const streamsOf = (
  simulator: Simulator,
  store: ReturnType<typeof createMemoryStore>,
  change: Partial<StreamsOptions<unknown>>,
): Streams<unknown> =>
  createStreams<unknown>({
    signer: createSigner(simulator.credentials),
    eventsUrl: simulator.eventsUrl,
    moduleEventsUrl: simulator.moduleEventsUrl,
    store,
    identity: { environment: 'sandbox', region: 'us', appKey: 'team-a' },
    budget: createSubscriptionBudget(),
    random: createSeededRandom(1),
    ...change,
  })

interface Start {
  readonly simulator: Simulator
  readonly store: ReturnType<typeof createMemoryStore>
  readonly name: string
  readonly change: Partial<AppRelayOptions> & { readonly sink: EventSink }
  readonly lingering: number
  readonly eventsUrl: string
}

function startRelay({ simulator, store, name, change, lingering, eventsUrl }: Start) {
  let streams: Streams<unknown> | undefined
  const reports: string[] = []
  const observer: RelayObserver = {
    onRelayBackpressure: ({ isPaused }) => reports.push(isPaused ? 'held' : 'going on'),
    onRelayDuplicates: ({ events }) => reports.push(`repeats ${events}`),
    onRelaySinkWait: ({ error }) => reports.push(`waiting: ${(error as Error).message}`),
  }
  const relay = new AppRelay({
    address: ADDRESS,
    selection: {
      accounts: simulator.accounts,
      modules: ['application', 'journal'],
      eventTypes: [],
      subscriptions: ['module', 'trade', 'position'],
    },
    openStreams(observer) {
      streams = streamsOf(simulator, store, { eventsUrl, observer })
      return streams
    },
    store,
    writer: { cluster: 'main', relay: name, incarnation: `${name}-1` },
    bufferBytes: 64 * 1024 * 1024,
    slotLingerMs: 0,
    maxConnections: 5,
    openOrder: ['module', 'trade', 'position'],
    clock: systemClock,
    random: createSeededRandom(2),
    observer,
    ...change,
  })
  const end: { value?: AppRelayEnd } = {}
  const ended = relay.run(lingering).then((how) => {
    end.value = how
    return how
  })
  onTestFinished(async () => {
    relay.drain(true)
    await ended
  })
  /** As after SIGKILL: no notice is published, and the connections are lost. */
  const vanish = async (): Promise<void> => streams?.close()
  return { relay, ended, end, reports, vanish }
}

export const eventsOf = (entries: readonly StoredEntry[], source?: string) =>
  entries.filter(
    ({ headers }) =>
      headers[HEADER.type] === 'event' && (source === undefined || headers[HEADER.source] === source),
  )
export interface StoredNotice extends Partial<Omit<WriterGap, 'kind' | 'cause'>> {
  readonly kind: string
  readonly atMs: number
  readonly toMs: number
  readonly hostToMs: number
  readonly state?: string
  readonly cause?: string
  readonly completeUntil?: WriterChangedNotice['completeUntil']
}
const allNoticesOf = (entries: readonly StoredEntry[], source: string) =>
  entries
    .filter(({ headers }) => headers[HEADER.type] === 'notice' && headers[HEADER.source] === source)
    .map(({ body }) => JSON.parse(body) as StoredNotice)
/** The notices, except for the gap before the first subscription, which has its own tests. */
export const noticesOf = (entries: readonly StoredEntry[], source: string) =>
  allNoticesOf(entries, source).filter(({ cause }) => cause !== 'before-subscription')
export const ids = (entries: readonly StoredEntry[]) => entries.map(({ headers }) => headers[HEADER.id])
export const allOpen = (simulator: Simulator) => expect.poll(() => simulator.subscriptions().length).toBe(3)

/** A sink whose `publish` waits, from `pause()` until `resume()`. */
export function pausable(sink: EventSink) {
  const pending: (() => void)[] = []
  let isPaused = false
  return {
    sink: {
      ...sink,
      async publish(batch: Parameters<EventSink['publish']>[0]) {
        if (isPaused) await new Promise<void>((resolve) => pending.push(resolve))
        return sink.publish(batch)
      },
    },
    pending,
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      for (const resume of pending) resume()
    },
  }
}

/** Publishes the end of a stream that a relay has released. @returns The instants in its last notice. */
export async function releasedBefore(stream: MemoryStream) {
  const before = new EntryFactory(subjectRoot(ADDRESS), 'zero-1', 'main')
  const writer = {
    type: 'notice',
    kind: 'writer-changed',
    cluster: 'main',
    relay: 'zero',
    incarnation: 'zero-1',
  } as const
  const subscribed = { type: 'notice', kind: 'subscribed', atMs: 10, attempt: 1, implied: false } as const
  const live = { ...subscribed, connectionId: undefined }
  const until = (untilMs: number) => ({ untilMs, hostUntilMs: untilMs, clockOffsetMs: 0 })
  const completeUntil = { trade: until(1_000_000), position: until(2_000_000) }
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  await sink.publish([
    before.notice('relay', { ...writer, state: 'acquired', atMs: 1 }),
    before.notice('trade', live),
    before.notice('position', live),
    before.notice('relay', { ...writer, state: 'released', atMs: 3_000_000, completeUntil }),
  ])
  return completeUntil
}
