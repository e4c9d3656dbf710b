/** The server in Deno, with the local service. */
import { startSimulator } from '@brokerwire/simulator'
import { expect, test } from 'vitest'
import { DENO, installEngines } from '../../tools/runtimes/engines.ts'
import { serveInEngine } from '../test/run-in-engine.ts'
import { settingsOf } from '../test/settings-of.ts'

const ARGS = ['serve', '--host', '127.0.0.1', '--port', '0', '--allow-env', '--allow-net']
/** The packages come from the sources of the workspace. */
const SOURCES = ['--conditions=@brokerwire/source', '--no-lock', '--node-modules-dir=manual', '--cached-only']

test('a server in Deno returns a price', { timeout: 180_000 }, async () => {
  await installEngines([DENO], false)
  await using simulator = await startSimulator({ environment: 'sandbox' })
  const url = await serveInEngine(DENO, [...ARGS, ...SOURCES, 'deno/server.ts'], settingsOf(simulator))
  const response = await fetch(`${url}/prices/AAPL`)
  expect(await response.json()).toEqual({ price: expect.stringMatching(/^\d+\.\d+$/) })
  expect((await fetch(`${url}/`)).status).toBe(404)
  expect(simulator.requests().map(({ status }) => status)).toEqual([200, 200])
})
