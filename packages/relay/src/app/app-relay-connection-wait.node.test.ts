/** The wait for connections that the service may still count, in virtual time. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import type { RelayConnectionWaitReport } from '../observer.ts'
import { setUp } from '../test/app-relay-bench.ts'

test('reports once which subscriptions wait and for how long, and opens them when the time is over', async () => {
  const { simulator, start } = await setUp({ slotLingerMs: 0 })
  const clock = createVirtualClock(Date.now())
  const waits: RelayConnectionWaitReport[] = []
  const options = {
    clock,
    slotLingerMs: 60_000,
    observer: { onRelayConnectionWait: (report: RelayConnectionWaitReport) => waits.push(report) },
  }
  // The three connections of a killed relay.
  const { relay } = start('one', options, 3)
  await expect.poll(() => simulator.subscriptions().length).toBe(2)
  const wait = { subscriptions: ['position'], lingering: 3, waitMs: 61_000 }
  await expect.poll(() => waits).toEqual([{ app: 'team-a', ...wait }])
  await clock.advance(20_000)
  expect(relay.connectionWait).toEqual({ ...wait, waitMs: 41_000 })
  expect(simulator.subscriptions().length).toBe(2)
  await clock.advance(41_000)
  await expect.poll(() => simulator.subscriptions().length).toBe(3)
  expect(relay.connectionWait).toBeUndefined()
  expect(waits).toHaveLength(1)
})

test('reports nothing if there are enough connections', async () => {
  const { simulator, start } = await setUp({ slotLingerMs: 0 })
  const waits: RelayConnectionWaitReport[] = []
  const observer = { onRelayConnectionWait: (report: RelayConnectionWaitReport) => waits.push(report) }
  const { relay } = start('one', { observer, slotLingerMs: 60_000 }, 2)
  await expect.poll(() => simulator.subscriptions().length).toBe(3)
  expect({ waits, now: relay.connectionWait }).toEqual({ waits: [], now: undefined })
})

test.each([
  [0, 2, undefined],
  [1, 2, { subscriptions: ['trade'], lingering: 1, waitMs: 61_000 }],
  [2, 3, { subscriptions: ['trade', 'position'], lingering: 2, waitMs: 61_000 }],
])(
  'with %i lingering connections and at most %i, waits only for those that linger',
  async (lingering, maxConnections, wait) => {
    const { simulator, start } = await setUp({ slotLingerMs: 0 })
    const waits: RelayConnectionWaitReport[] = []
    const observer = { onRelayConnectionWait: (report: RelayConnectionWaitReport) => waits.push(report) }
    const options = { clock: createVirtualClock(Date.now()), observer, maxConnections, slotLingerMs: 60_000 }
    const { relay } = start('one', options, lingering)
    await expect.poll(() => simulator.subscriptions().length).toBe(maxConnections - lingering)
    expect(relay.connectionWait).toEqual(wait)
    expect(waits).toEqual(wait === undefined ? [] : [{ app: 'team-a', ...wait }])
    expect(relay.withoutConnection).toHaveLength(3 - maxConnections + lingering)
  },
)
