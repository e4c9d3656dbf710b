/** The Worker as wrangler bundles it, in workerd. The local service verifies its signatures. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorker } from '../test/bundle-worker.ts'

let simulator: Simulator
let miniflare: Miniflare
let bundle: string

beforeAll(async () => {
  bundle = await bundleWorker(dirname(fileURLToPath(import.meta.url)))
  simulator = await startSimulator({ environment: 'sandbox' })
  miniflare = open()
}, 60_000)

/** Opens the Worker with all of its bindings, or with a change. */
function open(change: Record<string, string | undefined> = {}): Miniflare {
  const { appKey, appSecret } = simulator.credentials
  const bindings = {
    APP_KEY: appKey,
    APP_SECRET: appSecret.reveal(),
    CALLER_TOKEN: 'a token of this test',
    SERVICE_URL: simulator.baseUrl,
    ...change,
  }
  return new Miniflare({
    modules: true,
    script: bundle,
    compatibilityDate: '2026-01-01',
    // If a binding was never set, its name is absent.
    bindings: Object.fromEntries(
      Object.entries(bindings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  })
}

afterAll(async () => {
  await miniflare?.dispose()
  await simulator?.close()
})

const call = (
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
) =>
  miniflare.dispatchFetch(`http://worker.example${path}`, {
    ...init,
    headers: { authorization: 'Bearer a token of this test', ...init.headers },
  })

describe('the Worker', () => {
  it('signs requests that the service accepts', async () => {
    const answer = await call('/auth/tokens/create', { method: 'POST', body: '{}' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ status: 'NORMAL' })
  })

  it('signs the query that it sends', async () => {
    const answer = await call('/openapi/config?b=2+3&a=%26%C3%A9&a=1')
    expect(answer.status).toBe(200)
  })

  it('rejects callers without the token', async () => {
    expect((await call('/openapi/config', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
    expect((await call('/openapi/config', { headers: { authorization: '' } })).status).toBe(401)
  })

  it.each([
    ['no CALLER_TOKEN', undefined],
    ['an empty CALLER_TOKEN', ''],
  ])('with %s every caller is rejected', async (_, CALLER_TOKEN) => {
    const unset = open({ CALLER_TOKEN })
    onTestFinished(() => unset.dispose())
    const before = simulator.requests().length
    for (const authorization of ['Bearer undefined', 'Bearer ', 'Bearer', '', undefined]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await unset.dispatchFetch('http://worker.example/openapi/config', { headers })
      expect([answer.status, await answer.json()]).toEqual([500, { error: 'not set: CALLER_TOKEN' }])
    }
    expect(simulator.requests()).toHaveLength(before)
  })

  it('names every binding that is missing, and shows none', async () => {
    const bare = open({ APP_KEY: undefined, APP_SECRET: undefined, SERVICE_URL: '' })
    onTestFinished(() => bare.dispose())
    const headers = { authorization: 'Bearer a token of this test' }
    const answer = await bare.dispatchFetch('http://worker.example/openapi/config', { headers })
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'not set: APP_KEY, APP_SECRET, SERVICE_URL' },
    ])
  })

  it.each([
    [{ APP_KEY: 'not a key' }, 'SIGNER_OPTION_INVALID'],
    [{ SERVICE_URL: 'api.sandbox.example.com' }, 'SERVICE_URL must be a URL'],
    [{ SERVICE_URL: 'localhost:8080' }, 'SERVICE_URL must be a URL'],
  ])('%j is reported as an error of its settings', async (change, error) => {
    const wrong = open(change)
    onTestFinished(() => wrong.dispose())
    const headers = { authorization: 'Bearer a token of this test' }
    const answer = await wrong.dispatchFetch('http://worker.example/openapi/config', { headers })
    expect([answer.status, await answer.json()]).toEqual([500, { error }])
  })

  it('rejects a secret in a header and a body that is too long', async () => {
    const secret = await call('/openapi/config', { headers: { 'x-app-secret': 'x' } })
    expect(await secret.json()).toEqual({ error: 'SIGNER_HEADER_FORBIDDEN' })
    const long = await call('/auth/tokens/create', { method: 'POST', body: 'x'.repeat(1_000_001) })
    expect(await long.json()).toEqual({ error: 'SIGNER_BODY_TOO_LARGE' })
  })

  it('is small and imports no module of Node', () => {
    const bytes = gzipSync(bundle, { level: 9 }).length
    console.log(`worker-signer: ${bundle.length} bytes, ${bytes} gzipped`)
    // The rejection of unknown fields and of invalid queries, and a reused buffer take 0.15 kB.
    expect(bytes).toBeLessThan(5_250)
    expect(bundle).not.toContain('node:')
  })
})
