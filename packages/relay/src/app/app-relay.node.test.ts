/** The relay of one app over the simulator: the messages in its stream. */

import { type Store, systemClock } from '@brokerwire/core'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { createSigner } from '@brokerwire/signer'
import { type Simulator, type SimulatorOptions, startSimulator, startTcpProxy } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import {
  createStreams,
  createSubscriptionBudget,
  type Streams,
  type StreamsOptions,
} from '@brokerwire/streams'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { EventSink, StoredEntry } from '../sink/event-sink.ts'
import { createMemoryStream, type MemoryStream } from '../sink/memory-sink.ts'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { ADDRESS } from '../test/entries.ts'
import { EntryFactory } from '../wire/entries.ts'
import { HEADER } from '../wire/headers.ts'
import { parseItem } from '../wire/items.ts'
import type { WriterChangedNotice, WriterGap } from '../wire/notices.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { AppRelay, type AppRelayEnd, type AppRelayObserver, type AppRelayOptions } from './app-relay.ts'
import { streamRecordKey } from './stream-record.ts'

async function setUp(options: SimulatorOptions = {}) {
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

const streamsOf = (
  simulator: Simulator,
  store: ReturnType<typeof createMemoryStore>,
  change: Partial<StreamsOptions<unknown>>,
): Streams<unknown> =>
  createStreams<unknown>({
    signer: createSigner(simulator.credentials),
    eventsUrl: simulator.eventsUrl,
    moduleEventsUrl: simulator.moduleEventsUrl,
    store,
    identity: { environment: 'sandbox', region: 'us', appKey: 'desk-a' },
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
  const observer: AppRelayObserver = {
    onBackpressure: ({ isPaused }) => reports.push(isPaused ? 'held' : 'going on'),
    onDuplicates: ({ events }) => reports.push(`repeats ${events}`),
    onWaitingForSink: ({ error }) => reports.push(`waiting: ${(error as Error).message}`),
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

const eventsOf = (entries: readonly StoredEntry[], stream?: string) =>
  entries.filter(
    ({ headers }) =>
      headers[HEADER.type] === 'event' && (stream === undefined || headers[HEADER.stream] === stream),
  )
interface StoredNotice extends Partial<Omit<WriterGap, 'kind' | 'cause'>> {
  readonly kind: string
  readonly atMs: number
  readonly toMs: number
  readonly hostToMs: number
  readonly state?: string
  readonly cause?: string
  readonly completeUntil?: WriterChangedNotice['completeUntil']
}
const allNoticesOf = (entries: readonly StoredEntry[], stream: string) =>
  entries
    .filter(({ headers }) => headers[HEADER.type] === 'notice' && headers[HEADER.stream] === stream)
    .map(({ body }) => JSON.parse(body) as StoredNotice)
/** Without the gap before the first subscription, which has its own tests. */
const noticesOf = (entries: readonly StoredEntry[], stream: string) =>
  allNoticesOf(entries, stream).filter(({ cause }) => cause !== 'before-subscription')
const ids = (entries: readonly StoredEntry[]) => entries.map(({ headers }) => headers[HEADER.id])
const allOpen = (simulator: Simulator) => expect.poll(() => simulator.subscriptions().length).toBe(3)

/** A sink that keeps what it is given, from `hold()` until `goOn()`. */
function holding(sink: EventSink) {
  const held: (() => void)[] = []
  let isPaused = false
  return {
    sink: {
      ...sink,
      async publish(batch: Parameters<EventSink['publish']>[0]) {
        if (isPaused) await new Promise<void>((resolve) => held.push(resolve))
        return sink.publish(batch)
      },
    },
    held,
    hold() {
      isPaused = true
    },
    goOn() {
      isPaused = false
      for (const goOn of held) goOn()
    },
  }
}

/** Publishes the end of a stream that a relay has released. @returns The instants in its last notice. */
async function releasedBefore(stream: MemoryStream) {
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

describe('the relay of an app', () => {
  test('stores each event of its three subscriptions once, in order, as received', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const order = simulator.emitOrder()
    const position = simulator.emitPosition()
    const modules = Array.from({ length: 50 }, () => simulator.emitModule({ module: 'application' }))
    await expect.poll(() => eventsOf(stream.entries).length).toBe(52)
    const [trade] = eventsOf(stream.entries, 'trade')
    expect(trade).toMatchObject({
      subject: `brokerwire.sandbox.us.desk-a.trade.event.${simulator.accounts[0]}.order`,
      body: order.payload,
      headers: { [HEADER.code]: '1024', [HEADER.requestId]: order.requestId },
    })
    expect(eventsOf(stream.entries, 'position')[0]).toMatchObject({
      subject: 'brokerwire.sandbox.us.desk-a.position.event._.position',
      body: position.payload,
    })
    const stored = eventsOf(stream.entries, 'module')
    expect(ids(stored)).toEqual(modules.map(({ id }) => id))
    expect(stored.map(({ body }) => body)).toEqual(modules.map(({ payload }) => payload))
    expect(stream.entries[0]).toMatchObject({
      subject: 'brokerwire.sandbox.us.desk-a.relay.notice.writer-changed',
    })
  })

  test('stores a notice before an event with the id of an earlier one and other content', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const same = { eventType: 'APPLICATION', id: 'the-same' }
    simulator.emitModuleFrame({ ...same, payload: '{"text":"first"}' })
    simulator.emitModuleFrame({ ...same, payload: '{"text":"second"}' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(2)
    const ofModules = stream.entries.filter(({ headers }) => headers[HEADER.stream] === 'module')
    expect(ofModules.map(({ headers }) => headers[HEADER.kind])).toEqual([
      'subscribed',
      'gap',
      'module',
      'duplicate-conflict',
      'module',
    ])
    expect(JSON.parse(ofModules[3]?.body ?? '')).toMatchObject({ eventType: 'APPLICATION', id: 'the-same' })
  })

  test('stores the bytes of an undecodable message in order, and continues', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const first = simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(1)
    simulator.faults.nextFrame('invalid-utf8', { service: 'module' })
    simulator.emitModule({ module: 'application' })
    const last = simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(2)
    const [before, entry, after] = stream.entries.slice(-3)
    expect(ids([before, after].filter((one) => one !== undefined))).toEqual([first.id, last.id])
    expect(entry).toMatchObject({
      subject: 'brokerwire.sandbox.us.desk-a.module.undecodable.malformed',
      body: '',
      headers: { [HEADER.kind]: 'undecodable', [HEADER.contentType]: 'application/octet-stream' },
    })
    expect(Buffer.from(entry?.data ?? []).subarray(-3)).toEqual(Buffer.from([0x1a, 1, 0xff]))
  })

  test('stores no secret in the stream', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    simulator.emitOrder()
    simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries).length).toBe(2)
    const all = JSON.stringify(stream.entries)
    const { appKey, appSecret } = simulator.credentials
    for (const secret of [appKey, appSecret.reveal()]) expect(all).not.toContain(secret)
  })

  test('stores unknown payloads as received, and their decoder returns the reason', async () => {
    const { simulator, stream, start } = await setUp()
    start('one')
    await allOpen(simulator)
    const bodies = ['no JSON', '', '{"accountId":{"of":"another kind"}}', '[1,2', '\u0000\u2028 \u{1f4c8}']
    for (const payload of bodies) simulator.emitTradeFrame({ kind: 'order', payload })
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(bodies.length)
    const stored = eventsOf(stream.entries, 'trade')
    expect(stored.map(({ body }) => body)).toEqual(bodies)
    for (const { subject, headers, body } of stored) {
      expect(subject).toMatch(/^brokerwire\.sandbox\.us\.desk-a\.trade\.event\.[\w=-]+\.order$/)
      const item = parseItem({ subject, getHeader: (name) => headers[name], body }, payloads, () => {})
      if (item.type !== 'event') throw new Error('a notice')
      expect(item.payload).toBe(body)
      expect(() => item.decode()).not.toThrow()
    }
  })

  test('loses no event and reports no gap when the clock jumps an hour ahead and two hours back', async () => {
    const { simulator, stream, start } = await setUp()
    let offsetMs = 0
    start('one', { clock: { ...systemClock, now: () => systemClock.now() + offsetMs } })
    await allOpen(simulator)
    const sent: string[] = []
    for (const jumpMs of [0, 3_600_000, -3_600_000, 0]) {
      offsetMs = jumpMs
      sent.push(simulator.emitModule({ module: 'application' }).id)
      simulator.emitOrder()
      await expect.poll(() => ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
      await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(sent.length)
    }
    for (const name of ['module', 'trade', 'position'])
      expect(noticesOf(stream.entries, name).filter(({ kind }) => kind === 'gap')).toEqual([])
  })

  test('commits the cursor only after the event is stored', async () => {
    const { simulator, stream, store, start } = await setUp()
    const line = holding(stream.open())
    start('one', {
      sink: line.sink,
    })
    await allOpen(simulator)
    await expect.poll(() => noticesOf(stream.entries, 'module').length).toBe(1)
    line.hold()
    const event = simulator.emitModule({ module: 'application' })
    await expect.poll(() => line.held.length).toBeGreaterThan(0)
    const cursor = async () => {
      const keys = (await store.keys()).filter((key) => key.includes('APPLICATION'))
      return (await Promise.all(keys.map((key) => store.get(key)))).join()
    }
    // Commits are gathered for 200 ms.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await cursor()).not.toContain(event.id)
    line.goOn()
    await expect.poll(cursor).toContain(event.id)
  })

  test('is acquired when its sink is available again, and released at once if it never is', async () => {
    const { simulator, stream, start } = await setUp()
    const awayFor = (times: number): EventSink => {
      const sink = stream.open()
      let left = times
      return {
        ...sink,
        async tail(request) {
          left -= 1
          if (left >= 0) throw sinkUnavailable('of a test', 'it is away')
          return sink.tail(request)
        },
      }
    }
    const never = start('never', { sink: awayFor(Number.POSITIVE_INFINITY) })
    await expect.poll(() => never.reports.length).toBe(1)
    // Reported once, for any number of attempts.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(never.reports).toEqual(['waiting: of a test is unavailable: it is away'])
    never.relay.drain(false)
    expect(await never.ended).toEqual({ why: 'released', lingering: 0 })
    const later = start('later', { sink: awayFor(3) })
    await allOpen(simulator)
    expect(later.end.value).toBeUndefined()
  })

  test('commits the events that were in flight when it was released', async () => {
    const { simulator, stream, store, start } = await setUp({ slotLingerMs: 0 })
    const line = holding(stream.open())
    let read = 0
    const { relay, ended } = start('one', {
      // Its limits of time are not reached.
      clock: createVirtualClock(Date.now()),
      openStreams(observer) {
        const streams = streamsOf(simulator, store, { observer })
        const moduleEvents: typeof streams.moduleEvents = (options) => {
          const events = streams.moduleEvents(options)
          const batches = events.batches()
          const next: typeof batches.next = async () => {
            const result = await batches.next()
            read += result.value?.length ?? 0
            return result
          }
          return Object.assign(events, { batches: () => ({ ...batches, next }) })
        }
        return { ...streams, moduleEvents }
      },
      sink: line.sink,
    })
    await allOpen(simulator)
    // Nothing else is on its way then.
    await expect
      .poll(() => ['module', 'trade', 'position'].map((name) => noticesOf(stream.entries, name).length))
      .toEqual([1, 1, 1])
    line.hold()
    const taken = simulator.emitModule({ module: 'application' })
    await expect.poll(() => line.held.length).toBe(1)
    relay.drain(true)
    await expect.poll(() => simulator.subscriptions().length).toBeLessThanOrEqual(1)
    const before = read
    simulator.emitModule({ module: 'application' })
    await expect.poll(() => read).toBe(before + 1)
    line.goOn()
    expect(await ended).toMatchObject({ why: 'released' })
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual([taken.id])
    const [key = ''] = (await store.keys()).filter((name) => name.includes('APPLICATION'))
    expect(await store.get(key)).toContain(taken.id)
  })

  test('is released although its store does not respond', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const memory = createMemoryStore()
    let isAway = false
    const store: Store = {
      get: (key) => memory.get(key),
      compareAndSet: (...args) => (isAway ? new Promise(() => {}) : memory.compareAndSet(...args)),
    }
    const clock = createVirtualClock(Date.now())
    const { relay, end } = start('one', {
      clock,
      openStreams: (observer) =>
        streamsOf(simulator, createMemoryStore(), {
          eventsUrl: simulator.eventsUrl,
          store,
          observer,
        }),
    })
    await allOpen(simulator)
    isAway = true
    simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(1)
    const fromMs = clock.now()
    relay.drain(false)
    await expect
      .poll(
        async () => {
          await clock.advance(1000)
          return end.value
        },
        { timeout: 10_000 },
      )
      .toEqual({ why: 'released', lingering: 2 })
    expect(clock.now() - fromMs).toBeLessThanOrEqual(25_000)
    expect(noticesOf(stream.entries, 'relay').at(-1)).toMatchObject({ state: 'released' })
  })

  test('sets no timers after it was aborted', async () => {
    const { simulator, start } = await setUp()
    const clock = createVirtualClock(Date.now())
    const closed: string[] = []
    const { relay, ended } = start('one', {
      clock,
      slotLingerMs: 60_000,
      observer: {
        onSubscription({ stream, state }) {
          if (state === 'closed') closed.push(stream)
        },
      },
    })
    await allOpen(simulator)
    relay.drain(true)
    relay.abort()
    await ended
    await expect.poll(() => closed.length).toBe(3)
    await clock.settle()
    expect(clock.pendingTimers).toBe(0)
  })

  test('ends at once when it is aborted, with the number of lingering connections', async () => {
    const { simulator, stream, start } = await setUp()
    const sink = stream.open()
    let isAway = false
    const { relay, ended, end } = start('one', {
      slotLingerMs: 60_000,
      sink: { ...sink, publish: (batch) => (isAway ? new Promise(() => {}) : sink.publish(batch)) },
    })
    await allOpen(simulator)
    isAway = true
    simulator.emitModule({ module: 'application' })
    relay.drain(true)
    await expect.poll(() => simulator.subscriptions().length).toBe(0)
    expect(end.value).toBeUndefined()
    relay.abort()
    expect(await ended).toEqual({ why: 'released', lingering: 3 })
  })

  test('fails with the reason if a subscription cannot be opened', async () => {
    const { simulator, start } = await setUp()
    const selection = {
      accounts: simulator.accounts,
      modules: ['nosuch'],
      eventTypes: [],
      subscriptions: ['trade', 'module'] as const,
    }
    const { ended } = start('one', { selection })
    expect(await ended).toMatchObject({ why: 'failed', error: { code: 'STREAM_OPTION_INVALID' } })
  })

  test("renews its writer's notice before the stream deletes it, and writes its record to the store", async () => {
    const { simulator, stream, store, start } = await setUp()
    const clock = createVirtualClock(Date.now())
    const sink = stream.open()
    let writes = 0
    start('one', {
      clock,
      sink: {
        ...sink,
        tail: async (request) => ({ ...(await sink.tail(request)), retention: { maxAgeMs: 60_000 } }),
      },
      store: {
        get: (key) => store.get(key),
        compareAndSet(...args) {
          writes += 1
          return store.compareAndSet(...args)
        },
      },
    })
    await allOpen(simulator)
    for (let second = 0; second < 60; second += 1) await clock.advance(1000)
    const states = noticesOf(stream.entries, 'relay').map(({ state }) => state)
    expect(states).toEqual(['acquired', 'renewed', 'renewed', 'renewed', 'renewed'])
    // At once, and then every five seconds if something has changed.
    expect(writes).toBeGreaterThan(0)
    expect(writes).toBeLessThanOrEqual(13)
    const record = (await store.get(streamRecordKey('main', ADDRESS.app))) ?? ''
    expect(JSON.parse(record)).toMatchObject({
      sequence: expect.any(Number),
      completeUntil: { trade: expect.anything(), position: expect.anything() },
    })
  })

  test('reads no more than the limit while the sink is unavailable, and stores all of it later', async () => {
    const { simulator, stream, start } = await setUp()
    const sink = stream.open()
    const away: (() => void)[] = []
    let isAway = false
    const { reports } = start('one', {
      bufferBytes: 64 * 1024,
      sink: {
        ...sink,
        async publish(batch) {
          if (isAway) await new Promise<void>((resolve) => away.push(resolve))
          return sink.publish(batch)
        },
      },
    })
    await allOpen(simulator)
    isAway = true
    const sent: string[] = []
    for (let round = 0; round < 40; round += 1) {
      for (let event = 0; event < 10; event += 1)
        sent.push(simulator.emitModule({ module: 'application' }).id)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => reports).toContain('held')
    isAway = false
    for (const goOn of away.splice(0)) goOn()
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(400)
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
    expect(reports).toContain('going on')
  })
})

describe('a subscription whose connection is lost', () => {
  test('stores a gap with a margin of five seconds when a lost connection is back', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const proxy = await startTcpProxy({ target: simulator.eventsUrl })
    onTestFinished(() => proxy.close())
    start('one', {}, 0, proxy.url)
    await allOpen(simulator)
    const read = simulator.emitOrder()
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(1)
    proxy.drop()
    await expect
      .poll(() => noticesOf(stream.entries, 'trade').map(({ kind }) => kind))
      .toEqual(['subscribed', 'gap', 'subscribed'])
    const [, gap, subscribed] = noticesOf(stream.entries, 'trade')
    expect(gap?.fromMs).toBe(read.timestampMs - 5000)
    expect(gap?.hostToMs).toBe((subscribed?.atMs ?? Number.NaN) + 5000)
  })

  test('stores a gap when a stream that has ended is opened again', async () => {
    const { simulator, stream, store, start } = await setUp({ slotLingerMs: 0 })
    const proxy = await startTcpProxy({ target: simulator.eventsUrl })
    onTestFinished(() => proxy.close())
    start('one', {
      openStreams: (observer) =>
        streamsOf(simulator, store, { eventsUrl: proxy.url, supervision: { maxAttempts: 1 }, observer }),
    })
    await allOpen(simulator)
    const read = simulator.emitOrder()
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(1)
    proxy.drop()
    await expect
      .poll(() => noticesOf(stream.entries, 'trade').map(({ kind }) => kind), { timeout: 10_000 })
      .toEqual(['subscribed', 'gap', 'subscribed'])
    const [, gap, subscribed] = noticesOf(stream.entries, 'trade')
    expect(gap?.fromMs).toBe(read.timestampMs - 5000)
    expect(gap?.hostToMs).toBe((subscribed?.atMs ?? Number.NaN) + 5000)
  })

  test('opens a stream again after an event of a type that was not selected', async () => {
    const { simulator, stream, store, start } = await setUp()
    let opened = 0
    const { end } = start('one', {
      openStreams(observer) {
        const streams = streamsOf(simulator, store, { observer })
        const moduleEvents: typeof streams.moduleEvents = (options) => {
          opened += 1
          // The simulator sends what is asked for.
          const modules = opened === 1 ? [...options.modules, { eventType: 'NOBODY_ASKED' }] : options.modules
          return streams.moduleEvents({ ...options, modules })
        }
        return { ...streams, moduleEvents }
      },
    })
    await allOpen(simulator)
    const cursorOf = async (): Promise<readonly [string, string]> => {
      const key = (await store.keys()).find((name) => name.includes('APPLICATION')) ?? ''
      return [key, (await store.get(key)) ?? '']
    }
    simulator.emitModule({ module: 'application' })
    await expect.poll(async () => (await cursorOf())[1]).toContain('position')
    const unasked = simulator.emitModuleFrame({ eventType: 'NOBODY_ASKED', payload: '{}' })
    await expect.poll(() => ids(eventsOf(stream.entries, 'module'))).toContain(unasked.id)
    const [key, text] = await cursorOf()
    await store.compareAndSet(key, text, `${text} `)
    simulator.emitModule({ module: 'application' })
    await expect
      .poll(
        () =>
          noticesOf(stream.entries, 'module').filter(({ kind }) => kind === 'subscribed').length +
          Number(end.value !== undefined),
        { timeout: 10_000 },
      )
      .toBe(2)
    expect(end.value).toBeUndefined()
  })
})

