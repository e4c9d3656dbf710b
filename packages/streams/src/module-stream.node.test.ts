/** Reconnects, acknowledgements and commits of module streams, against a real HTTP/2 server. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { isStreamsError } from './streams-error.ts'
import { readPolicy } from './supervisor/policy.ts'
import { cursorKey } from './test/context.ts'
import {
  app,
  requestedPositions,
  SUCCESS,
  server,
  store,
  stored,
  subscribed,
  useModuleServer,
} from './test/module-stream-fixture.ts'
import { label, take, takeLabels } from './test/take.ts'

useModuleServer()

describe('a reconnect', () => {
  test('resumes after the last position received, and discards duplicates', async () => {
    const { stream, call } = await subscribed()
    expect(requestedPositions(call)).toEqual({ APPLICATION: '' })
    call.send(app(1), app(2))
    expect(await takeLabels(stream, 2)).toEqual(['id-1', 'id-2'])
    const more = takeLabels(stream, 4)
    server.drop()
    const again = await server.call()
    expect(requestedPositions(again)).toEqual({ APPLICATION: 'p2' })
    again.send(SUCCESS, app(2), app(3))
    expect(await more).toEqual(['reconnecting', 'subscribed', 'resumed', 'id-3'])
    await stream.return()
  })

  test('reports a gap for the event types that have no position yet', async () => {
    const { stream, call } = await subscribed({ modules: ['application', 'funding'] })
    call.send(app(1))
    await take(stream, 1)
    const more = take(stream, 4)
    call.end()
    const again = await server.call()
    expect(requestedPositions(again)).toEqual({ APPLICATION: 'p1', FUNDING: '' })
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
  test('next() commits the previous item, and leaving the loop does not commit the last one', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2), app(3))
    for await (const item of stream) if (item.type === 'event' && item.id === 'id-2') break
    expect(stored()).toBe('p1')
    expect(await call.closed).toBe(8)
  })

  test('ack() commits an event before next() is called, which then commits nothing more', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2), app(3))
    const [, second] = await take(stream, 2)
    if (second?.type !== 'event') throw new Error('expected an event')
    second.ack()
    await take(stream, 1)
    await stream.return()
    expect(stored()).toBe('p2')
  })

  test('commits the received id and position, even if the consumer changes the item', async () => {
    const { stream, call } = await subscribed({ modules: ['application', 'funding'] })
    call.send(app(1), app(2))
    for (const item of await take(stream, 2))
      Object.assign(item, { kind: 'mine', eventType: 'FUNDING', id: 'x', position: 'x', ack: () => {} })
    const end = stream.next()
    await stream.return()
    await end
    expect(stored()).toBe('p2')
    expect(stored('default', 'FUNDING')).toBeUndefined()
  })

  test('next() after return() commits nothing more', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({}, { clock })
    call.send(app(1), app(2))
    await take(stream, 2)
    await stream.return()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(stored()).toBe('p1')
    expect(clock.pendingTimers).toBe(0)
  })

  test('an error in the loop does not commit the last item', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2))
    const loop = async () => {
      for await (const item of stream) if (item.type === 'event' && item.id === 'id-2') throw new Error('bug')
    }
    await expect(loop()).rejects.toThrow('bug')
    expect(stored()).toBe('p1')
  })

  test('after a restart, delivers uncommitted events again, but not committed ones', async () => {
    const first = await subscribed()
    first.call.send(app(1), app(2))
    await take(first.stream, 2)
    await first.stream.return()
    const second = await subscribed()
    expect(requestedPositions(second.call)).toEqual({ APPLICATION: 'p1' })
    second.call.send(app(1), app(2), app(3))
    expect(await takeLabels(second.stream, 2)).toEqual(['id-2', 'id-3'])
    await second.stream.return()
  })

  test('commits handled events when the signal aborts', async () => {
    const controller = new AbortController()
    const { stream, call } = await subscribed({ signal: controller.signal })
    call.send(app(1))
    await take(stream, 1)
    controller.abort(new Error('enough'))
    await expect(stream.next()).rejects.toThrow('enough')
    expect(stored()).toBe('p1')
  })

  test('delivers and commits the events that were received before the stream failed', async () => {
    const { stream, call } = await subscribed({}, { policy: readPolicy({ maxAttempts: 1 }) })
    call.send(app(1), app(2))
    call.end(14)
    expect(await takeLabels(stream, 2)).toEqual(['id-1', 'id-2'])
    await expect(stream.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_GAVE_UP'))
    expect(stored()).toBe('p2')
  })
})

describe('the store', () => {
  test('ends the stream with an error if another consumer writes the same cursor', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({}, { clock })
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    store.entries.set(cursorKey('default', 'APPLICATION'), 'of another consumer')
    await clock.advance(1000)
    await expect(stream.next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_CONFLICT'))
    expect(await call.closed).toBe(8)
  })

  test('is reported once while it fails, and has the newest position afterwards', async () => {
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

  test('makes return() reject if it fails at the last write', async () => {
    const { stream, call } = await subscribed()
    call.send(app(1), app(2), app(3))
    await take(stream, 3)
    store.failure = new Error('down')
    await expect(stream.return()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
    expect(await call.closed).toBe(8)
  })
})

describe("ack: 'manual'", () => {
  test('commits an event once it and all earlier events are acknowledged', async () => {
    const { stream, call } = await subscribed({ ack: 'manual' })
    call.send(app(1), app(2), app(3))
    const [a, b, c] = await take(stream, 3)
    if (a?.type !== 'event' || b?.type !== 'event' || c?.type !== 'event')
      throw new Error('expected three events')
    c.ack()
    a.ack()
    a.ack()
    await stream.return()
    expect(stored()).toBe('p1')
  })

  test('an ack after return() commits nothing', async () => {
    const clock = createVirtualClock()
    const { stream, call } = await subscribed({ ack: 'manual' }, { clock })
    call.send(app(1))
    const [item] = await take(stream, 1)
    await stream.return()
    if (item?.type === 'event') item.ack()
    expect(stored()).toBeUndefined()
    expect(clock.pendingTimers).toBe(0)
  })

  test('pauses reading at maxUnacked events, reports that, and resumes after acks', async () => {
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

  test('delivers at most maxUnacked events of a large chunk, and reports that once', async () => {
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
