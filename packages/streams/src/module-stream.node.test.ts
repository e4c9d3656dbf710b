/** The module stream against a real HTTP/2 server: cursors, commits, repeats. */

import { ConsumerGroup } from '@brokerwire/core/internal'
import { createVirtualClock } from '@brokerwire/core/testing'
import { payloads } from '@brokerwire/payloads'
import { ModuleMessageType, ModuleSubscribeRequestSchema } from '@brokerwire/protos'
import { createFailingStore, type FailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharedContext } from './context.ts'
import { createModuleStream, type ModuleStreamOptions } from './module-stream.ts'
import type { StreamObserver } from './observer.ts'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { cursorKey, IDENTITY, targetOf, testContext } from './test/context.ts'
import { moduleEvent, moduleFrame } from './test/frames.ts'
import { arraysOf, label, take, takeAfterDrop, takeLabels, WAYS, type Way } from './test/take.ts'

const throwing = (): string => {
  throw new Error('no clock')
}
const SUCCESS = moduleFrame(ModuleMessageType.SubscribeSuccess)
const app = (n: number) => moduleEvent('APPLICATION', n)

let server: GrpcServer
let store: FailingStore
beforeEach(async () => {
  server = await startGrpcServer()
  store = createFailingStore()
})
afterEach(() => server.close())

function open(options: Partial<ModuleStreamOptions> = {}, change: Partial<SharedContext> = {}) {
  return createModuleStream(
    testContext({ store, identity: IDENTITY, ...change }),
    targetOf(server.url),
    { modules: ['application'], ...options },
    (frame) => payloads.module(frame),
  )
}

type Options = Partial<ModuleStreamOptions>
async function subscribed(options?: Options, change?: Partial<SharedContext>, way: Way = 'items') {
  const stream = open(options, change)
  const first = take(stream, 1, way)
  const call = await server.call()
  call.send(SUCCESS)
  await first
  return { stream, call }
}

/** Event types and positions that a subscription asked for. */
function asked(call: GrpcServerCall): Record<string, string> {
  const request = fromBinary(ModuleSubscribeRequestSchema, call.body.subarray(5))
  return Object.fromEntries(request.events.map((event) => [event.eventType, event.position]))
}

/** An observer, and when the first events were received. */
function watched() {
  let observer: StreamObserver = {}
  const received = new Promise<void>((resolve) => {
    observer = { onBatch: () => resolve() }
  })
  return { observer, received }
}

const stored = (consumer = 'default', eventType = 'APPLICATION') => {
  const text = store.entries.get(cursorKey(consumer, eventType))
  return text === undefined ? undefined : (JSON.parse(text) as { position: string }).position
}

describe('a reconnect', () => {
  test('resumes after the last position received and drops what comes again', async () => {
    const { stream, call } = await subscribed()
    expect(asked(call)).toEqual({ APPLICATION: '' })
    call.send(app(1), app(2))
    expect(await takeLabels(stream, 2)).toEqual(['id-1', 'id-2'])
    const more = takeLabels(stream, 4)
    server.drop()
    const again = await server.call()
    expect(asked(again)).toEqual({ APPLICATION: 'p2' })
    again.send(SUCCESS, app(2), app(3))
    expect(await more).toEqual(['reconnecting', 'subscribed', 'resumed', 'id-3'])
    await stream.return()
  })

  test('tells a gap for the event types that had no position yet', async () => {
    const { stream, call } = await subscribed({ modules: ['application', 'funding'] })
    call.send(app(1))
    await take(stream, 1)
    const more = take(stream, 4)
    call.end()
    const again = await server.call()
    expect(asked(again)).toEqual({ APPLICATION: 'p1', FUNDING: '' })
    again.send(SUCCESS)
    expect(await more).toMatchObject([
      { kind: 'reconnecting', reason: 'ended' },
      { kind: 'subscribed' },
      { kind: 'gap', cause: 'no-cursor', eventTypes: ['FUNDING'] },
      { kind: 'resumed', eventTypes: ['APPLICATION'] },
    ])
    await stream.return()
  })
})

