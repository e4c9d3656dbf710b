/** Relays on a host whose clock is not that of the service: gaps have the bounds of the service's clock. */
import { systemClock } from '@brokerwire/core'
import { startSimulator } from '@brokerwire/simulator'
import { createMemoryStore } from '@brokerwire/stores'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { isEvent, startAppRelay, storedNotices } from '../test/app-relay.ts'
import { ADDRESS } from '../test/entries.ts'
import { streamName } from '../wire/subjects.ts'

const MINUTES_MS = 60_000

test.each([
  ['two minutes slow', 2 * MINUTES_MS],
  ['two minutes fast', -2 * MINUTES_MS],
])('has gaps with the lost events on a host whose clock is %s', async (_, serviceAheadMs) => {
  /** The time that passes on both clocks. */
  let passedMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + passedMs }
  const serviceClock = { ...systemClock, now: () => systemClock.now() + passedMs + serviceAheadMs }
  const simulator = await startSimulator({
    seed: 5,
    slotLingerMs: 0,
    maxConnections: 100,
    clock: serviceClock,
  })
  onTestFinished(() => simulator.close())
  const stream = createMemoryStream(streamName(ADDRESS))
  const store = createMemoryStore()
  const start = () => startAppRelay({ simulator, store, sink: stream.open(), clock })
  const first = start()
  await expect.poll(() => simulator.subscriptions().length).toBe(3)
  simulator.emitOrder()
  await expect.poll(() => stream.entries.filter(isEvent).length).toBe(1)
  expect(await first.stop()).toMatchObject({ why: 'released' })
  passedMs += MINUTES_MS
  const lost = simulator.emitOrder()
  passedMs += MINUTES_MS
  await expect.poll(() => simulator.subscriptions().length).toBe(0)
  start()
  const gapOf = () => storedNotices(stream.entries, 'trade', 'gap').find(({ cause }) => cause === 'restart')
  await expect.poll(gapOf).toBeDefined()
  const { fromMs = 0, toMs = 0, hostFromMs = 0, hostToMs = 0 } = gapOf() ?? {}
  expect(fromMs).toBeLessThanOrEqual(lost.timestampMs)
  expect(toMs).toBeGreaterThanOrEqual(lost.timestampMs)
  expect(hostFromMs).toBeLessThanOrEqual(hostToMs)
  expect(hostToMs).toBeLessThanOrEqual(clock.now() + 5000)
})
