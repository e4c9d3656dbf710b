/** A small cluster in virtual time; `pnpm proof relay` runs ten thousand apps on two hundred relays. */
import { expect, test } from 'vitest'
import { clusterBounds, simulateCluster } from '../test/cluster-simulation.ts'

test('keeps moves, time without an owner and store requests within limits while relays join, end, die and lose the store', async () => {
  const size = { apps: 200, relays: 8, changes: 12, seed: 11 }
  const { costs, most, without } = await simulateCluster(size)
  expect({ most, without }).toEqual({ most: 1, without: 0 })
  for (const [name, bound] of Object.entries(clusterBounds(size)))
    expect(costs[name as keyof typeof costs], name).toBeLessThanOrEqual(bound)
}, 600_000)