describe("ack: 'auto'", () => {
  test('next() commits the item before; leaving the loop commits nothing more', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2), app(3))
    for await (const item of stream) if (item.type === 'event' && item.id === 'id-2') break
    expect(stored()).toBe('p1')
    expect(await call.closed).toBe(8)
  })

  test('ack() commits before the next one is asked for, and asking then commits nothing more', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2), app(3))
    const [, second] = await take(stream, 2)
    if (second?.type !== 'event') throw new Error('an event')
    second.ack()
    await take(stream, 1)
    await stream.return()
    expect(stored()).toBe('p2')
  })

  test('what a consumer makes of an item changes nothing of what is committed', async () => {
    const { stream, call } = await subscribed({ modules: ['application', 'funding'] })
    call.send(app(1), app(2))
    for (const item of await take(stream, 2))
      Object.assign(item, { kind: 'mine', eventType: 'FUNDING', id: 'x', position: 'x', ack: () => {} })
    const end = stream.next()
    await stream.return()
    await end
    expect([stored(), stored('default', 'FUNDING')]).toEqual(['p2', undefined])
  })

  test('asking again after the loop was left commits nothing more either', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({}, { clock })
    call.send(app(1), app(2))
    await take(stream, 2)
    await stream.return()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect([stored(), clock.pendingTimers]).toEqual(['p1', 0])
  })

  test('a throw in the loop commits nothing more', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2))
    const loop = async () => {
      for await (const item of stream) if (item.type === 'event' && item.id === 'id-2') throw new Error('bug')
    }
    await expect(loop()).rejects.toThrow('bug')
    expect(stored()).toBe('p1')
  })

  test('an event handled but not committed comes again after a restart, committed ones do not', async () => {
    const first = await subscribed()
    first.call.send(app(1), app(2))
    await take(first.stream, 2)
    await first.stream.return()
    const second = await subscribed()
    expect(asked(second.call)).toEqual({ APPLICATION: 'p1' })
    second.call.send(app(1), app(2), app(3))
    expect(await takeLabels(second.stream, 2)).toEqual(['id-2', 'id-3'])
    await second.stream.return()
  })

  test('what was handled when the signal aborts is committed', async () => {
    const controller = new AbortController()
    const { stream, call } = await subscribed({ signal: controller.signal })
    call.send(app(1))
    await take(stream, 1)
    controller.abort(new Error('enough'))
    await expect(stream.next()).rejects.toThrow('enough')
    expect(stored()).toBe('p1')
  })

  test('what was received before the stream failed can still be taken and committed', async () => {
    const { stream, call } = await subscribed({}, { policy: readPolicy({ maxAttempts: 1 }) })
    call.send(app(1), app(2))
    call.end(14)
    expect(await takeLabels(stream, 2)).toEqual(['id-1', 'id-2'])
    await expect(stream.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_GAVE_UP'))
    expect(stored()).toBe('p2')
  })
})

describe('the store', () => {
  test('written by another consumer of the same cursor ends the stream with an error', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({}, { clock })
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    store.entries.set(cursorKey('default', 'APPLICATION'), 'of somebody else')
    await clock.advance(1000)
    await expect(stream.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_CONFLICT'))
    expect(await call.closed).toBe(8)
  })

  test('that fails for a while is told once, and nothing is lost', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({}, { clock })
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    store.failure = new Error('down')
    await clock.advance(5000)
    expect(await take(stream, 1)).toMatchObject([{ kind: 'cursor-write-failed', eventType: 'APPLICATION' }])
    store.failure = undefined
    await clock.advance(30_000)
    expect(stored()).toBe('p3')
    await stream.return()
  })

  test('that fails at the last write is an error of leaving', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    store.failure = new Error('down')
    await expect(stream.return()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
    expect(await call.closed).toBe(8)
  })
})

