/** The start of module streams: stored cursors, positions of the caller and failing stores. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { isStreamsError } from './streams-error.ts'
import { cursorKey } from './test/context.ts'
import { moduleEvent } from './test/frames.ts'
import {
  app,
  handleAll,
  open,
  requestedPositions,
  server,
  store,
  stored,
  subscribed,
  useModuleServer,
} from './test/module-stream-fixture.ts'
import { take, takeLabels } from './test/take.ts'

useModuleServer()

describe('the start of a module stream', () => {
  test("from 'now' ignores the stored cursor, and overwrites it with the next position", async () => {
    const first = await subscribed()
    first.call.send(app(1))
    await take(first.stream, 1)
    const pending = first.stream.next()
    await first.stream.return()
    await pending
    expect(stored()).toBe('p1')
    const second = await subscribed({ from: 'now' })
    expect(requestedPositions(second.call)).toEqual({ APPLICATION: '' })
    second.call.send(app(7), app(8))
    const [gap] = await take(second.stream, 3)
    expect(gap).toMatchObject({ kind: 'gap', cause: 'restart' })
    await second.stream.return()
    expect(stored()).toBe('p7')
  })

  test("from 'now' replaces the stored cursor although no event arrives", async () => {
    const first = await subscribed()
    first.call.send(app(1))
    await take(first.stream, 1)
    await handleAll(first.stream)
    expect(stored()).toBe('p1')
    const quiet = await subscribed({ from: 'now' })
    expect(await take(quiet.stream, 1)).toMatchObject([{ kind: 'gap', cause: 'restart' }])
    await handleAll(quiet.stream)
    expect(stored()).toBeUndefined()
    const next = await subscribed()
    expect(requestedPositions(next.call)).toEqual({ APPLICATION: '' })
    expect(await take(next.stream, 1)).toMatchObject([{ kind: 'gap', cause: 'restart' }])
    await next.stream.return()
  })

  test("from 'now' replaces a stored value that is no cursor although no event arrives", async () => {
    store.entries.set(cursorKey('default', 'APPLICATION'), 'broken')
    const quiet = await subscribed({ from: 'now' })
    await handleAll(quiet.stream)
    const next = await subscribed()
    expect(await take(next.stream, 1)).toMatchObject([{ kind: 'gap', cause: 'restart' }])
    await next.stream.return()
  })

  test('begins at a position of the caller', async () => {
    const { stream, call } = await subscribed({ from: { APPLICATION: 'mine' } })
    expect(requestedPositions(call)).toEqual({ APPLICATION: 'mine' })
    await stream.return()
  })

  test('delivers committed events again after a position of the caller', async () => {
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

  test('delivers events of a type that is not selected, and stores no cursor for it', async () => {
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

  test('consumers with different names do not share a cursor', async () => {
    const first = await subscribed({ consumer: 'a' })
    first.call.send(app(1), app(2))
    await take(first.stream, 2)
    await first.stream.return()
    expect(stored('a')).toBe('p1')
    expect(stored('b')).toBeUndefined()
    const second = await subscribed({ consumer: 'b' })
    expect(requestedPositions(second.call)).toEqual({ APPLICATION: '' })
    await second.stream.return()
  })

  test('a stored value that is no cursor is an error, not a start without a cursor', async () => {
    store.entries.set(cursorKey('default', 'APPLICATION'), 'broken')
    await expect(open().next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_CURSOR_INVALID'))
    expect(server.calls).toEqual([])
    const fromNow = await subscribed({ from: 'now' })
    await fromNow.stream.return()
  })

  test("from 'now' begins although the store fails, and commits once the store works", async () => {
    const clock = createVirtualClock()
    store.failure = new Error('too large')
    const { stream, call } = await subscribed({ from: 'now' }, { clock })
    expect(requestedPositions(call)).toEqual({ APPLICATION: '' })
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

  test('ends with an error that names the step if the option timestamp fails', async () => {
    for (const timestamp of [
      () => 5 as never,
      () => {
        throw new Error('no clock')
      },
    ]) {
      const error: unknown = await open({ timestamp })
        .next()
        .catch((cause: unknown) => cause)
      if (!isStreamsError(error, 'STREAM_OPEN_FAILED')) throw error
      expect(error.details.step).toBe('request')
    }
    expect(server.calls).toEqual([])
  })

  test('event types that are not selected share one duplicate filter and need no ack', async () => {
    const { stream, call } = await subscribed({ ack: 'manual', maxUnacked: 1 })
    call.send(...Array.from({ length: 50 }, (_, n) => moduleEvent(`TYPE-${n}`, 1)), moduleEvent('TYPE-7', 1))
    call.send(app(2))
    const labels = await takeLabels(stream, 51)
    expect(labels).toEqual([...Array(50).fill('id-1'), 'id-2'])
    await stream.return()
    expect(store.entries.size).toBe(1)
  })

  test('ends with an error if the store fails at the start', async () => {
    store.failure = new Error('down')
    await expect(open().next()).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_STORE_FAILED'))
  })
})
