/**
 * Capacity: a lost connection keeps its slot for about a minute on the service (`slotLingerMs`), so whoever comes back
 * before that is refused, and comes back again. The minute is virtual.
 */

import { createBrokerage } from '@brokerwire/client'
import { startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'

test('a stream that was lost comes back when its slot is free again', async () => {
  await using simulator = await startSimulator({ maxConnections: 1, slotLingerMs: 60_000 })
  await using brokerage = createBrokerage(simulator.brokerageOptions())
  const fills = brokerage.tradeEvents({ accounts: simulator.accounts })
  const filled = (async () => {
    for await (const item of fills) if (item.type === 'event') return item.payload
    return undefined
  })()
  await simulator.waitForSubscriptions()
  simulator.dropConnections()
  await simulator.advance(59_000)
  // It came back at once, and was refused: the slot is taken by the connection that is gone.
  expect([simulator.subscriptions().length, simulator.usedConnections()]).toEqual([0, 1])

  await simulator.advance(120_000)
  expect(simulator.subscriptions()).toHaveLength(1)
  const sent = simulator.emitOrder({ scene: 'FINAL_FILLED' })
  expect(await filled).toBe(sent.payload)
})
