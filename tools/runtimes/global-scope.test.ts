/**
 * A Worker can create all objects of the packages in its global scope, and use them in several requests at
 * the same time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { EDGE_ENTRIES } from '../checks/dependencies/arrows.ts'
import { SCOPE } from '../ci/lib/workspace.ts'
import { bundleWorker, startWorker } from './in-workerd.ts'

const WORKER = join(import.meta.dirname, 'in-global-scope.ts')

test('a Worker creates everything in its global scope, and several requests use it', async () => {
  const simulator = await startSimulator({ region: 'us', environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const { baseUrl, credentials } = simulator
  const { appKey, appSecret } = credentials
  const script = await bundleWorker({
    entryPoints: [WORKER],
    define: { SIMULATOR: JSON.stringify({ baseUrl, appKey, appSecret: appSecret.reveal() }) },
  })
  const worker = startWorker(script)
  onTestFinished(worker.close)
  const expected = {
    statuses: [200, 200],
    verdict: true,
    token: '[secret]',
    shown: 'the secret is [secret]',
    made: true,
  }
  expect(await worker.ask()).toEqual(expected)
  expect(await Promise.all([worker.ask(), worker.ask(), worker.ask()])).toEqual([
    expected,
    expected,
    expected,
  ])
}, 60_000)

/**
 * These functions create an AbortController of the host, which a Worker allows only in a request. The
 * packages call them only in requests.
 */
const IN_REQUESTS = new Set(['createHostController', 'createLinkedController', 'createTimeoutController'])

test('the Worker calls every create function of the edge entry points', async () => {
  const worker = readFileSync(WORKER, 'utf8')
  const names = new Set<string>()
  for (const [short, subpath] of EDGE_ENTRIES)
    for (const [name, value] of Object.entries(await import(`${SCOPE}${short}${subpath.slice(1)}`)))
      if (/^create[A-Z]/.test(name) && typeof value === 'function' && !IN_REQUESTS.has(name)) names.add(name)
  expect(names.size).toBeGreaterThan(15)
  expect([...names].filter((name) => !worker.includes(`${name}(`) && !worker.includes(`${name}<`))).toEqual(
    [],
  )
})
