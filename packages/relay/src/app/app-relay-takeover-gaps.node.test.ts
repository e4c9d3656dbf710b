/** Takeovers of an app by another relay: the gaps. */
import { systemClock } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { startTcpProxy } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RelayObserver } from '../observer.ts'
import {
  allOpen,
  eventsOf,
  ids,
  noticesOf,
  pausable,
  releasedBefore,
  setUp,
  streamsOf,
} from '../test/app-relay-bench.ts'
import { HEADER } from '../wire/headers.ts'
import { DEFAULT_ORDER } from '../wire/subjects.ts'

describe('the gaps of a takeover', () => {
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
    // The margin of a gap is five seconds.
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
    // The event waits in the socket. The clock jumps a minute ahead, and the relay is released before it reads the event.
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
    // The host is not suspended: each tick comes in time.
    const clock = createVirtualClock(Date.now())
    const states: string[] = []
    const observer: RelayObserver = {
      onRelayNotice: ({ subscription, notice: { kind } }) => subscription === 'trade' && states.push(kind),
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
    // No connection is free.
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
    expect(taken?.state).toBe('acquired')
    expect(released).toMatchObject({ state: 'released', completeUntil })
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
        onRelaySubscription({ subscription: name, state }) {
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
      const line = pausable(stream.open())
      const first = start('one', { bufferBytes: 1, sink: line.sink }, 0, proxy.url)
      // Only the event may wait, so all notices must be stored before.
      const notices = () => DEFAULT_ORDER.map((name) => noticesOf(stream.entries, name).length)
      await expect.poll(notices).toEqual([1, 1, 1])
      if (isPaused) line.pause()
      const read = simulator.emitOrder()
      if (isPaused) await expect.poll(() => line.pending.length).toBeGreaterThan(0)
      else await expect.poll(() => eventsOf(stream.entries, 'trade').length).toBe(1)
      if (!isPaused) proxy.stall()
      const unread = simulator.emitOrder()
      first.relay.drain(true)
      if (isPaused) await expect.poll(() => simulator.subscriptions().length).toBe(0)
      line.resume()
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
})
