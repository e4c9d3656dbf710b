/**
 * The gateway as a program with the local service: for programs, and for a page in Chromium whose network
 * fails.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { jsonResponse, startSimulator, stringField } from '@brokerwire/simulator'
import { CHROMIUM, installCommand } from '@brokerwire/testing/browsers'
import { startHttpServer } from '@brokerwire/testing/http-server'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { type ServerType, serve } from '@hono/node-server'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from '../test/bundle-programs.ts'
import { freshDirectory, runExample } from '../test/run-example.ts'
import { settingsOf } from '../test/settings-of.ts'
import { EventFeed, type FeedEvent } from './event-feed.ts'
import { createGateway, type GatewayOptions } from './gateway.ts'

const SESSION = 'session-of-the-test'
const FROM_SOURCE = ['--conditions=@brokerwire/source', '--import', 'tsx']
/** Time limit for a start from source on a busy machine. */
const PATIENCE_MS = 90_000

/** A gateway process and the simulator that it connects to. */
async function start(pageOrigin: string, sourceFlags?: readonly string[]) {
  const simulator = await startSimulator({ environment: 'sandbox', accounts: ['ACCOUNT-ONE', 'ACCOUNT-TWO'] })
  onTestFinished(() => simulator.close())
  simulator.route('POST', '/openapi/orders', ({ body }) =>
    jsonResponse({ client_order_id: stringField(body, 'client_order_id'), qty: stringField(body, 'qty') }),
  )
  const store = await freshDirectory()
  const gateway = runExample(
    'browser-gateway/server.ts',
    {
      ...settingsOf(simulator),
      BROKERWIRE_ACCOUNTS: 'ACCOUNT-ONE',
      BROKERWIRE_STORE: store,
      DEMO_SESSION: SESSION,
      PAGE_ORIGIN: pageOrigin,
      PORT: '0',
    },
    sourceFlags,
  )
  const [, url = ''] = await gateway.line(/^listening on (.+)$/)
  await gateway.line(/^token ready$/)
  return { simulator, gateway, url, store }
}

/** The access token, from the files of the store. */
async function storedToken(store: string): Promise<string> {
  const files = (await readdir(store)).filter((name) => name.endsWith('.json'))
  const texts = await Promise.all(files.map((name) => readFile(join(store, name), 'utf8')))
  const [, token] = /\\"token\\":\\"([^"\\]{8,})\\"/.exec(texts.join()) ?? []
  if (token === undefined) throw new Error('no token is stored')
  return token
}

test('the gateway makes only calls on the list, for a signed-in user, from its origin', {
  timeout: PATIENCE_MS,
}, async () => {
  const origin = 'http://app.example'
  const { simulator, gateway, url } = await start(origin, FROM_SOURCE)
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { cookie: `session=${SESSION}`, origin, ...init.headers }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    expect(response.headers.get('cache-control'), path).toBe('no-store')
    return response
  }
  const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
  const post = (order: object, headers: Record<string, string> = {}) =>
    ask('/calls/orders', { method: 'POST', body: JSON.stringify(order), headers })

  const first = await fetch(`${url}/`)
  expect(await first.text()).toContain('src="page.js"')
  expect(first.headers.get('content-security-policy')).toContain("default-src 'self'")
  expect((await fetch(`${url}/page.js`)).headers.get('content-type')).toContain('javascript')

  const config = await ask('/calls/config')
  expect([config.status, await config.text()]).toEqual([200, '{"token_check_enabled":true}'])
  expect(config.headers.get('access-control-allow-origin')).toBe(origin)
  expect(config.headers.get('access-control-allow-credentials')).toBe('true')
  expect(await status('/calls/elsewhere')).toBe(404)
  expect(await status('/openapi/config')).toBe(404)
  for (const path of ['/calls/config', '/events']) {
    for (const cookie of ['', 'session=', 'session=another', `other=${SESSION}`])
      expect(await status(path, { headers: { cookie } }), cookie).toBe(401)
    expect(await status(path, { headers: { origin: 'http://evil.example' } })).toBe(403)
  }

  const order = { account: 'ACCOUNT-ONE', id: 'order-0001', symbol: 'AAPL', side: 'BUY', qty: '10.50' }
  const placed = await post(order)
  expect(await placed.json()).toEqual({ client_order_id: 'order-0001', qty: '10.50' })
  expect((await post({ ...order, account: 'ACCOUNT-TWO' })).status).toBe(403)
  expect((await post({ ...order, qty: 10 })).status).toBe(400)
  expect((await post({ ...order, id: '' })).status).toBe(400)
  expect((await post({ ...order, id: 'x'.repeat(20_000) })).status).toBe(413)
  expect((await post(order, { origin: 'http://evil.example' })).status).toBe(403)
  // A form of another site in an old browser has no `Origin`.
  const bare = { method: 'POST', body: '{}', headers: { cookie: `session=${SESSION}` } }
  expect((await fetch(`${url}/calls/orders`, bare)).status).toBe(403)
  expect(simulator.requests().filter(({ path }) => path === '/openapi/orders')).toHaveLength(1)

  const preflight = { 'access-control-request-method': 'POST', cookie: '' }
  const allowed = await ask('/calls/orders', { method: 'OPTIONS', headers: preflight })
  expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
  expect(
    await status('/calls/orders', {
      method: 'OPTIONS',
      headers: { ...preflight, origin: 'http://evil.example' },
    }),
  ).toBe(403)

  gateway.stop()
  expect(await gateway.ended).toBe(0)
})

