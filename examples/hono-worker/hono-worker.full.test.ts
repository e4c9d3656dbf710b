/** The Worker as wrangler bundles it, in workerd, with the local service. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSimulator } from '@brokerwire/simulator'
import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { bundleWorker } from '../test/bundle-worker.ts'

test('Hono on Workers returns a price, to a known caller only', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const { appKey, appSecret } = simulator.credentials
  const script = await bundleWorker(dirname(fileURLToPath(import.meta.url)))
  expect(script).not.toContain('node:')
  const open = (change: Record<string, string>): Miniflare => {
    const bindings = {
      APP_KEY: appKey,
      APP_SECRET: appSecret.reveal(),
      BASE_URL: simulator.baseUrl,
      ...change,
    }
    const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', bindings })
    onTestFinished(() => miniflare.dispose())
    return miniflare
  }
  const call = (miniflare: Miniflare, symbol: string, token: string) =>
    miniflare.dispatchFetch(`http://worker.example/prices/${symbol}`, {
      headers: { authorization: `Bearer ${token}` },
    })

  expect((await call(open({}), 'AAPL', 'undefined')).status).toBe(500)
  const miniflare = open({ CALLER_TOKEN: 'token-of-this-test' })
  expect((await call(miniflare, 'AAPL', 'another')).status).toBe(401)
  expect(simulator.requests()).toEqual([])

  const response = await call(miniflare, 'AAPL', 'token-of-this-test')
  expect(await response.json()).toEqual({ price: expect.stringMatching(/^\d+\.\d+$/) })
  expect(simulator.requests().map(({ path, status }) => [path, status])).toEqual([
    ['/auth/tokens/create', 200],
    ['/market-data/stocks/snapshots/list', 200],
  ])
})
