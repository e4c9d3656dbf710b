/** The Worker as wrangler bundles it, in workerd, with a real Durable Object and the local service. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundleWorker } from '../test/bundle-worker.ts'

let bundle: string

beforeAll(async () => {
  bundle = await bundleWorker(dirname(fileURLToPath(import.meta.url)))
}, 60_000)

/**
 * Opens the Worker with bindings as in `.dev.vars`, which are all strings. A change to `undefined` omits a
 * binding.
 */
function open(
  simulator: Simulator,
  change: Record<string, string | number | undefined> = {},
  durableObjects: Record<string, { className: string; useSQLite: boolean }> = {
    STORE: { className: 'StoreObject', useSQLite: true },
  },
): Miniflare {
  const { appKey, appSecret } = simulator.credentials
  const bindings = {
    REGION: simulator.region,
    ENVIRONMENT: simulator.environment,
    APP_KEY: appKey,
    APP_SECRET: appSecret.reveal(),
    BASE_URL: simulator.baseUrl,
    POLL_INTERVAL_MS: '50',
    ...change,
  }
  return new Miniflare({
    modules: true,
    script: bundle,
    compatibilityDate: '2026-01-01',
    durableObjects,
    bindings: Object.fromEntries(
      Object.entries(bindings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  })
}

const get = async (miniflare: Miniflare, path = '/config') => {
  const response = await miniflare.dispatchFetch(`http://worker.example${path}`)
  return { status: response.status, body: response.status === 404 ? undefined : await response.json() }
}

const creates = (simulator: Simulator): number =>
  simulator.requests().filter(({ path }) => path === '/auth/tokens/create').length

describe('in the sandbox', () => {
  let simulator: Simulator
  let miniflare: Miniflare
  beforeAll(async () => {
    simulator = await startSimulator({ environment: 'sandbox' })
    miniflare = open(simulator)
  })
  afterAll(async () => {
    await miniflare?.dispose()
    await simulator?.close()
  })

  test('requests at the same time share one token', async () => {
    // A separate service, because the shared one also counts the create requests of other tests.
    const alone = await startSimulator({ environment: 'sandbox' })
    onTestFinished(() => alone.close())
    const worker = open(alone)
    onTestFinished(() => worker.dispose())
    const answers = await Promise.all(Array.from({ length: 6 }, () => get(worker)))
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: { token_check_enabled: true } })
    expect(creates(alone)).toBe(1)
    for (const { errorCode } of alone.requests()) expect(errorCode).toBeUndefined()
  })

  test('names every binding that is missing', async () => {
    const change = { REGION: undefined, ENVIRONMENT: undefined, APP_KEY: undefined, APP_SECRET: '' }
    const bare = open(simulator, change, {})
    onTestFinished(() => bare.dispose())
    expect(await get(bare)).toEqual({
      status: 500,
      body: { code: 'BINDING_MISSING', missing: ['STORE', 'REGION', 'ENVIRONMENT', 'APP_KEY', 'APP_SECRET'] },
    })
  })

  test.each([
    [{ ENVIRONMENT: 'live' }, 'OPTION_INVALID'],
    [{ REGION: 'eu' }, 'OPTION_INVALID'],
    [{ APP_KEY: 'not a key' }, 'OPTION_INVALID'],
    [{ BASE_URL: 'http://service.example' }, 'ENDPOINT_INVALID'],
    [{ POLL_INTERVAL_MS: 'often' }, 'OPTION_INVALID'],
    [{ POLL_INTERVAL_MS: 0.5 }, 'OPTION_INVALID'],
  ])('for %j the response has a code', async (change, code) => {
    const wrong = open(simulator, change)
    onTestFinished(() => wrong.dispose())
    expect(await get(wrong)).toEqual({ status: 500, body: { code } })
  })

  test.each([
    ['a number', 50],
    ['empty', ''],
    ['absent', undefined],
  ])('an interval may be %s', async (_, POLL_INTERVAL_MS) => {
    const other = open(simulator, { POLL_INTERVAL_MS })
    onTestFinished(() => other.dispose())
    expect((await get(other)).status).toBe(200)
  })

  test('serves only one path', async () => {
    expect(await get(miniflare, '/elsewhere')).toEqual({ status: 404, body: undefined })
  })
})

test('in production the Worker reports the deadline of the second factor, and uses the token after the confirmation', async () => {
  const simulator = await startSimulator()
  onTestFinished(() => simulator.close())
  const miniflare = open(simulator)
  onTestFinished(() => miniflare.dispose())
  const waiting = { status: 503, body: { code: 'TOKEN_PENDING', deadline: expect.stringMatching(/^\d{4}-/) } }
  for (let count = 0; count < 2; count += 1) expect(await get(miniflare)).toEqual(waiting)
  simulator.approveSecondFactor()
  // The Worker checks the token once in each interval. Until the next check the response is the same.
  let answer = await get(miniflare)
  while (answer.status === 503) answer = await get(miniflare)
  expect(answer).toEqual({ status: 200, body: { token_check_enabled: true } })
  expect(creates(simulator)).toBe(1)
})

test('the bundle is small and imports no module of Node', () => {
  const bytes = gzipSync(bundle, { level: 9 }).length
  console.log(`worker-durable-object: ${bundle.length} bytes, ${bytes} gzipped`)
  // The bundle contains all of edge with the store. The redactor, limits of addresses and clocks, and locks
  // that detect their loss take 3 kB. The option names of edge and its packages, with which misspelled ones
  // are rejected, take 0.5 kB. The field names of signed requests, more encodings of secrets, and the race of
  // a request take 0.2 kB.
  expect(bytes).toBeLessThan(32_250)
  expect(bundle).not.toContain('node:')
})
