/** Gaps of module streams: before the first commit, and after a rejected cursor. */
import { StreamGroup } from '@brokerwire/core/internal'
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { ModuleStreamOptions } from './module-stream.ts'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { cursorKey } from './test/context.ts'
import { moduleEvent } from './test/frames.ts'
import {
  app,
  createWatch,
  handleAll,
  open,
  requestedPositions,
  SUCCESS,
  server,
  store,
  stored,
  subscribed,
  useModuleServer,
} from './test/module-stream-fixture.ts'
import { arraysOf, take, takeAfterDrop, takeLabels, WAYS, type Way } from './test/take.ts'

useModuleServer()

describe('gaps before the first commit', () => {
  const KEY = cursorKey('default', 'APPLICATION')
  const FUNDING_KEY = cursorKey('default', 'FUNDING')
  /** Starts a stream at `startMs`, up to its notice `subscribed`. */
  const startAt = async (startMs: number, options: Partial<ModuleStreamOptions> = {}, way: Way = 'items') => {
    const clock = createVirtualClock(startMs)
    const started = await subscribed(options, { clock }, way)
    return { ...started, clock }
  }

  test('the store has the time of the start before the first request', async () => {
    const stream = open({}, { clock: createVirtualClock(5000) })
    const pending = stream.next()
    await server.call()
    expect(store.entries.get(KEY)).toBe('{"v":2,"ids":[],"complete":{"hostMs":5000}}')
    await stream.return()
    await pending
  })

  test('the next process reports a gap after a process was killed', async () => {
    const killed = await startAt(1000)
    killed.call.send(app(1))
    await take(killed.stream, 1)
    // The process is killed here: the handled event was not committed.
    const next = await startAt(61_000)
    expect(requestedPositions(next.call)).toEqual({ APPLICATION: '' })
    expect(await take(next.stream, 1)).toMatchObject([
      { kind: 'gap', cause: 'restart', eventTypes: ['APPLICATION'], fromMs: 1000, toMs: 61_000 },
    ])
    await next.stream.return()
    await killed.stream.return()
  })

  test('a gap is reported at each start until its notice was handled', async () => {
    await (await startAt(1000)).stream.return()
    const second = await startAt(2000)
    await take(second.stream, 1)
    await second.stream.return()
    const third = await startAt(3000)
    expect(await take(third.stream, 1)).toMatchObject([{ kind: 'gap', fromMs: 1000, toMs: 3000 }])
    const pending = third.stream.next()
    await third.stream.return()
    await pending
    const fourth = await startAt(4000)
    expect(await take(fourth.stream, 1)).toMatchObject([{ kind: 'gap', fromMs: 3000, toMs: 4000 }])
    await fourth.stream.return()
  })

  test('a handled gap notice does not hide an unacknowledged event', async () => {
    await (await startAt(1000)).stream.return()
    const { observer, received } = createWatch()
    const second = await subscribed({ ack: 'manual' }, { clock: createVirtualClock(2000), observer })
    second.call.send(app(1))
    await received
    await take(second.stream, 2)
    const pending = second.stream.next()
    await second.stream.return()
    await pending
    const third = await startAt(3000)
    expect(await take(third.stream, 1)).toMatchObject([{ kind: 'gap', hostFromMs: 1000 }])
    await third.stream.return()
  })

  test("a gap notice in an array is handled by the array's ack(), and not by the next array", async () => {
    await (await startAt(1000)).stream.return()
    const second = await startAt(2000, { ack: 'manual' }, 'batches')
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

  describe.each(['auto', 'manual'] as const)('with ack: %j', (ack) => {
    test.each(WAYS)(
      'a filtered event is not committed past an unhandled gap notice, read as %s',
      async (way) => {
        store.entries.set(FUNDING_KEY, '{"v":1,"sinceMs":1000}')
        const clock = createVirtualClock(2000)
        const { observer, received } = createWatch()
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

  test("a filtered event is not committed past a gap notice in an array before the array's ack()", async () => {
    store.entries.set(FUNDING_KEY, '{"v":1,"sinceMs":1000}')
    const clock = createVirtualClock(2000)
    const { observer, received } = createWatch()
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

  test('close() of the streams, and a second return(), wait for the last write', async () => {
    const openStreams = new StreamGroup()
    const { stream, call } = await subscribed({}, { clock: createVirtualClock(1000), openStreams })
    const ended: string[] = []
    const { compareAndSet } = store
    let write = (): void => {}
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    store.compareAndSet = async (...args) => {
      await written
      ended.push('written')
      return compareAndSet(...args)
    }
    call.send(app(1))
    await take(stream, 1)
    const pending = stream.next()
    const all = [
      stream.return().then(() => ended.push('returned')),
      stream.return().then(() => ended.push('returned again')),
      openStreams.closeAll().then(() => ended.push('closed')),
    ]
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
    expect(ended).toEqual([])
    write()
    await Promise.all([...all, pending])
    expect(ended[0]).toBe('written')
  })

  test('a gap begins at the timestamp of the last event, not at its receipt', async () => {
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

  test('the first position is written at once, and the next ones are coalesced', async () => {
    const { stream, call, clock } = await startAt(1000)
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    await clock.advance(0)
    expect(stored()).toBe('p1')
    await clock.advance(1000)
    expect(stored()).toBe('p2')
    await stream.return()
  })

  test('a start at a position of the caller reports no gap', async () => {
    await (await startAt(1000)).stream.return()
    const { stream, call } = await startAt(2000, { from: { APPLICATION: 'mine' } })
    call.send(app(1))
    expect(await takeLabels(stream, 1)).toEqual(['id-1'])
    await stream.return()
  })

  test('one of two consumers that create the same cursor at the same time fails', async () => {
    const { compareAndSet } = store
    store.compareAndSet = async (key, expected, next) => {
      if (expected === undefined) store.entries.set(key, 'of the other consumer')
      return compareAndSet(key, expected, next)
    }
    await expect(open().next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_CONFLICT'))
    expect(server.calls).toEqual([])
  })
})

describe('a rejected cursor', () => {
  const from = { APPLICATION: 'too old' }

  test('is an error with the status and the message of the service', async () => {
    const stream = open({ from })
    const failing = stream.next()
    failing.catch(() => {})
    const call = await server.call()
    call.end(11, 'position expired')
    const error: unknown = await failing.catch((cause: unknown) => cause)
    if (!isStreamsError(error, 'STREAM_CURSOR_REJECTED')) throw error
    expect(error.details).toEqual({ status: 'out_of_range', serverMessage: 'position expired' })
  })

  test("is a gap notice with onCursorRejected: 'from-now'", async () => {
    const stream = open({ from }, { policy: readPolicy({ onCursorRejected: 'from-now' }) })
    const items = take(stream, 3)
    const call = await server.call()
    call.end(11)
    const again = await server.call()
    expect(requestedPositions(again)).toEqual({ APPLICATION: '' })
    again.send(SUCCESS)
    expect(await items).toMatchObject([
      { kind: 'reconnecting', reason: 'cursor-rejected' },
      { kind: 'subscribed' },
      { kind: 'gap', cause: 'cursor-rejected', eventTypes: ['APPLICATION'] },
    ])
    await stream.return()
  })

  test("is replaced in the store with 'from-now' although no event arrives", async () => {
    const first = await subscribed()
    first.call.send(app(1))
    await take(first.stream, 1)
    await handleAll(first.stream)
    expect(stored()).toBe('p1')
    const stream = open({}, { policy: readPolicy({ onCursorRejected: 'from-now' }) })
    const items = take(stream, 3)
    ;(await server.call()).end(11)
    ;(await server.call()).send(SUCCESS)
    expect(await items).toMatchObject([
      { kind: 'reconnecting', reason: 'cursor-rejected' },
      { kind: 'subscribed' },
      { kind: 'gap', cause: 'cursor-rejected' },
    ])
    expect(stored()).toBe('p1')
    await handleAll(stream)
    expect(stored()).toBeUndefined()
    const next = await subscribed()
    expect(requestedPositions(next.call)).toEqual({ APPLICATION: '' })
    expect(await take(next.stream, 1)).toMatchObject([{ kind: 'gap', cause: 'restart' }])
    await next.stream.return()
  })

  test("is not removed with 'from-now' if an event after the gap was committed", async () => {
    const stream = open({ from, ack: 'manual' }, { policy: readPolicy({ onCursorRejected: 'from-now' }) })
    const items = take(stream, 4)
    ;(await server.call()).end(11)
    ;(await server.call()).send(SUCCESS, app(9))
    const [, , , event] = await items
    if (event?.type !== 'event') throw new Error('no event')
    event.ack()
    await handleAll(stream)
    expect(stored()).toBe('p9')
  })

  test('a filtered event is not committed before the gap notice of the rejected cursor is handled', async () => {
    const clock = createVirtualClock()
    const { observer, received } = createWatch()
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