describe("ack: 'manual'", () => {
  test('commits the acked prefix without a hole', async () => {
    const { stream, call } = await subscribed({ ack: 'manual' })
    call.send(app(1), app(2), app(3))
    const [a, b, c] = await take(stream, 3)
    if (a?.type !== 'event' || b?.type !== 'event' || c?.type !== 'event') throw new Error('three events')
    c.ack()
    a.ack()
    a.ack()
    await stream.return()
    expect(stored()).toBe('p1')
  })

  test('an ack after the loop was left commits nothing', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({ ack: 'manual' }, { clock })
    call.send(app(1))
    const [item] = await take(stream, 1)
    await stream.return()
    if (item?.type === 'event') item.ack()
    expect([stored(), clock.pendingTimers]).toEqual([undefined, 0])
  })

  test('stops reading while too many wait, says so, and goes on', async () => {
    const { stream, call } = await subscribed({ ack: 'manual', maxUnacked: 2 })
    call.send(app(1), app(2), app(3))
    const items = await take(stream, 3)
    expect(items.map((item) => item.kind)).toEqual(['module', 'module', 'ack-backlog-full'])
    const next = take(stream, 1)
    for (const item of items) if (item.type === 'event') item.ack()
    expect(await next).toMatchObject([{ id: 'id-3' }])
    await stream.return()
    expect(stored()).toBe('p2')
  })

  test('no more than maxUnacked was received of a first chunk with more, and that was said once', async () => {
    const { stream, call } = await subscribed({ ack: 'manual', maxUnacked: 2 })
    call.send(...Array.from({ length: 200 }, (_, n) => app(n)))
    for (const n of [0, 2, 4]) {
      const items = await take(stream, 3)
      expect(items.map(label)).toEqual([`id-${n}`, `id-${n + 1}`, 'ack-backlog-full'])
      for (const item of items) if (item.type === 'event') item.ack()
    }
    await stream.return()
  })
})

