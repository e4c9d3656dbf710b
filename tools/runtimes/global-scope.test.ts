/** What READMEs make outside a handler can be made in a Worker's global scope, and used by requests at once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from '@brokerwire/simulator'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { reportedValues } from '../checks/api/reports.ts'
import { EDGE_CONDITIONS, EDGE_ENTRIES } from '../checks/dependencies/arrows.ts'
import { ROOT, SCOPE } from '../ci/lib/workspace.ts'

const WORKER = join(ROOT, 'tools/runtimes/in-global-scope.ts')

test('a Worker makes everything in its global scope, and several requests use it', async () => {
  const simulator = await startSimulator({ region: 'us', environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const { httpUrl, credentials } = simulator
  const { appKey, appSecret } = credentials
  const { outputFiles } = await build({
    entryPoints: [WORKER],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['@brokerwire/source', ...EDGE_CONDITIONS],
    external: ['cloudflare:*'],
    define: { SIMULATOR: JSON.stringify({ httpUrl, appKey, appSecret: appSecret.reveal() }) },
  })
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-01-01',
  })
  onTestFinished(() => miniflare.dispose())
  const ask = async (): Promise<unknown> => {
    const response = await miniflare.dispatchFetch('http://worker.example/')
    const text = await response.text()
    return response.ok ? JSON.parse(text) : text
  }
  const expected = {
    statuses: [200, 200],
    verdict: true,
    token: '[secret]',
    shown: 'the secret is [secret]',
    made: true,
  }
  expect(await ask()).toEqual(expected)
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([expected, expected, expected])
}, 60_000)

test('nothing that can be made there is missing', () => {
  const worker = readFileSync(WORKER, 'utf8')
  const entries = EDGE_ENTRIES.map(([short, subpath]) => `${SCOPE}${short}${subpath.slice(1)}`)
  const names = [...reportedValues()].flatMap(([entry, values]) =>
    entries.includes(entry) ? values.filter((name) => /^create[A-Z]/.test(name)) : [],
  )
  expect(names.length).toBeGreaterThan(15)
  expect(names.filter((name) => !worker.includes(`${name}(`) && !worker.includes(`${name}<`))).toEqual([])
})