test('the gateway does not start without a sign-in', async () => {
  const feed = new EventFeed({ open: () => new ReadableStream(), onError: () => {} })
  const options = { feed, origin: 'http://app.example', brokerage: {} } as unknown as GatewayOptions
  expect(() => createGateway(options)).toThrow(/^authenticate must be a function/)
  const authenticate = () => undefined
  for (const origin of ['*', 'http://app.example/', 'null', ''])
    expect(() => createGateway({ ...options, authenticate, origin })).toThrow(/^origin must be an origin/)
  const simulator = await startSimulator({ environment: 'sandbox' })
  onTestFinished(() => simulator.close())
  const example = runExample('browser-gateway/server.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS: 'A',
  })
  expect(await example.ended).toBe(1)
  expect(example.lines).toEqual(['DEMO_SESSION is not set: set it to a long random text'])
})

test('a page that does not read is disconnected and uses no memory', async () => {
  const upstream: { controller?: ReadableStreamDefaultController<FeedEvent> } = {}
  const open = () =>
    new ReadableStream<FeedEvent>({
      start: (controller) => {
        upstream.controller = controller
      },
    })
  const feed = new EventFeed({ open, onError: () => {} })
  const app = createGateway({
    brokerage: {},
    feed,
    origin: 'http://app.example',
    authenticate: () => ({ accounts: new Set(['A']) }),
  } as unknown as GatewayOptions)
  const server = await new Promise<ServerType>((resolve) => {
    const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started))
  })
  onTestFinished(() => {
    feed.close()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  socket.write('GET /events HTTP/1.1\r\nhost: gateway.example\r\n\r\n')
  await expect.poll(() => feed.pages).toBe(1)
  const data = { text: 'x'.repeat(64 * 1024) }
  // The operating system buffers the first megabytes.
  for (let sent = 0; feed.pages > 0 && sent < 2000; sent += 1) {
    upstream.controller?.enqueue({ name: 'order', account: 'A', data })
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(feed.pages).toBe(0)
  const closed = once(socket, 'close')
  socket.on('error', () => {}).resume()
  await closed
})

const isSkipped = !existsSync(CHROMIUM.binary) && process.env.CI === undefined
const note = isSkipped ? ` (skipped: ${installCommand(CHROMIUM.packages)})` : ''

test.skipIf(isSkipped)(
  `a page in Chromium: events arrive, none is lost with a connection, and the page gets no secret${note}`,
  { timeout: PATIENCE_MS },
  async () => {
    let gatewayUrl = ''
    const { url: pageOrigin, close } = await startHttpServer(async (request, response) => {
      const name = request.url === '/page.js' ? 'page.js' : 'page.html'
      const text = await readFile(join(EXAMPLES, 'browser-gateway', name), 'utf8')
      response.setHeader('content-type', name === 'page.js' ? 'text/javascript' : 'text/html')
      response.end(text.replace('name="gateway" content=""', `name="gateway" content="${gatewayUrl}"`))
    })
    onTestFinished(close)
    const { simulator, url, store } = await start(pageOrigin)
    const received: Buffer[] = []
    const proxy = await startTcpProxy(url, ({ upstream }) => {
      upstream.on('data', (bytes: Buffer) => received.push(bytes))
    })
    onTestFinished(() => proxy.close())
    gatewayUrl = proxy.url

    const browser = await chromium.launch({
      executablePath: CHROMIUM.binary,
      args: ['--disable-dev-shm-usage'],
    })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(pageOrigin)
    await page.getByLabel('Session').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('sign in', { exact: true }).waitFor()
    await page.getByLabel('Session').fill(SESSION)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('gap: before-subscription').waitFor()

    const emitted: string[] = []
    const emit = (scene: 'FINAL_FILLED' | 'PLACED' = 'FINAL_FILLED'): void => {
      const { payload } = simulator.emitOrder({ accountId: 'ACCOUNT-ONE', scene })
      emitted.push(JSON.parse(payload).order_id)
    }
    const shown = () => page.locator('#events .order').allTextContents()
    const shownIds = async () => (await shown()).map((text) => text.split(':')[0])
    simulator.emitOrder({ accountId: 'ACCOUNT-TWO' })
    for (let count = 0; count < 3; count += 1) emit()
    await expect.poll(shownIds, { timeout: 20_000 }).toEqual(emitted)
    expect((await shown())[0]).toMatch(/^\S+: (BUY|SELL) [\d.]+ \S+, FINAL_FILLED, [\d.]+ filled$/)

    proxy.mode = 'refuse'
    proxy.cut()
    await page.getByText('connecting', { exact: true }).waitFor()
    for (let count = 0; count < 5; count += 1) emit()
    proxy.mode = 'open'
    await expect.poll(shownIds, { timeout: 30_000 }).toEqual(emitted)
    emit('PLACED')
    await expect.poll(shownIds, { timeout: 20_000 }).toEqual(emitted)
    expect((await shown()).at(-1)).toMatch(/, SUBMITTED, 0\.0+ filled$/)
    expect(await page.locator('#events .gap').allTextContents()).toEqual([
      'gap: start',
      'gap: before-subscription',
    ])

    const bytes = Buffer.concat(received).toString('latin1')
    expect(bytes).toContain(emitted.at(-1))
    const { appKey, appSecret } = simulator.credentials
    for (const secret of [appSecret.reveal(), appKey, await storedToken(store), 'ACCOUNT-TWO'])
      expect(bytes).not.toContain(secret)
  },
)