describe('where it begins', () => {
  test("from 'now' ignores the stored cursor, and commits over it", async () => {
    const first = await subscribed()
    first.call.send(app(1))
    await take(first.stream, 1)
    const pending = first.stream.next()
    await first.stream.return()
    await pending
    expect(stored()).toBe('p1')
    const second = await subscribed({ from: 'now' })
    expect(asked(second.call)).toEqual({ APPLICATION: '' })
    second.call.send(app(7), app(8))
    const [gap] = await take(second.stream, 3)
    expect(gap).toMatchObject({ kind: 'gap', cause: 'restart' })
    await second.stream.return()
    expect(stored()).toBe('p7')
  })

  test('from positions of the caller', async () => {
    const { stream, call } = await subscribed({ from: { APPLICATION: 'mine' } })
    expect(asked(call)).toEqual({ APPLICATION: 'mine' })
    await stream.return()
  })

  test('from a position of the caller shows again what was committed after it', async () => {
    const first = await subscribed()
    first.call.send(app(1), app(2), app(3))
    await take(first.stream, 3)
    await first.stream.return()
    expect(stored()).toBe('p2')
    const second = await subscribed({ from: { APPLICATION: 'p1' } })
    second.call.send(app(2), app(3))
    expect(await takeLabels(second.stream, 2)).toEqual(['id-2', 'id-3'])
    await second.stream.return()
  })

  test('an event type that was not asked for is delivered, and leaves no cursor that blocks a later start', async () => {
    for (let life = 0; life < 2; life += 1) {
      const { stream, call } = await subscribed()
      call.send(moduleEvent('OTHER', life), app(10 + life))
      expect(await takeLabels(stream, 2)).toEqual([`id-${life}`, `id-${10 + life}`])
      const pending = stream.next()
      await stream.return()
      await pending
      expect(stored()).toBe(`p${10 + life}`)
    }
    expect(stored('default', 'OTHER')).toBeUndefined()
  })

  test('consumers do not share a cursor', async () => {
    const first = await subscribed({ consumer: 'a' })
    first.call.send(app(1), app(2))
    await take(first.stream, 2)
    await first.stream.return()
    expect([stored('a'), stored('b')]).toEqual(['p1', undefined])
    const second = await subscribed({ consumer: 'b' })
    expect(asked(second.call)).toEqual({ APPLICATION: '' })
    await second.stream.return()
  })

  test('a stored text that is no cursor is an error, not a silent start from now', async () => {
    store.entries.set(cursorKey('default', 'APPLICATION'), 'broken')
    await expect(open().next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_INVALID'))
    expect(server.calls).toEqual([])
    const anyway = await subscribed({ from: 'now' })
    await anyway.stream.return()
  })

  test("from 'now' begins without a cursor that the store cannot read, and commits once it can", async () => {
    const clock = createVirtualClock()
    store.failure = new Error('too large')
    const { stream, call } = await subscribed({ from: 'now' }, { clock })
    expect(asked(call)).toEqual({ APPLICATION: '' })
    call.send(app(1), app(2))
    await take(stream, 2)
    await clock.advance(0)
    expect(await take(stream, 1)).toMatchObject([{ kind: 'cursor-write-failed' }])
    store.failure = undefined
    store.entries.set(cursorKey('default', 'APPLICATION'), 'unreadable before')
    await clock.advance(30_000)
    expect(stored()).toBe('p2')
    await stream.return()
  })

  test('a timestamp hook that fails ends the stream, and says which step it was', async () => {
    for (const timestamp of [() => 5 as never, throwing]) {
      const error: unknown = await open({ timestamp })
        .next()
        .catch((cause: unknown) => cause)
      if (!isStreamsError(error, 'STREAM_OPEN_FAILED')) throw error
      expect(error.details.step).toBe('request')
    }
    expect(server.calls).toEqual([])
  })

  test('event types that nobody asked for are delivered, share one memory, and need no ack', async () => {
    const { stream, call } = await subscribed({ ack: 'manual', maxUnacked: 1 })
    call.send(...Array.from({ length: 50 }, (_, n) => moduleEvent(`TYPE-${n}`, 1)), moduleEvent('TYPE-7', 1))
    call.send(app(2))
    const labels = await takeLabels(stream, 51)
    expect(labels).toEqual([...Array(50).fill('id-1'), 'id-2'])
    await stream.return()
    expect(store.entries.size).toBe(1)
  })

  test('a store that fails at the start is an error', async () => {
    store.failure = new Error('down')
    await expect(open().next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
  })
})

describe('before the first commit', () => {
  const KEY = cursorKey('default', 'APPLICATION')
  const FUNDING_KEY = cursorKey('default', 'FUNDING')
  /** A stream begun at `startMs`, up to its notice `subscribed`. */
  const begin = async (startMs: number, options: Options = {}, way: Way = 'items') => {
    const clock = createVirtualClock(startMs)
    const started = await subscribed(options, { clock }, way)
    return { ...started, clock }
  }

  test('the store knows since when, before anything is asked of the service', async () => {
    const stream = open({}, { clock: createVirtualClock(5000) })
    const pending = stream.next()
    await server.call()
    expect(store.entries.get(KEY)).toBe('{"v":2,"ids":[],"complete":{"hostMs":5000}}')
    await stream.return()
    await pending
  })

  test('a process that died is followed by one that tells what may be missing', async () => {
    const dead = await begin(1000)
    dead.call.send(app(1))
    await take(dead.stream, 1)
    // It dies here: nothing of it is told to stop, and what it handled was not committed.
    const next = await begin(61_000)
    expect(asked(next.call)).toEqual({ APPLICATION: '' })
    expect(await take(next.stream, 1)).toMatchObject([
      { kind: 'gap', cause: 'restart', eventTypes: ['APPLICATION'], fromMs: 1000, toMs: 61_000 },
    ])
    await next.stream.return()
    await dead.stream.return()
  })

  test('the gap is told again until the notice was handled', async () => {
    await (await begin(1000)).stream.return()
    const second = await begin(2000)
    await take(second.stream, 1)
    await second.stream.return()
    const third = await begin(3000)
    expect(await take(third.stream, 1)).toMatchObject([{ kind: 'gap', fromMs: 1000, toMs: 3000 }])
    const pending = third.stream.next()
    await third.stream.return()
    await pending
    const fourth = await begin(4000)
    expect(await take(fourth.stream, 1)).toMatchObject([{ kind: 'gap', fromMs: 3000, toMs: 4000 }])
    await fourth.stream.return()
  })

  test('a gap that was told does not hide an event that waits for its ack', async () => {
    await (await begin(1000)).stream.return()
    const { observer, received } = watched()
    const second = await subscribed({ ack: 'manual' }, { clock: createVirtualClock(2000), observer })
    second.call.send(app(1))
    await received
    await take(second.stream, 2)
    const pending = second.stream.next()
    await second.stream.return()
    await pending
    const third = await begin(3000)
    expect(await take(third.stream, 1)).toMatchObject([{ kind: 'gap', hostFromMs: 1000 }])
    await third.stream.return()
  })

  test("a gap in an array counted as told with the next one, before the array's ack()", async () => {
    await (await begin(1000)).stream.return()
    const second = await begin(2000, { ack: 'manual' }, 'batches')
    const batches = arraysOf(second.stream)
    const { value: batch } = await batches.next()
    expect(batch).toMatchObject([{ kind: 'gap', fromMs: 1000, toMs: 2000 }])
    const next = batches.next()
    await second.clock.advance(1000)
    expect(store.entries.get(KEY)).toBe('{"v":2,"ids":[],"complete":{"hostMs":1000}}')
    batch?.ack()
    await second.clock.advance(1000)
    expect(store.entries.get(KEY)).toBe('{"v":2,"ids":[],"complete":{"hostMs":2000}}')
    await second.stream.return()
    await next
  })

  describe.each(['auto', 'manual'] as const)('ack: %j', (ack) => {
    test.each(WAYS)(
      'an event that was filtered out committed past a gap that nobody had seen: %s',
      async (way) => {
        store.entries.set(FUNDING_KEY, '{"v":1,"sinceMs":1000}')
        const clock = createVirtualClock(2000)
        const { observer, received } = watched()
        const options = { modules: ['fees-and-credits'], ack } as const
        const { stream, call } = await subscribed(options, { clock, observer }, way)
        call.send(moduleEvent('FUNDING', 1, 'TRANSFER'))
        await received
        await clock.advance(1000)
        expect(store.entries.get(FUNDING_KEY)).toBe('{"v":1,"sinceMs":1000}')
        const reader = way === 'items' ? stream : arraysOf(stream)
        const { value } = await reader.next()
        expect([value].flat()).toMatchObject([{ kind: 'gap', fromMs: 1000, toMs: 2000 }])
        if (ack === 'manual' && value !== undefined && 'ack' in value) value.ack()
        await clock.advance(1000)
        const pending = reader.next()
        await clock.advance(1000)
        expect(stored('default', 'FUNDING')).toBe('p1')
        await stream.return()
        await pending
      },
    )
  })

  test("an event that was filtered out committed past the gap of an array before the array's ack()", async () => {
    store.entries.set(FUNDING_KEY, '{"v":1,"sinceMs":1000}')
    const clock = createVirtualClock(2000)
    const { observer, received } = watched()
    const options = { modules: ['fees-and-credits'], ack: 'manual' } as const
    const { stream, call } = await subscribed(options, { clock, observer }, 'batches')
    const batches = arraysOf(stream)
    const { value: batch } = await batches.next()
    const next = batches.next()
    call.send(moduleEvent('FUNDING', 1, 'TRANSFER'))
    await received
    await clock.advance(1000)
    expect(store.entries.get(FUNDING_KEY)).toBe('{"v":1,"sinceMs":1000}')
    batch?.ack()
    await clock.advance(1000)
    expect(stored('default', 'FUNDING')).toBe('p1')
    await stream.return()
    await next
  })

  test('whoever closed the streams, or left one again, did not wait for its last write', async () => {
    const openStreams = new ConsumerGroup()
    const { stream, call } = await subscribed({}, { clock: createVirtualClock(1000), openStreams })
    const over: string[] = []
    const { compareAndSet } = store
    let write = (): void => {}
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    store.compareAndSet = async (...args) => {
      await written
      over.push('written')
      return compareAndSet(...args)
    }
    call.send(app(1))
    await take(stream, 1)
    const pending = stream.next()
    const all = [
      stream.return().then(() => over.push('left')),
      stream.return().then(() => over.push('left again')),
      openStreams.closeAll().then(() => over.push('closed')),
    ]
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
    expect(over).toEqual([])
    write()
    await Promise.all([...all, pending])
    expect(over[0]).toBe('written')
  })

  test('what may be missing began when the last event was sent, not when it was received', async () => {
    const sentMs = Date.UTC(2026, 0, 1)
    const clock = createVirtualClock(sentMs - 1000)
    const { stream, call } = await subscribed({ modules: ['application', 'funding'] }, { clock })
    await clock.advance(60_000)
    call.send(app(1))
    await take(stream, 1)
    const [, gap, resumed] = await takeAfterDrop(stream, 3, { server, clock, success: SUCCESS })
    expect([gap, resumed]).toMatchObject([
      {
        kind: 'gap',
        eventTypes: ['FUNDING'],
        fromMs: sentMs,
        toMs: sentMs + 59_000,
        hostToMs: sentMs + 59_000,
      },
      { kind: 'resumed', eventTypes: ['APPLICATION'], fromMs: sentMs },
    ])
    await stream.return()
  })

  test('the first position is written at once, the next ones are gathered', async () => {
    const { stream, call, clock } = await begin(1000)
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    await clock.advance(0)
    expect(stored()).toBe('p1')
    await clock.advance(1000)
    expect(stored()).toBe('p2')
    await stream.return()
  })

  test('a position of the caller needs no record, and tells no gap', async () => {
    await (await begin(1000)).stream.return()
    const { stream, call } = await begin(2000, { from: { APPLICATION: 'mine' } })
    call.send(app(1))
    expect(await takeLabels(stream, 1)).toEqual(['id-1'])
    await stream.return()
  })

  test('two that begin the same cursor at once: one of them is told', async () => {
    const { compareAndSet } = store
    store.compareAndSet = async (key, expected, next) => {
      if (expected === undefined) store.entries.set(key, 'of the other one')
      return compareAndSet(key, expected, next)
    }
    await expect(open().next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_CONFLICT'))
    expect(server.calls).toEqual([])
  })
})

describe('a refused cursor', () => {
  const from = { APPLICATION: 'too old' }

  test('is a typed error', async () => {
    const stream = open({ from })
    const failing = stream.next()
    failing.catch(() => {})
    const call = await server.call()
    call.end(11, 'position expired')
    const error: unknown = await failing.catch((cause: unknown) => cause)
    if (!isStreamsError(error, 'STREAM_CURSOR_REJECTED')) throw new Error('another error')
    expect(error.details).toEqual({ status: 'out_of_range', serverMessage: 'position expired' })
  })

  test("with onCursorRejected 'from-now' gives a gap notice instead", async () => {
    const stream = open({ from }, { policy: readPolicy({ onCursorRejected: 'from-now' }) })
    const items = take(stream, 3)
    const call = await server.call()
    call.end(11)
    const again = await server.call()
    expect(asked(again)).toEqual({ APPLICATION: '' })
    again.send(SUCCESS)
    expect(await items).toMatchObject([
      { kind: 'reconnecting', reason: 'cursor-rejected' },
      { kind: 'subscribed' },
      { kind: 'gap', cause: 'cursor-rejected', eventTypes: ['APPLICATION'] },
    ])
    await stream.return()
  })

  test('an event that was filtered out was committed before the gap of the refused cursor was told', async () => {
    const clock = createVirtualClock()
    const { observer, received } = watched()
    const policy = readPolicy({ onCursorRejected: 'from-now' })
    const stream = open(
      { modules: ['fees-and-credits'], from: { FUNDING: 'old' } },
      { clock, observer, policy },
    )
    const first = take(stream, 2)
    ;(await server.call()).end(11)
    while (server.calls.length < 2) await clock.advance(1000)
    ;(await server.call()).send(SUCCESS, moduleEvent('FUNDING', 1, 'TRANSFER'))
    await first
    await received
    await clock.advance(1000)
    expect(stored('default', 'FUNDING')).toBeUndefined()
    expect(await take(stream, 1)).toMatchObject([{ kind: 'gap', cause: 'cursor-rejected' }])
    const pending = stream.next()
    await stream.return()
    await pending
    expect(stored('default', 'FUNDING')).toBe('p1')
  })
})

describe('what is selected', () => {
  const funding = (n: number, bizType: string) => moduleEvent('FUNDING', n, bizType)

  test('other business types of a shared event type are filtered, and still advance the cursor', async () => {
    const { stream, call } = await subscribed({ modules: ['fees-and-credits'] })
    expect(asked(call)).toEqual({ FUNDING: '' })
    call.send(
      funding(1, 'TRANSFER'),
      funding(2, 'FEE_DEDUCTION'),
      funding(3, 'TRANSFER'),
      funding(4, 'NEW_KIND'),
    )
    expect(await takeLabels(stream, 2)).toEqual(['id-2', 'id-4'])
    await stream.return()
    expect(stored('default', 'FUNDING')).toBe('p3')
  })

  test('a filtered event does not pass one that was not handled', async () => {
    const { stream, call } = await subscribed({ modules: ['fees-and-credits'], ack: 'manual' })
    call.send(funding(1, 'FEE_DEDUCTION'), funding(2, 'TRANSFER'), funding(3, 'FEE_DEDUCTION'))
    await take(stream, 2)
    await stream.return()
    expect(stored('default', 'FUNDING')).toBeUndefined()
  })

  test.each([
    ['a filter has parsed', 'funding', 24],
    ['nobody has parsed', 'application', 0],
  ] as const)('what %s counts among what waits', async (_, module, parsedUnitBytes) => {
    const events: { readonly bytes: number; readonly events: number; readonly queueDepth: number }[] = []
    const observer: StreamObserver = { onBatch: (batch) => void events.push(batch) }
    const buffer = { maxItems: 1000, maxBytes: 1 << 20 }
    const { stream, call } = await subscribed({ modules: [module] }, { observer, buffer })
    expect((await stream.next()).value).toMatchObject({ kind: 'gap', cause: 'before-subscription' })
    const eventType = module.toUpperCase()
    const payload = JSON.stringify({
      payload: { biz_type: 'TRANSFER', list: Array.from({ length: 2000 }, () => ({})) },
    })
    const sent = 40
    for (let n = 0; n < sent; n += 1)
      call.send(moduleFrame(ModuleMessageType.Event, { id: `id-${n + 100}`, eventType, payload }))
    const units = 'id-100'.length + eventType.length + payload.length
    const each = 512 + 2 * units + parsedUnitBytes * payload.length
    const most = Math.min(sent, Math.ceil((0.875 * buffer.maxBytes) / each))
    const deepest = () => Math.max(0, ...events.map(({ queueDepth }) => queueDepth))
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    while (deepest() < most) await turn()
    // No more comes while nobody reads.
    for (let turns = 0; turns < 300; turns += 1) await turn()
    expect(deepest()).toBe(most)
    expect(await take(stream, sent)).toHaveLength(sent)
    expect(events.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sent * each)
    await stream.return()
  })

  test('an event that cannot be decoded is delivered', async () => {
    const { stream, call } = await subscribed({ modules: ['funding'] })
    call.send(moduleFrame(ModuleMessageType.Event, { id: 'x', eventType: 'FUNDING', payload: '{broken' }))
    const [item] = await take(stream, 1)
    expect(item).toMatchObject({ id: 'x', payload: '{broken', cursor: undefined })
    await stream.return()
  })

  test('an event type of the caller, with its business types', async () => {
    const { stream, call } = await subscribed({ modules: [{ eventType: 'SOD', bizTypes: ['DONE'] }] })
    expect(asked(call)).toEqual({ SOD: '' })
    call.send(moduleEvent('SOD', 1, 'OTHER'), moduleEvent('SOD', 2, 'DONE'))
    expect(await takeLabels(stream, 1)).toEqual(['id-2'])
    await stream.return()
  })

  test('a message kind outside the enum survives', async () => {
    const { stream, call } = await subscribed()
    call.send(moduleFrame(9, { id: 'odd', payload: 'text' }))
    expect(await take(stream, 1)).toMatchObject([{ kind: 'unknown', messageType: 9, id: 'odd' }])
    await stream.return()
  })

  test.each([
    ['modules', { modules: [] }],
    ['modules[0]', { modules: ['nonsense'] }],
    ['modules[0]', { modules: ['sod'] }],
    ['modules[0]', { modules: ['constructor'] }],
    ['modules[0].eventType', { modules: [{ eventType: '' }] }],
    ['modules[0].bizTypes', { modules: [{ eventType: 'A', bizTypes: 'B' }] }],
    ['ack', { ack: 'never' }],
    ['from', { from: 'yesterday' }],
    ['from.FUNDING', { from: { FUNDING: 'p' } }],
    ['from.APPLICATION', { from: { APPLICATION: '' } }],
    ['consumer', { consumer: '' }],
    ['maxUnacked', { maxUnacked: 0 }],
    ['timestamp', { timestamp: 'now' }],
  ])('a wrong %s is named', (option, options) => {
    const error: unknown = (() => {
      try {
        return open(options as never)
      } catch (cause) {
        return cause
      }
    })()
    if (!isStreamsError(error, 'STREAM_OPTION_INVALID')) throw new Error('another error')
    expect(error.details.option).toBe(option)
  })
})
