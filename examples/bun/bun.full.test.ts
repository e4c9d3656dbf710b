/** The server in Bun, with the local service. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'
import { BUN, installEngines } from '../../tools/runtimes/engines.ts'
import { serveInEngine } from '../test/run-in-engine.ts'
import { settingsOf } from '../test/settings-of.ts'

test('a server in Bun returns a price', { timeout: 180_000 }, async () => {
  await installEngines([BUN], false)
  await using simulator = await startSimulator({ environment: 'sandbox' })
  const args = ['--conditions=@brokerwire/source', 'bun/server.ts']
  const url = await serveInEngine(BUN, args, { ...settingsOf(simulator), PORT: '0' })
  const response = await fetch(`${url}/prices/AAPL`)
  expect(await response.json()).toEqual({ price: expect.stringMatching(/^\d+\.\d+$/) })
  expect((await fetch(`${url}/`)).status).toBe(404)
  expect(simulator.requests().map(({ status }) => status)).toEqual([200, 200])
})
