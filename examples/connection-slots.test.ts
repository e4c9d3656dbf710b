/**
 * Connection slots: the service keeps the slot of a lost connection for about a minute (`slotLingerMs`). A
 * client that reconnects earlier is rejected, and tries again. The minute is virtual time.
 */

import { createBrokerage } from '@brokerwire/client'
import { startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'

test('a lost stream connects again when its slot is free', async () => {
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
  // The client reconnected immediately and was rejected, because the lost connection still has the slot.
  expect([simulator.subscriptions().length, simulator.usedConnections()]).toEqual([0, 1])

  await simulator.advance(120_000)
  expect(simulator.subscriptions()).toHaveLength(1)
  const sent = simulator.emitOrder({ scene: 'FINAL_FILLED' })
  expect(await filled).toBe(sent.payload)
})
