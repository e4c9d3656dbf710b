/** The Worker as wrangler bundles it, in workerd, with a real Durable Object, against the local service. */
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

function open(simulator: Simulator): Miniflare {
  const { appKey, appSecret } = simulator.credentials
  return new Miniflare({
    modules: true,
    script: bundle,
    compatibilityDate: '2026-01-01',
    durableObjects: { STORE: { className: 'StoreObject', useSQLite: true } },
    bindings: {
      REGION: simulator.region,
      ENVIRONMENT: simulator.environment,
      APP_KEY: appKey,
      APP_SECRET: appSecret.reveal(),
      HTTP_URL: simulator.httpUrl,
      POLL_INTERVAL_MS: 50,
    },
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
    const answers = await Promise.all(Array.from({ length: 6 }, () => get(miniflare)))
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: { token_check_enabled: true } })
    expect(creates(simulator)).toBe(1)
    for (const { errorCode } of simulator.requests()) expect(errorCode).toBeUndefined()
  })

  test('knows one path', async () => {
    expect(await get(miniflare, '/elsewhere')).toEqual({ status: 404, body: undefined })
  })
})

test('in production: says until when the second factor is awaited, and finds out that it was given', async () => {
  const simulator = await startSimulator()
  onTestFinished(() => simulator.close())
  const miniflare = open(simulator)
  onTestFinished(() => miniflare.dispose())
  const waiting = { status: 503, body: { code: 'TOKEN_PENDING', deadline: expect.stringMatching(/^\d{4}-/) } }
  for (let count = 0; count < 2; count += 1) expect(await get(miniflare)).toEqual(waiting)
  simulator.approveSecondFactor()
  // The service is asked at most once in its interval: until then the answer is the same.
  let answer = await get(miniflare)
  while (answer.status === 503) answer = await get(miniflare)
  expect(answer).toEqual({ status: 200, body: { token_check_enabled: true } })
  expect(creates(simulator)).toBe(1)
})

test('is small, and reaches nothing of Node', () => {
  const bytes = gzipSync(bundle, { level: 9 }).length
  console.log(`worker-durable-object: ${bundle.length} bytes, ${bytes} gzipped`)
  expect(bytes).toBeLessThan(30_000)
  expect(bundle).not.toContain('node:')
})
