/** The Worker as wrangler bundles it, in workerd, with the local service. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSimulator } from '@brokerwire/simulator'
import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { bundleWorker } from '../test/bundle-worker.ts'

const CALLER_TOKEN = 'a token of this test'

test('an order is changed and cancelled, for a known caller only', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const { appKey, appSecret } = simulator.credentials
  const script = await bundleWorker(dirname(fileURLToPath(import.meta.url)))
  expect(script).not.toContain('node:')
  const open = (callerToken: string | undefined): Miniflare => {
    const miniflare = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-01-01',
      bindings: {
        APP_KEY: appKey,
        APP_SECRET: appSecret.reveal(),
        BASE_URL: simulator.baseUrl,
        ...(callerToken === undefined ? {} : { CALLER_TOKEN: callerToken }),
      },
    })
    onTestFinished(() => miniflare.dispose())
    return miniflare
  }
  const call = (miniflare: Miniflare, authorization: string) =>
    miniflare.dispatchFetch('http://worker.example/', { method: 'POST', headers: { authorization } })

  expect((await call(open(undefined), 'Bearer undefined')).status).toBe(401)
  const miniflare = open(CALLER_TOKEN)
  expect((await call(miniflare, 'Bearer another')).status).toBe(401)
  expect(simulator.trading?.orders()).toEqual([])

  const response = await call(miniflare, `Bearer ${CALLER_TOKEN}`)
  expect(await response.json()).toEqual({
    estimatedCost: expect.stringMatching(/^\d+\.\d+$/),
    placed: 'SUBMITTED, 2 shares',
    replaced: 'SUBMITTED, 3 shares',
    cancelled: 'CANCELLED, 3 shares',
  })
  expect(response.status).toBe(200)
  expect(simulator.trading?.orders()).toHaveLength(1)
})
