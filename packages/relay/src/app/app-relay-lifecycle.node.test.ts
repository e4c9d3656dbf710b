/** The start and the end of the relay of an app, and a sink that is unavailable. */
import type { Store } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createMemoryStore } from '@brokerwire/stores'
import { describe, expect, test } from 'vitest'
import type { EventSink } from '../sink/event-sink.ts'
import { sinkUnavailable } from '../sink/sink-errors.ts'
import { allOpen, eventsOf, ids, noticesOf, pausable, setUp, streamsOf } from '../test/app-relay-bench.ts'
import { ADDRESS } from '../test/entries.ts'
import { streamRecordKey } from './stream-record.ts'

describe('the relay of an app', () => {
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
    // One report for all attempts.
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
    const line = pausable(stream.open())
    let read = 0
    const { relay, ended } = start('one', {
      // The clock does not run, so no time limit is reached.
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
    // No other message is in flight then.
    await expect
      .poll(() => ['module', 'trade', 'position'].map((name) => noticesOf(stream.entries, name).length))
      .toEqual([1, 1, 1])
    line.pause()
    const taken = simulator.emitModule({ module: 'application' })
    await expect.poll(() => line.pending.length).toBe(1)
    relay.drain(true)
    await expect.poll(() => simulator.subscriptions().length).toBeLessThanOrEqual(1)
    const before = read
    simulator.emitModule({ module: 'application' })
    await expect.poll(() => read).toBe(before + 1)
    line.resume()
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
        onRelaySubscription({ subscription, state }) {
          if (state === 'closed') closed.push(subscription)
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
    // It is written at once, and then every five seconds if something has changed.
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
