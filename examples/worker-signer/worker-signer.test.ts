/** The Worker as wrangler bundles it, in workerd, against the local service: real signatures, checked for real. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))
const wrangler = join(
  dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin/wrangler.js',
)
const folder = mkdtempSync(join(tmpdir(), 'worker-signer-'))
let simulator: Simulator
let miniflare: Miniflare
let bundle: string

/** From source, so that no build is needed. */
async function bundleWithWrangler(): Promise<string> {
  const args = [
    'deploy',
    '--dry-run',
    '--minify',
    '--outdir',
    folder,
    '--config',
    join(here, 'wrangler.json'),
  ]
  await promisify(execFile)(process.execPath, [wrangler, ...args], {
    cwd: here,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      WRANGLER_BUILD_CONDITIONS: '@brokerwire/source,workerd,worker,browser',
      WRANGLER_SEND_METRICS: 'false',
    },
  })
  return readFileSync(join(folder, 'worker.js'), 'utf8')
}

beforeAll(async () => {
  bundle = await bundleWithWrangler()
  simulator = await startSimulator({ environment: 'sandbox' })
  const { appKey, appSecret } = simulator.credentials
  miniflare = new Miniflare({
    modules: true,
    script: bundle,
    compatibilityDate: '2026-01-01',
    bindings: {
      APP_KEY: appKey,
      APP_SECRET: appSecret.reveal(),
      CALLER_TOKEN: 'a token of this test',
      SERVICE_URL: simulator.httpUrl,
    },
  })
}, 60_000)

afterAll(async () => {
  await miniflare?.dispose()
  await simulator?.close()
  rmSync(folder, { recursive: true, force: true })
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
  it('signs so that the service accepts', async () => {
    const answer = await call('/auth/tokens/create', { method: 'POST', body: '{}' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ status: 'NORMAL' })
  })

  it('signs a query as it sends it', async () => {
    const answer = await call('/openapi/config?b=2+3&a=%26%C3%A9&a=1')
    expect(answer.status).toBe(200)
  })

  it('serves nobody else', async () => {
    expect((await call('/openapi/config', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
    expect((await call('/openapi/config', { headers: { authorization: '' } })).status).toBe(401)
  })

  it('refuses a secret in a header and a body that is too long', async () => {
    const secret = await call('/openapi/config', { headers: { 'x-app-secret': 'x' } })
    expect(await secret.json()).toEqual({ error: 'SIGNER_HEADER_FORBIDDEN' })
    const long = await call('/auth/tokens/create', { method: 'POST', body: 'x'.repeat(1_000_001) })
    expect(await long.json()).toEqual({ error: 'SIGNER_BODY_TOO_LARGE' })
  })

  it('is small, and reaches nothing of Node', () => {
    const bytes = gzipSync(bundle, { level: 9 }).length
    console.log(`worker-signer: ${bundle.length} bytes, ${bytes} gzipped`)
    expect(bytes).toBeLessThan(5000)
    expect(bundle).not.toContain('node:')
  })
})