describe('a takeover by another relay', () => {
  test('stores events without an identity of a relay that takes over its own stream', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const emit = (count: number): void => {
      for (let event = 0; event < count; event += 1)
        simulator.emitModuleFrame({ eventType: 'APPLICATION', id: '', position: '', payload: '{}' })
    }
    const first = start('one')
    await allOpen(simulator)
    emit(8)
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(8)
    first.relay.drain(true)
    await first.ended
    await expect.poll(() => simulator.subscriptions().length).toBe(0)
    start('one')
    await allOpen(simulator)
    emit(8)
    const named = simulator.emitModule({ module: 'application' })
    await expect.poll(() => ids(eventsOf(stream.entries, 'module')).at(-1)).toBe(named.id)
    expect(eventsOf(stream.entries, 'module')).toHaveLength(17)
  })

  test('fences a writer that was replaced, and stores each module event once, in order', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0, maxConnections: 10 })
    const first = start('one')
    await allOpen(simulator)
    const sent: string[] = []
    const emit = (count: number): void => {
      for (let event = 0; event < count; event += 1)
        sent.push(simulator.emitModule({ module: 'application' }).id)
    }
    emit(30)
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(30)
    start('two')
    await expect.poll(() => noticesOf(stream.entries, 'relay').length).toBe(2)
    emit(30)
    expect(await first.ended).toMatchObject({
      why: 'fenced',
      error: { code: 'RELAY_FENCED', details: { writer: expect.anything() } },
    })
    emit(30)
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(90)
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
  })

  test('reports a gap with the trade events that no relay received after a crash', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const first = start('one')
    await allOpen(simulator)
    const before = simulator.emitOrder()
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(1)
    await first.vanish()
    await expect.poll(() => simulator.subscriptions().length).toBe(0)
    const lost = Array.from({ length: 3 }, () => simulator.emitOrder())
    start('two', {}, 3)
    await expect
      .poll(() => noticesOf(stream.entries, 'trade').map(({ kind }) => kind))
      .toEqual(['subscribed', 'gap', 'subscribed'])
    const gap = noticesOf(stream.entries, 'trade')[1]
    // Five seconds wider than it seems.
    expect(gap?.fromMs).toBe(before.timestampMs - 5000)
    for (const { timestampMs } of lost) {
      expect(timestampMs).toBeGreaterThanOrEqual(gap?.fromMs ?? Number.NaN)
      expect(timestampMs).toBeLessThanOrEqual(gap?.toMs ?? Number.NaN)
    }
    const next = simulator.emitOrder()
    await expect
      .poll(() => eventsOf(stream.entries, 'trade').at(-1)?.headers[HEADER.requestId])
      .toBe(next.requestId)
    expect(eventsOf(stream.entries, 'trade')).toHaveLength(2)
  })

  test('starts the gap at the last tick of a relay whose host was suspended', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    let offsetMs = 0
    const clock = { ...systemClock, now: () => systemClock.now() + offsetMs }
    const first = start('one', { clock })
    await allOpen(simulator)
    await expect.poll(() => noticesOf(stream.entries, 'trade').length).toBe(1)
    // The event waits in the socket: a minute later, the relay gives up before it reads.
    const unread = simulator.emitOrder()
    offsetMs = 60_000
    first.relay.drain(true)
    expect(await first.ended).toMatchObject({ why: 'released' })
    start('two', { clock })
    await expect
      .poll(() => noticesOf(stream.entries, 'trade').map(({ kind }) => kind))
      .toEqual(['subscribed', 'gap', 'subscribed'])
    const gap = noticesOf(stream.entries, 'trade')[1]
    expect(gap?.fromMs).toBeLessThanOrEqual(unread.timestampMs)
    expect(gap?.toMs).toBeGreaterThanOrEqual(unread.timestampMs)
  })

  test.each([
    ['before the relay notices it', false],
    ['while it is being opened again', true],
  ])('starts the gap at the last frame of a stalled connection %s', async (_, isNoticed) => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const proxy = await startTcpProxy({ target: simulator.eventsUrl })
    onTestFinished(() => proxy.close())
    // Its host runs: each tick comes in time.
    const clock = createVirtualClock(Date.now())
    const states: string[] = []
    const observer: AppRelayObserver = {
      onNotice: ({ stream, notice: { kind } }) => stream === 'trade' && states.push(kind),
    }
    const first = start('one', { clock, observer }, 0, proxy.url)
    await allOpen(simulator)
    const read = simulator.emitOrder()
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(1)
    proxy.stall()
    const unread = simulator.emitOrder()
    if (isNoticed) {
      proxy.drop()
      await expect.poll(() => states).toContain('reconnecting')
    }
    await clock.advance(60_000)
    first.relay.drain(true)
    expect(await first.ended).toMatchObject({ why: 'released' })
    start('two', { clock })
    const gapOf = () => noticesOf(stream.entries, 'trade').find(({ kind }) => kind === 'gap')
    await expect.poll(gapOf).toBeDefined()
    const gap = gapOf()
    expect(gap?.fromMs).toBeGreaterThanOrEqual(read.timestampMs - 5000)
    expect(gap?.fromMs).toBeLessThanOrEqual(unread.timestampMs)
    expect(gap?.toMs).toBeGreaterThanOrEqual(unread.timestampMs)
  })

  test('keeps the instants of the previous writer if it is released before it subscribes', async () => {
    const { stream, start } = await setUp()
    const completeUntil = await releasedBefore(stream)
    // No place is free.
    const { relay, ended } = start('one', { slotLingerMs: 60_000 }, 5)
    await expect.poll(() => noticesOf(stream.entries, 'relay').length).toBe(3)
    relay.drain(true)
    await ended
    expect(noticesOf(stream.entries, 'relay').at(-1)).toMatchObject({ state: 'released', completeUntil })
  })

  test('keeps the instants of the previous writer if it is released while it publishes its notice', async () => {
    const { stream, start } = await setUp()
    const completeUntil = await releasedBefore(stream)
    const sink = stream.open()
    let publish: (() => void) | undefined
    const { relay, ended } = start('one', {
      sink: {
        ...sink,
        async publish(batch) {
          if (publish === undefined)
            await new Promise<void>((resolve) => {
              publish = resolve
            })
          return sink.publish(batch)
        },
      },
    })
    await expect.poll(() => publish).toBeDefined()
    relay.drain(false)
    publish?.()
    expect(await ended).toEqual({ why: 'released', lingering: 0 })
    const [, , taken, released] = noticesOf(stream.entries, 'relay')
    expect([taken?.state, released]).toMatchObject(['acquired', { state: 'released', completeUntil }])
  })

  test('publishes nothing if it is released before it has read the end of the stream', async () => {
    const { stream, start } = await setUp()
    const sink = stream.open()
    let answer: (() => void) | undefined
    const { relay, ended } = start('one', {
      sink: {
        ...sink,
        async tail(request) {
          await new Promise<void>((resolve) => {
            answer = resolve
          })
          return sink.tail(request)
        },
        async close() {},
      },
    })
    await expect.poll(() => answer).toBeDefined()
    relay.drain(false)
    answer?.()
    expect(await ended).toEqual({ why: 'released', lingering: 0 })
    expect(stream.entries).toEqual([])
  })

  test('keeps the instant of a subscription that has just ended', async () => {
    const { simulator, stream, store, start } = await setUp({ slotLingerMs: 0 })
    const proxy = await startTcpProxy({ target: simulator.eventsUrl })
    onTestFinished(() => proxy.close())
    const failed: string[] = []
    const { relay, ended } = start('one', {
      openStreams: (observer) =>
        streamsOf(simulator, store, { eventsUrl: proxy.url, supervision: { maxAttempts: 1 }, observer }),
      observer: {
        onSubscription({ stream: name, state }) {
          if (state === 'failed' && failed.push(name) === 2) relay.drain(true)
        },
      },
    })
    await allOpen(simulator)
    await expect
      .poll(() => ['trade', 'position'].map((name) => noticesOf(stream.entries, name).length))
      .toEqual([1, 1])
    proxy.drop()
    await ended
    expect(failed.sort()).toEqual(['position', 'trade'])
    expect(noticesOf(stream.entries, 'relay').at(-1)).toMatchObject({
      state: 'released',
      completeUntil: { trade: expect.anything(), position: expect.anything() },
    })
  })

  test.each([
    ['waits to be stored', true],
    ['is in transit', false],
  ])(
    'starts the gap before the events that arrive a minute late, if what was sent meanwhile %s',
    async (_, isPaused) => {
      const clock = { ...systemClock, now: () => systemClock.now() - 60_000 }
      const { simulator, stream, start } = await setUp({ slotLingerMs: 0, clock })
      const proxy = await startTcpProxy({ target: simulator.eventsUrl })
      onTestFinished(() => proxy.close())
      const line = holding(stream.open())
      const first = start('one', { bufferBytes: 1, sink: line.sink }, 0, proxy.url)
      await allOpen(simulator)
      await expect.poll(() => noticesOf(stream.entries, 'trade').length).toBe(1)
      if (isPaused) line.hold()
      const read = simulator.emitOrder()
      if (isPaused) await expect.poll(() => line.held.length).toBeGreaterThan(0)
      else await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(1)
      if (!isPaused) proxy.stall()
      const unread = simulator.emitOrder()
      first.relay.drain(true)
      if (isPaused) await expect.poll(() => simulator.subscriptions().length).toBe(0)
      line.goOn()
      expect(await first.ended).toMatchObject({ why: 'released' })
      start('two')
      const gapOf = () => noticesOf(stream.entries, 'trade').find(({ kind }) => kind === 'gap')
      await expect.poll(gapOf).toBeDefined()
      expect(ids(eventsOf(stream.entries, 'trade'))).toHaveLength(1)
      expect(gapOf()?.fromMs).toBe(read.timestampMs - 5000)
      expect(gapOf()?.fromMs).toBeLessThanOrEqual(unread.timestampMs)
      expect(gapOf()?.toMs).toBeGreaterThanOrEqual(unread.timestampMs)
    },
  )

  test('reports a gap for an event type without a position after a crash', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const first = start('one')
    await allOpen(simulator)
    simulator.emitModule({ module: 'application' })
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(1)
    await first.vanish()
    await expect.poll(() => simulator.subscriptions().length).toBe(0)
    const lost = simulator.emitModule({ module: 'journal' })
    const kept = simulator.emitModule({ module: 'application' })
    start('two', {}, 3)
    await expect.poll(() => ids(eventsOf(stream.entries, 'module')).at(-1)).toBe(kept.id)
    const gap = noticesOf(stream.entries, 'module').find(({ kind }) => kind === 'gap')
    expect(gap).toMatchObject({ eventTypes: ['JOURNAL'] })
    expect(Date.parse(lost.timestamp)).toBeGreaterThanOrEqual(gap?.fromMs ?? Number.NaN)
    expect(Date.parse(lost.timestamp)).toBeLessThanOrEqual(gap?.toMs ?? Number.NaN)
  })

  test('loses no module event when a relay drains, and reports gaps of trade and position events with both bounds', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const first = start('one')
    await allOpen(simulator)
    const sent: string[] = []
    const emit = (count: number): void => {
      for (let event = 0; event < count; event += 1) sent.push(simulator.emitModule({ module: 'journal' }).id)
    }
    emit(20)
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(20)
    first.relay.drain(false)
    emit(20)
    expect(await first.ended).toMatchObject({ why: 'released', lingering: 2 })
    emit(20)
    start('two', {}, 2)
    await allOpen(simulator)
    emit(20)
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(80)
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
    expect(noticesOf(stream.entries, 'relay').map(({ state }) => state)).toEqual([
      'acquired',
      'released',
      'acquired',
    ])
    for (const name of ['trade', 'position']) {
      const gap = noticesOf(stream.entries, name).find(({ kind }) => kind === 'gap')
      expect(gap?.fromMs).toBeLessThan(gap?.toMs ?? 0)
    }
    const resumed = noticesOf(stream.entries, 'module').find(({ kind }) => kind === 'resumed')
    expect(resumed).toMatchObject({ eventTypes: ['JOURNAL'] })
  })

  test('counts events that the service sends again, and stores them once', async () => {
    const { simulator, stream, start } = await setUp({ slotLingerMs: 0 })
    const first = start('one')
    await allOpen(simulator)
    for (let event = 0; event < 5; event += 1) simulator.emitOrder()
    await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(5)
    await first.vanish()
    await expect.poll(() => simulator.subscriptions().length).toBe(0)
    const second = start('two', {}, 3)
    await allOpen(simulator)
    await expect.poll(() => noticesOf(stream.entries, 'trade').length).toBe(3)
    simulator.redeliverTradeEvents(5)
    const next = simulator.emitOrder()
    await expect
      .poll(() => eventsOf(stream.entries, 'trade').at(-1)?.headers[HEADER.requestId])
      .toBe(next.requestId)
    expect(eventsOf(stream.entries, 'trade')).toHaveLength(6)
    expect(second.reports.filter((report) => report.startsWith('repeats')).length).toBeGreaterThan(0)
  })

  test('stores the event at each cursor once when a subscription is opened again', async () => {
    const { simulator, stream, store, start } = await setUp({ cursor: 'inclusive' })
    const { reports } = start('one')
    await allOpen(simulator)
    const emit = () => [
      simulator.emitModule({ module: 'application' }),
      simulator.emitModule({ module: 'journal' }),
    ]
    const sent = emit()
    const cursorsOf = async (): Promise<readonly [string, string][]> => {
      const keys = (await store.keys()).filter((key) => /APPLICATION|JOURNAL/.test(key))
      return Promise.all(keys.map(async (key) => [key, (await store.get(key)) ?? ''] as const))
    }
    await expect
      .poll(async () => (await cursorsOf()).filter(([, text]) => text.includes('position')).length)
      .toBe(2)
    // Another consumer under the same name: the stream ends with STREAM_CURSOR_CONFLICT when it commits the next event.
    for (const [key, text] of await cursorsOf()) await store.compareAndSet(key, text, `${text} `)
    sent.push(...emit())
    await expect
      .poll(() => noticesOf(stream.entries, 'module').filter(({ kind }) => kind === 'subscribed').length)
      .toBe(2)
    sent.push(...emit())
    await expect.poll(() => ids(eventsOf(stream.entries, 'module')).includes(sent.at(-1)?.id)).toBe(true)
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual(sent.map(({ id }) => id))
    expect(reports).toContain('repeats 2')
  })

  test('rejects the stream of another cluster and of another program before it publishes', async () => {
    const { simulator, stream, start } = await setUp({ maxConnections: 10 })
    start('one')
    await expect.poll(() => simulator.subscriptions().length).toBe(3)
    const other = start('two', { writer: { cluster: 'other', relay: 'two', incarnation: 'x' } })
    expect(await other.ended).toMatchObject({
      why: 'failed',
      error: { code: 'RELAY_STREAM_MISMATCH', details: { found: 'a relay of the cluster main' } },
    })
    expect(noticesOf(stream.entries, 'relay')).toHaveLength(1)
    const foreign = createMemoryStream('foreign')
    const hand = foreign.open()
    await hand.tail({ maxEntries: 0 })
    await hand.publish([{ subject: 'by.hand', key: '', headers: {}, body: '' }])
    expect(await start('three', { sink: foreign.open() }).ended).toMatchObject({
      error: { code: 'RELAY_STREAM_MISMATCH', details: { found: 'messages of no relay' } },
    })
  })
})
