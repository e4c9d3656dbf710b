/** The Worker of the page about the first signed request, as wrangler bundles it, in workerd. */
import { fileURLToPath } from 'node:url'
import { startSimulator } from '@brokerwire/simulator'
import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { bundleWorker } from '../test/bundle-worker.ts'

test('the service accepts the signature of the first Worker, and rejects it with a wrong secret', async () => {
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const script = await bundleWorker(fileURLToPath(new URL('worker', import.meta.url)))
  const { appKey, appSecret } = simulator.credentials
  const call = async (secret: string): Promise<[number, unknown]> => {
    const bindings = { APP_KEY: appKey, APP_SECRET: secret, BASE_URL: simulator.baseUrl }
    const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01', bindings })
    onTestFinished(() => miniflare.dispose())
    const response = await miniflare.dispatchFetch('http://worker.example/')
    return [response.status, await response.json()]
  }
  expect(await call(appSecret.reveal())).toEqual([200, { token_check_enabled: true }])
  const expected = { error_code: 'UNAUTHORIZED', message: expect.stringContaining('/openapi/config&host=') }
  expect(await call('wrong')).toEqual([401, expected])
})
