/** Takeovers of an app by another relay: the writer, and duplicates. */
import { describe, expect, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { allOpen, eventsOf, ids, noticesOf, setUp } from '../test/app-relay-bench.ts'
import { HEADER } from '../wire/headers.ts'

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
      error: { code: 'RELAY_FENCED', details: { relay: expect.anything() } },
    })
    emit(30)
    await expect.poll(() => eventsOf(stream.entries, 'module').length).toBe(90)
    expect(ids(eventsOf(stream.entries, 'module'))).toEqual(sent)
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
