/** Messages that wait while a setting of the sink is wrong, in virtual time. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { EventSink, SinkEntry } from '../sink/event-sink.ts'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { sinkMisconfigured } from '../sink/sink-errors.ts'
import { entry } from '../test/entries.ts'
import { createRetainingSink } from './retaining-sink.ts'

const MINUTE_MS = 60_000
const wrong = () =>
  sinkMisconfigured('a', 'x must be y; received z', { setting: 'x', expected: 'y', received: 'z' })

/** A sink in memory whose setting a test can make wrong. */
async function setUp() {
  const clock = createVirtualClock(0)
  const stream = createMemoryStream('a')
  const memory = stream.open()
  const state = { isWrong: false, storesBefore: 0 }
  const reported: unknown[] = []
  const sink: EventSink = {
    tail: (request) => memory.tail(request),
    async publish(batch) {
      if (!state.isWrong) return memory.publish(batch)
      // A part of a long call was stored before the setting was wrong.
      const { storesBefore } = state
      state.storesBefore = 0
      if (storesBefore > 0) await memory.publish(batch.slice(0, storesBefore))
      throw wrong()
    },
    async probe() {
      if (state.isWrong) throw wrong()
      return {}
    },
    close: () => memory.close(),
    [Symbol.asyncDispose]: () => memory.close(),
  }
  const retaining = createRetainingSink({
    sink,
    stream: 'a',
    clock,
    onWaiting: (error) => reported.push(error),
  })
  await retaining.tail({ maxEntries: 0 })
  const keys = () => stream.entries.map(({ key }) => key)
  const keysOf = (...entries: readonly SinkEntry[]) => entries.map(({ key }) => key)
  return { clock, stream, state, reported, retaining, keys, keysOf }
}

describe('a sink whose setting is wrong', () => {
  test('keeps messages, and stores each once in order after the correction', async () => {
    const { clock, state, reported, retaining, keys, keysOf } = await setUp()
    expect(await retaining.publish([entry(1)])).toEqual({ sequence: 1 })
    state.isWrong = true
    const published = [retaining.publish([entry(2), entry(3)]), retaining.publish([entry(4)])]
    await clock.advance(5 * MINUTE_MS)
    expect(reported).toEqual([expect.objectContaining({ code: 'RELAY_SINK_MISCONFIGURED' })])
    published.push(retaining.publish([entry(5)]))
    await expect(retaining.probe?.()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    expect(keys()).toEqual(keysOf(entry(1)))
    state.isWrong = false
    await clock.advance(MINUTE_MS)
    expect(await Promise.all(published)).toEqual([{ sequence: 3 }, { sequence: 4 }, { sequence: 5 }])
    expect(keys()).toEqual(keysOf(entry(1), entry(2), entry(3), entry(4), entry(5)))
    expect(await retaining.probe?.()).toEqual({})
  })

  test('does not store the stored part of a call again', async () => {
    const { clock, state, retaining, keys, keysOf } = await setUp()
    await retaining.publish([entry(1)])
    Object.assign(state, { isWrong: true, storesBefore: 1 })
    const published = [retaining.publish([entry(2), entry(3)]), retaining.publish([entry(4)])]
    await clock.advance(MINUTE_MS / 2)
    expect(keys()).toEqual(keysOf(entry(1), entry(2)))
    state.isWrong = false
    await clock.advance(MINUTE_MS)
    expect(await Promise.all(published)).toEqual([{ sequence: 3 }, { sequence: 4 }])
    expect(keys()).toEqual(keysOf(entry(1), entry(2), entry(3), entry(4)))
  })

  test('rejects the messages if another writer has written', async () => {
    const { clock, stream, state, retaining, keys, keysOf } = await setUp()
    await retaining.publish([entry(1)])
    state.isWrong = true
    const published = retaining.publish([entry(2)])
    const rejected = expect(published).rejects.toMatchObject({ code: 'RELAY_FENCED' })
    await clock.advance(1000)
    const other = stream.open()
    await other.tail({ maxEntries: 0 })
    await other.publish([entry(7)])
    state.isWrong = false
    await clock.advance(MINUTE_MS)
    await rejected
    expect(keys()).toEqual(keysOf(entry(1), entry(7)))
  })

  test.each([0, 1])(
    'stores nothing after the messages of another writer, with %s messages waiting',
    async (count) => {
      const { clock, stream, state, retaining, keys, keysOf } = await setUp()
      await retaining.publish([entry(1)])
      state.isWrong = true
      await expect(retaining.probe?.()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
      const fenced = expect.objectContaining({ code: 'RELAY_FENCED' })
      const rejected = Array.from({ length: count }, () =>
        expect(retaining.publish([entry(2)])).rejects.toEqual(fenced),
      )
      const other = stream.open()
      await other.tail({ maxEntries: 0 })
      await other.publish([entry(7)])
      state.isWrong = false
      await clock.advance(MINUTE_MS)
      await Promise.all(rejected)
      await expect(retaining.publish([entry(3)])).rejects.toEqual(fenced)
      await expect(retaining.probe?.()).rejects.toEqual(fenced)
      expect(keys()).toEqual(keysOf(entry(1), entry(7)))
    },
  )

  test('notices a wrong setting by a probe, before a message is rejected', async () => {
    const { clock, state, reported, retaining } = await setUp()
    await retaining.publish([entry(1)])
    state.isWrong = true
    await expect(retaining.probe?.()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    expect(reported).toHaveLength(1)
    const published = retaining.publish([entry(2)])
    state.isWrong = false
    await clock.advance(MINUTE_MS)
    expect(await published).toEqual({ sequence: 2 })
  })

  test('rejects the first message, and at its end all messages', async () => {
    const { clock, state, retaining } = await setUp()
    state.isWrong = true
    await expect(retaining.publish([entry(1)])).rejects.toMatchObject({ code: 'RELAY_SINK_MISCONFIGURED' })
    state.isWrong = false
    await retaining.publish([entry(1)])
    state.isWrong = true
    const rejected = expect(retaining.publish([entry(2)])).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
    await clock.advance(1000)
    await retaining.close()
    await rejected
    await expect(retaining.publish([entry(3)])).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
    expect(clock.pendingTimers).toBe(0)
  })
})
