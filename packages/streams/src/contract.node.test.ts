/**
 * The delivery contract of the README: each of its sentences is a test of the same number here, against a real HTTP/2
 * server, for both ways to read a stream. A sentence without a test, a test without a sentence, and a sentence that
 * begins in other words, fail.
 */
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { ModuleMessageType, ModuleSubscribeRequestSchema, TradeEventType } from '@brokerwire/protos'
import { createFailingStore, type FailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import type { EventStream } from './event-stream.ts'
import { createModuleStream, type ModuleStreamOptions } from './module-stream.ts'
import { isStreamsError } from './streams-error.ts'
import { grpcConnections } from './subscription/connection.ts'
import { readPolicy } from './supervisor/policy.ts'
import { cursorKey, IDENTITY, targetOf, testContext } from './test/context.ts'
import { contractSentences } from './test/contract.ts'
import { moduleEvent, moduleFrame, tradeFrame } from './test/frames.ts'
import {
  arraysOf,
  ask,
  label,
  takeAfterDrop,
  takeBeginning,
  take as takeBy,
  takeLabels as takeLabelsBy,
  WAYS,
  type Way,
} from './test/take.ts'
import { createTradeStream } from './trade-stream.ts'

const sentences = contractSentences()
const tested = new Set<string>()

/** A test of one sentence; `begin` is how it begins. */
function sentence(number: string, begin: string, run: () => Promise<void>): void {
  tested.add(number)
  test(`${number} ${begin}`, async () => {
    expect(sentences.get(number)?.slice(0, begin.length)).toBe(begin)
    await run()
  })
}

const MODULE_SUCCESS = moduleFrame(ModuleMessageType.SubscribeSuccess)
const TRADE_SUCCESS = tradeFrame(TradeEventType.SubscribeSuccess)
const app = (n: number) => moduleEvent('APPLICATION', n)
/** An event type that is not UTF-8. */
const INVALID = Uint8Array.of(0x1a, 1, 0xff)
const order = (requestId: string, payload = '{}') => tradeFrame(1024, { requestId, payload })
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** How the streams of the tests are read. */
let way: Way = 'items'
const take = <Item>(stream: EventStream<Item>, count: number) => takeBy(stream, count, way)
const takeLabels = <Item extends Parameters<typeof label>[0]>(stream: EventStream<Item>, count: number) =>
  takeLabelsBy(stream, count, way)

let server: GrpcServer
let store: FailingStore
beforeEach(async () => {
  server = await startGrpcServer()
  store = createFailingStore()
})
afterEach(() => server.close())

type ModuleChange = Partial<ModuleStreamOptions>
type Change = Partial<SharedContext>

function openModule(options: ModuleChange = {}, change: Change = {}) {
  return createModuleStream(
    testContext({ store, identity: IDENTITY, ...change }),
    targetOf(server.url),
    { modules: ['application'], ...options },
    (frame) => payloads.module(frame),
  )
}

/** @param maxItems - Of the arrays, if the stream is read by arrays. */
async function liveModule(options?: ModuleChange, change?: Change, maxItems?: number) {
  const stream = openModule(options, change)
  if (maxItems !== undefined) arraysOf(stream, maxItems)
  const first = takeBy(stream, 1, maxItems === undefined ? way : 'batches')
  const call = await server.call()
  call.send(MODULE_SUCCESS)
  await first
  return { stream, call }
}

const openTrade = (change?: Change) =>
  createTradeStream(testContext(change), targetOf(server.url), 'trade', { accounts: ['A1'] }, payloads)

async function liveTrade(change?: Change) {
  const stream = openTrade(change)
  const first = take(stream, 1)
  const call = await server.call()
  call.send(TRADE_SUCCESS)
  await first
  return { stream, call }
}

/** Where the last commit stands. */
function committed(eventType = 'APPLICATION', consumer = 'default'): string | undefined {
  const text = store.entries.get(cursorKey(consumer, eventType))
  return text === undefined ? undefined : (JSON.parse(text) as { position?: string }).position
}

/** Positions that a subscription asked for. */
function asked(call: GrpcServerCall): Record<string, string> {
  const request = fromBinary(ModuleSubscribeRequestSchema, call.body.subarray(5))
  return Object.fromEntries(request.events.map((event) => [event.eventType, event.position]))
}

/** Takes all that is handled, and leaves: the item taken last is asked past, so that it counts as handled. */
async function handleAndLeave<Item>(stream: EventStream<Item>, count: number): Promise<Item[]> {
  const items = await take(stream, count)
  const pending = ask(stream, way)
  await stream.return()
  await pending
  return items
}

describe.each(WAYS)('the delivery contract, read by %s', (given) => {
  beforeEach(() => {
    way = given
  })

  sentence('1.1', 'Items come in the order received', async () => {
    const shuffled = numbers(60).map((n) => (n * 37) % 60)
    const trade = await liveTrade()
    trade.call.send(...shuffled.map((n) => tradeFrame(1024, { requestId: `r${n}`, timestamp: BigInt(n) })))
    expect(await takeLabels(trade.stream, 60)).toEqual(shuffled.map((n) => `r${n}`))
    await trade.stream.return()
    const module = await liveModule()
    module.call.send(...shuffled.map(app))
    expect(await takeLabels(module.stream, 60)).toEqual(shuffled.map((n) => `id-${n}`))
    await module.stream.return()
  })

  sentence(
    '2.1',
    'Module stream, given that the service replays after a position and sends in the order of its positions',
    async () => {
      const { stream, call } = await liveModule()
      const ids: string[] = []
      let reach: (() => void) | undefined
      const reached = (count: number) =>
        new Promise<void>((resolve) => {
          reach = () => {
            if (ids.length >= count) resolve()
          }
          reach()
        })
      const reading = (async () => {
        while (ids.length < 60) {
          for (const item of (await ask(stream, way)) ?? []) if (item.type === 'event') ids.push(item.id)
          reach?.()
        }
      })()
      call.send(...numbers(5).map((n) => app(n + 1)))
      await reached(5)
      while (ids.length < 60) {
        // Three more were on their way as the connection broke: they arrived or not.
        const handled = ids.length
        server.drop()
        const again = await server.call()
        const position = Number(asked(again).APPLICATION?.slice(1))
        expect(position).toBeGreaterThanOrEqual(handled)
        // The service replays from the position on, that event among it.
        again.send(MODULE_SUCCESS, ...numbers(8).map((n) => app(position + n)))
        await reached(Math.min(60, position + 7))
        again.send(...numbers(3).map((n) => app(position + 8 + n)))
      }
      await reading
      expect(ids).toEqual(numbers(60).map((n) => `id-${n + 1}`))
      await stream.return()
    },
  )

  sentence(
    '3.1',
    'Repeats of an `id` are dropped inside a process and, for committed ids, across restarts',
    async () => {
      const first = await liveModule()
      first.call.send(app(1), app(2), app(1), app(2), app(3))
      expect((await handleAndLeave(first.stream, 3)).map(label)).toEqual(['id-1', 'id-2', 'id-3'])
      const second = await liveModule()
      second.call.send(app(2), app(3), app(4))
      expect(await takeLabels(second.stream, 1)).toEqual(['id-4'])
      await second.stream.return()
    },
  )

  sentence('3.2', 'The memory is bounded: 20,000 ids or 2 MiB of them in the process', async () => {
    const { stream, call } = await liveModule({}, { buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
    call.send(...numbers(20_001).map(app), app(1), app(0))
    const items = await take(stream, 20_002)
    // The oldest was forgotten; the one after it was not.
    expect(items.slice(-2).map(label)).toEqual(['id-20000', 'id-0'])
    await stream.return()
    const [text] = store.entries.values()
    expect(JSON.parse(text ?? '').ids).toHaveLength(64)
    // Of long ones 2 MiB, in the process, a byte a character of Latin-1, and 32 KiB in the store.
    store = createFailingStore()
    const long = await liveModule({}, { buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
    const named = (n: number) =>
      moduleFrame(ModuleMessageType.Event, {
        id: String(n).padStart(2000, 'x'),
        eventType: 'APPLICATION',
        position: `p${n}`,
      })
    long.call.send(...numbers(1100).map(named), named(1099), named(100), named(0))
    const last = (await takeLabels(long.stream, 1101)).slice(-2).map((id) => Number(id.replaceAll('x', '')))
    expect(last).toEqual([1099, 0])
    await long.stream.return()
    const [longText = ''] = store.entries.values()
    expect(longText.length).toBeLessThan(20_000)
    expect(JSON.parse(longText).ids).toHaveLength(8)
  })

  sentence('3.3', 'An id or event type longer than `maxIdBytes` (4 KiB) is reported', async () => {
    const { stream, call } = await liveModule()
    const id = 'x'.repeat(2049)
    const named = moduleFrame(ModuleMessageType.Event, { id, eventType: 'APPLICATION', position: 'p1' })
    const typed = moduleFrame(ModuleMessageType.Event, { id: 'a', eventType: id, position: 'p1' })
    call.send(named, named, typed, typed, app(2))
    const items = await take(stream, 9)
    const long = ['id-too-long', 'module']
    expect(items.map(({ kind }) => kind)).toEqual([...long, ...long, ...long, ...long, 'module'])
    expect(items[0]).toMatchObject({ field: 'id', bytes: 4098 })
    expect(items[1]).toMatchObject({ id })
    expect(items[4]).toMatchObject({ field: 'eventType', bytes: 4098 })
    await stream.return()
    expect([...store.entries.values()].join()).not.toContain('xx')
  })

  sentence('3.4', 'The same id with another payload is delivered and reported', async () => {
    const { stream, call } = await liveModule({}, { buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
    const other = (payload: string) =>
      moduleFrame(ModuleMessageType.Event, { id: 'id-1', eventType: 'APPLICATION', position: 'p1', payload })
    call.send(app(1), other('{}'), app(1), other('{}'), app(2))
    const items = await take(stream, 4)
    expect(items.map(({ kind }) => kind)).toEqual(['module', 'duplicate-conflict', 'module', 'module'])
    expect(items[1]).toMatchObject({ eventType: 'APPLICATION', id: 'id-1' })
    expect(items[2]).toMatchObject({ id: 'id-1', payload: '{}' })
    // 4,096 events later its id alone is known.
    call.send(...numbers(4096).map((n) => app(n + 3)), other('[]'), app(9999))
    expect((await takeLabels(stream, 4097)).at(-1)).toBe('id-9999')
    await stream.return()
  })

  sentence('4.1', 'An event that was handled and not committed before a crash comes again', async () => {
    const crashed = await liveModule()
    crashed.call.send(app(1), app(2), app(3))
    await take(crashed.stream, 1)
    const [, last] = await take(crashed.stream, 2)
    // Until here the first commit was written; the others wait for their second, and the process dies.
    expect(committed()).toBe('p1')
    store.compareAndSet = async () => {
      throw new Error('dead')
    }
    const after = { ...createFailingStore(), entries: new Map(store.entries) }
    const revived = createFailingStore()
    for (const [key, value] of after.entries) revived.entries.set(key, value)
    const next = await liveModule({}, { store: revived })
    expect(asked(next.call)).toEqual({ APPLICATION: 'p1' })
    next.call.send(app(1), app(2), app(3))
    expect(await takeLabels(next.stream, 2)).toEqual(['id-2', 'id-3'])
    await next.stream.return()
    // A cursor that was kept elsewhere is where the next stream begins.
    if (last?.type !== 'event' || last.cursor === undefined) throw new Error('an event with a cursor')
    const own = await liveModule(
      { from: { [last.cursor.eventType]: last.cursor.position } },
      { store: undefined },
    )
    expect(asked(own.call)).toEqual({ APPLICATION: 'p3' })
    await own.stream.return()
    await crashed.stream.return().catch(() => {})
  })

  sentence(
    '4.2',
    'Before the first commit of an event type the store knows only since when it was followed',
    async () => {
      const crashed = await liveModule({}, { clock: createVirtualClock(1000) })
      const next = await liveModule({}, { clock: createVirtualClock(9000) })
      expect(asked(next.call)).toEqual({ APPLICATION: '' })
      expect(await take(next.stream, 1)).toMatchObject([
        { kind: 'gap', eventTypes: ['APPLICATION'], fromMs: 1000, toMs: 9000 },
      ])
      await next.stream.return()
      await crashed.stream.return()
    },
  )

  sentence('5.1', "`ack: 'auto'`: `next()` commits the items before it", async () => {
    const loop = async (stream: ReturnType<typeof openModule>, leave: () => boolean) => {
      if (given === 'batches') {
        for await (const batch of arraysOf(stream)) if (batch.length > 0 && leave()) break
      } else for await (const item of stream) if (label(item) === 'id-2' && leave()) break
    }
    const ways: Record<string, (stream: ReturnType<typeof openModule>) => Promise<unknown>> = {
      break: (stream) => loop(stream, () => true),
      return: async (stream) => {
        await take(stream, 1)
        await stream.return()
      },
      throw: (stream) =>
        loop(stream, () => {
          throw new Error('in the loop')
        }),
    }
    for (const leave of Object.values(ways)) {
      store = createFailingStore()
      const { stream, call } = await liveModule()
      call.send(app(1), app(2), app(3))
      await take(stream, 1)
      await leave(stream).catch(() => {})
      expect(committed()).toBe('p1')
    }
  })

  sentence(
    '5.2',
    "`ack: 'manual'`: the acked prefix without a hole is committed, for each event type",
    async () => {
      const { stream, call } = await liveModule({ modules: ['application', 'funding'], ack: 'manual' })
      const funding = (n: number) => moduleEvent('FUNDING', 100 + n, 'TRANSFER')
      call.send(app(1), funding(1), app(2), funding(2), app(3))
      const items = await take(stream, 5)
      const ack = (id: string) => items.find((item) => item.type === 'event' && item.id === id)
      for (const id of ['id-1', 'id-3', 'id-101', 'id-102']) {
        const item = ack(id)
        if (item?.type === 'event') item.ack()
      }
      await stream.return()
      expect([committed(), committed('FUNDING')]).toEqual(['p1', 'p102'])
    },
  )

  sentence('5.3', '`batches()`: `next()` commits the whole array before it', async () => {
    const { stream, call } = await liveModule({}, {}, 7)
    call.send(...numbers(20).map((n) => app(n + 1)))
    const batches = arraysOf(stream)
    const handled = (await batches.next()).value
    expect(committed()).toBeUndefined()
    const inHand = (await batches.next()).value
    await batches.return()
    expect([...(handled ?? []), ...(inHand ?? [])].map(label)).toEqual(
      numbers((handled?.length ?? 0) + (inHand?.length ?? 0)).map((n) => `id-${n + 1}`),
    )
    expect(inHand?.length).toBeGreaterThan(0)
    expect(committed()).toBe(`p${handled?.length}`)
    const manual = await liveModule({ ack: 'manual', consumer: 'manual' }, {}, 3)
    manual.call.send(app(1), app(2), app(3))
    const first = (await arraysOf(manual.stream).next()).value
    first?.ack()
    first?.ack()
    const acked = first?.map(label).at(-1)
    await manual.stream.return()
    expect(committed('APPLICATION', 'manual')).toBe(acked?.replace('id-', 'p'))
  })

  sentence(
    '6.1',
    'The first commit of an event type is written at once, later ones are gathered for a second',
    async () => {
      const clock = createVirtualClock(0)
      const { stream, call } = await liveModule({}, { clock })
      call.send(...numbers(50).map((n) => app(n + 1)))
      for (const count of [1, 38, 1]) await take(stream, count)
      await clock.advance(999)
      expect(committed()).toBe('p1')
      const before = store.writes
      await clock.advance(1)
      expect([committed(), store.writes - before]).toEqual(['p39', 1])
      for (const count of [9, 1]) await take(stream, count)
      await stream.return()
      expect(committed()).toBe('p49')
    },
  )

  sentence('6.2', 'An event without a position, or with one longer than `maxIdBytes`', async () => {
    const { stream, call } = await liveModule()
    const at = (id: string, position: string) =>
      moduleFrame(ModuleMessageType.Event, { id, eventType: 'APPLICATION', position, payload: '{}' })
    call.send(app(1), at('x', ''), at('y', 'p'.repeat(2049)))
    const items = await handleAndLeave(stream, 4)
    expect(items.map(({ kind }) => kind)).toEqual(['module', 'module', 'id-too-long', 'module'])
    expect(items[2]).toMatchObject({ field: 'position', bytes: 4098 })
    expect(committed()).toBe('p1')
    // Neither is it sent: a reconnect asks for what comes after the last one that could be kept.
    const next = await liveModule()
    expect(asked(next.call)).toEqual({ APPLICATION: 'p1' })
    await next.stream.return()
  })

  sentence(
    '6.3',
    "A refused cursor is an error, or with `onCursorRejected: 'from-now'` a gap notice",
    async () => {
      const from = { APPLICATION: 'too old' }
      const failing = openModule({ from }).next()
      failing.catch(() => {})
      ;(await server.call()).end(11)
      await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_REJECTED'))
      const stream = openModule({ from }, { policy: readPolicy({ onCursorRejected: 'from-now' }) })
      const items = take(stream, 3)
      ;(await server.call()).end(11)
      ;(await server.call()).send(MODULE_SUCCESS)
      expect((await items)[2]).toMatchObject({ kind: 'gap', cause: 'cursor-rejected' })
      await stream.return()
    },
  )

  sentence('7.1', 'Trade, position and account streams have no position', async () => {
    const clock = createVirtualClock(1000)
    const { stream, call } = await liveTrade({ clock })
    call.send(order('before'))
    await take(stream, 1)
    await clock.advance(500)
    const lost = take(stream, 1)
    server.drop()
    expect(await lost).toMatchObject([{ kind: 'reconnecting', delayMs: 0 }])
    const more = take(stream, 3)
    await clock.advance(0)
    const again = await server.call()
    await clock.advance(700)
    again.send(TRADE_SUCCESS, order('after'))
    const items = await more
    expect(items.map((item) => item.kind)).toEqual(['subscribed', 'gap', 'order'])
    expect(items[1]).toMatchObject({ fromMs: 1000, toMs: 2200 })
    await stream.return()
  })

  sentence('7.2', 'A gap begins with the timestamp of the last frame received', async () => {
    for (const hostMs of [1000, 121_000]) {
      const clock = createVirtualClock(hostMs)
      const stamped = (ms: number) => tradeFrame(TradeEventType.SubscribeSuccess, { timestamp: BigInt(ms) })
      const { stream, call } = await liveTrade({ clock })
      call.send(tradeFrame(1024, { requestId: 'before', payload: '{}', timestamp: 61_000n }))
      await take(stream, 1)
      await clock.advance(500)
      const [, gap] = await takeAfterDrop(stream, 2, { server, clock, success: stamped(61_500) }, way)
      expect(gap).toMatchObject({ kind: 'gap', fromMs: 61_000, toMs: 61_500 })
      expect(gap).toMatchObject({
        hostFromMs: hostMs,
        hostToMs: hostMs + 500,
        clockOffsetMs: 61_000 - hostMs,
      })
      await stream.return()
    }
  })

  sentence('7.3', 'Without a `store` the first gap begins with the first `next()`', async () => {
    for (let run = 0; run < 2; run += 1) {
      const clock = createVirtualClock(1000 + run)
      const stream = openTrade({ clock })
      const first = takeBeginning(stream, way)
      const call = await server.call()
      await clock.advance(700)
      call.send(TRADE_SUCCESS)
      const gap = (await first)[1]
      expect(gap).toMatchObject({ cause: 'before-subscription', fromMs: 1000 + run, toMs: 1700 + run })
      await stream.return()
    }
  })

  sentence('7.4', 'With a `store` it begins where the last stream with the same identity', async () => {
    const kept = { store, identity: IDENTITY }
    const killed = await liveTrade({ ...kept, clock: createVirtualClock(1000) })
    const next = await liveTrade({ ...kept, clock: createVirtualClock(9000) })
    const [gap] = await take(next.stream, 1)
    expect(gap).toMatchObject({ kind: 'gap', cause: 'restart', fromMs: 1000, toMs: 9000 })
    await next.stream.return()
    await killed.stream.return().catch(() => {})
  })

  sentence(
    '7.5',
    'A stream is complete until the last event after which you asked for another item',
    async () => {
      const kept = { store, identity: IDENTITY }
      const at = (requestId: string, ms: number) =>
        tradeFrame(1024, { requestId, payload: '{}', timestamp: BigInt(ms) })
      const handled = await liveTrade({ ...kept, clock: createVirtualClock(1000) })
      handled.call.send(at('a', 1000), at('b', 2000))
      await take(handled.stream, 2)
      await handled.stream.return()
      const idle = await liveTrade({ ...kept, clock: createVirtualClock(3000) })
      const [first] = await take(idle.stream, 1)
      expect(first).toMatchObject({ kind: 'gap', fromMs: 1000 })
      const received = ask(idle.stream, way)
      idle.call.send(tradeFrame(TradeEventType.Ping, { timestamp: 5000n }), at('c', 5500))
      await received
      const pending = ask(idle.stream, way)
      await idle.stream.return()
      await pending
      const last = await liveTrade({ ...kept, clock: createVirtualClock(9000) })
      expect(await take(last.stream, 1)).toMatchObject([{ kind: 'gap', fromMs: 5500 }])
      await last.stream.return()
    },
  )

  sentence('7.6', 'That is written at once at the first start, then at most once a second', async () => {
    const clock = createVirtualClock(0)
    const { stream, call } = await liveTrade({ store, identity: IDENTITY, clock })
    expect(store.writes).toBe(1)
    call.send(...numbers(200).map((n) => order('i'.repeat(2000) + n)))
    await take(stream, 100)
    await clock.advance(999)
    expect(store.writes).toBe(1)
    await clock.advance(1)
    expect(store.writes).toBe(2)
    await take(stream, 99)
    await stream.return()
    expect(store.writes).toBe(3)
    const [text = ''] = store.entries.values()
    expect(text.length).toBeLessThan(128 * 1024)
  })

  sentence(
    '7.7',
    'Event types of module streams that have no position yet report the same gaps',
    async () => {
      const begin = async (startMs: number) => {
        const stream = openModule({}, { clock: createVirtualClock(startMs) })
        const items = takeBeginning(stream, way)
        ;(await server.call()).send(MODULE_SUCCESS)
        return { stream, gap: (await items)[1] }
      }
      const first = await begin(1000)
      expect(first.gap).toMatchObject({
        cause: 'before-subscription',
        eventTypes: ['APPLICATION'],
        fromMs: 1000,
      })
      await first.stream.return()
      const second = await begin(2000)
      expect(second.gap).toMatchObject({
        cause: 'restart',
        eventTypes: ['APPLICATION'],
        fromMs: 1000,
        toMs: 2000,
      })
      await second.stream.return()
    },
  )

  sentence('7.8', 'Leaving waits at most 5 seconds for the store', async () => {
    const clock = createVirtualClock(0)
    const { stream, call } = await liveTrade({ store, identity: IDENTITY, clock })
    call.send(order('a'))
    await take(stream, 1)
    store.compareAndSet = () => new Promise(() => {})
    const pending = ask(stream, way)
    const ends = Promise.allSettled([stream.return(), pending])
    await clock.advance(5000)
    const errors = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toMatchObject({ code: 'STREAM_STORE_FAILED' })
  })

  sentence(
    '8.1',
    'There, a message is a repeat only if event type, request id and payload all equal one',
    async () => {
      const { stream, call } = await liveTrade({ buffer: { maxItems: 100_000, maxBytes: 1 << 30 } })
      call.send(order('a'), order('a'), tradeFrame(1028, { requestId: 'a', payload: '{}' }), order('b'))
      expect((await take(stream, 3)).map((item) => [item.kind, label(item)])).toEqual([
        ['order', 'a'],
        ['position', 'a'],
        ['order', 'b'],
      ])
      // 4,096 messages later the first one is a new one again, and the last of those is not.
      call.send(...numbers(4096).map((n) => order(`n${n}`)), order('n1'), order('a'))
      expect((await takeLabels(stream, 4097)).slice(-2)).toEqual(['n4095', 'a'])
      const huge = 'x'.repeat(1 << 20)
      call.send(order('huge'), ...numbers(8).map((n) => order(`h${n}`, huge)), order('huge'))
      expect((await takeLabels(stream, 10)).slice(-1)).toEqual(['huge'])
      await stream.return()
    },
  )

  sentence('8.2', 'The same id with another payload is delivered and reported', async () => {
    const { stream, call } = await liveTrade()
    call.send(order('a', '{"v":1}'), order('a', '{"v":2}'))
    const items = await take(stream, 3)
    expect(items.map((item) => item.kind)).toEqual(['order', 'duplicate-conflict', 'order'])
    expect(items[2]).toMatchObject({ payload: '{"v":2}' })
    await stream.return()
  })

  sentence(
    '8.3',
    'With a `store`, repeats of the last 64 events handled before a restart are dropped',
    async () => {
      const kept = { store, identity: IDENTITY, buffer: { maxItems: 1000, maxBytes: 1 << 20 } }
      const first = await liveTrade(kept)
      first.call.send(...numbers(70).map((n) => order(`r${n}`)))
      await handleAndLeave(first.stream, 70)
      const second = await liveTrade(kept)
      second.call.send(order('r5'), order('r6'), order('r69'), order('r69', '[]'))
      expect((await takeLabels(second.stream, 3)).slice(1)).toEqual(['r5', 'r69'])
      await second.stream.return()
    },
  )

  sentence(
    '9.1',
    'Pings are never mistaken for events; unknown codes, kinds and payloads are delivered',
    async () => {
      const trade = await liveTrade()
      const ping = tradeFrame(TradeEventType.Ping, { requestId: 'same', payload: '{}' })
      trade.call.send(
        ping,
        tradeFrame(4711, { requestId: 'u', payload: 'no JSON' }),
        ping,
        tradeFrame(77),
        ping,
      )
      expect(
        (await take(trade.stream, 2)).map((item) => [item.kind, 'eventType' in item && item.eventType]),
      ).toEqual([
        ['unknown', 4711],
        ['unknown', 77],
      ])
      await trade.stream.return()
      const module = await liveModule()
      const modulePing = moduleFrame(ModuleMessageType.Ping, {
        id: 'ping',
        eventType: 'APPLICATION',
        position: 'p9',
      })
      const odd = moduleFrame(99, { id: 'odd', payload: 'text' })
      const broken = moduleFrame(ModuleMessageType.Event, { id: 'b', eventType: 'APPLICATION', payload: '{' })
      module.call.send(modulePing, odd, modulePing, broken, moduleEvent('APPLICATION', 5, 'NEVER_SEEN'))
      expect(await takeLabels(module.stream, 3)).toEqual(['odd', 'b', 'id-5'])
      await module.stream.return()
      expect(committed()).not.toBe('p9')
    },
  )

  sentence('10.1', 'A slow consumer pauses the service: at most `buffer` waits for it', async () => {
    let deepest = 0
    const observer = {
      onBatch(report: { readonly queueDepth: number }) {
        deepest = Math.max(deepest, report.queueDepth)
      },
    }
    const { stream, call } = await liveTrade({ buffer: { maxItems: 10, maxBytes: 1 << 20 }, observer })
    const payload = JSON.stringify({ text: 'x'.repeat(4000) })
    let sent = 0
    // Until nobody takes any more: the service's own buffer is full, and does not drain.
    for (; sent < 5000; sent += 1) {
      call.send(order(`r${sent}`, payload))
      if (!call.stream.writableNeedDrain) continue
      const drained = new Promise((resolve) => call.stream.once('drain', () => resolve(true)))
      const quiet = (async () => {
        for (let turns = 0; turns < 300; turns += 1) await new Promise((resolve) => setImmediate(resolve))
        return false
      })()
      if (!(await Promise.race([drained, quiet]))) break
    }
    expect(sent).toBeLessThan(4000)
    expect(deepest).toBeLessThanOrEqual(10)
    expect(await takeLabels(stream, sent + 1)).toEqual(numbers(sent + 1).map((n) => `r${n}`))
    await stream.return()
  })

  sentence('11.1', 'A message that cannot be decoded is delivered in its place', async () => {
    const { stream, call } = await liveModule()
    call.send(app(1), INVALID, app(2))
    expect(await takeLabels(stream, 3)).toEqual(['id-1', 'undecodable', 'id-2'])
    expect(server.calls).toHaveLength(1)
    await stream.return()
  })

  sentence('11.2', 'One that is longer than `connection.readMaxBytes` is skipped', async () => {
    const connections = grpcConnections({ readMaxBytes: 4096 })
    const target = { host: undefined, open: () => connections(server.url) }
    const modules = ['application']
    const stream = createModuleStream(testContext(), target, { modules }, (frame) => payloads.module(frame))
    const first = take(stream, 1)
    const call = await server.call()
    call.send(MODULE_SUCCESS)
    await first
    call.send(app(1), Buffer.alloc(100_000), app(2))
    expect(await take(stream, 3)).toMatchObject([
      { id: 'id-1' },
      { reason: 'too-large', length: 100_000, bytes: undefined },
      { id: 'id-2' },
    ])
    await stream.return()
  })

  sentence('11.3', 'The cursor moves with the next event that was handled', async () => {
    const { stream, call } = await liveModule()
    call.send(app(1), INVALID, app(2))
    await take(stream, 2)
    await stream.return()
    expect(committed()).toBe('p1')
  })

  test('each sentence has a test, and each test a sentence', () => {
    expect([...tested].sort()).toEqual([...sentences.keys()].sort())
  })
})
