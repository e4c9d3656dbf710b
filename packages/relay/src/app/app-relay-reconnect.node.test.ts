/** Subscriptions of an app whose connection is lost. */
import { startTcpProxy } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { allOpen, eventsOf, ids, noticesOf, setUp, streamsOf } from '../test/app-relay-bench.ts'

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

  test('stores a gap and reports the opening when a subscription that has ended is opened again', async () => {
    const { simulator, stream, store, start } = await setUp({ slotLingerMs: 0 })
    const proxy = await startTcpProxy({ target: simulator.eventsUrl })
    onTestFinished(() => proxy.close())
    const states: string[] = []
    start('one', {
      observer: {
        onRelaySubscription({ subscription: name, state }) {
          if (name === 'trade') states.push(state)
        },
      },
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
    expect(states).toEqual(['opening', 'failed', 'opening'])
  })

  test('opens a subscription again after an event of a type that was not selected', async () => {
    const { simulator, stream, store, start } = await setUp()
    let opened = 0
    const { end } = start('one', {
      openStreams(observer) {
        const streams = streamsOf(simulator, store, { observer })
        const moduleEvents: typeof streams.moduleEvents = (options) => {
          opened += 1
          // The simulator sends only the selected event types.
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
