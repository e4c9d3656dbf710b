/** The console's server: its responses, and attacks on it, because it stores credentials. */
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ModuleEventService,
  ModuleSubscribeRequestSchema,
  TradeEventService,
  TradeSubscribeRequestSchema,
} from '@brokerwire/protos'
import {
  endOf,
  openModuleStream,
  openTradeStream,
  sendSigned,
  signerOf,
  take,
} from '@brokerwire/testing/signed-client'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Simulator, type SimulatorOptions, startSimulator } from './index.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** Sends a request with any headers, as a browser or an attacker can. */
function ask(
  simulator: Simulator,
  path: string,
  { method = 'GET', body, ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const { port } = new URL(simulator.consoleUrl ?? '')
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      )
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

async function start(options: SimulatorOptions = {}) {
  const simulator = await startSimulator({ console: true, ...options })
  onTestFinished(() => simulator.close())
  const origin = simulator.consoleUrl ?? ''
  /** Headers that the page itself sends. */
  const own = { origin, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(simulator, path, { method: 'POST', body: JSON.stringify(body), ...own, ...headers })
  /** The headers of a session. */
  const session = async (): Promise<{ readonly cookie: string; readonly 'x-console-key': string }> => {
    const { headers, text } = await post('/session', { token: simulator.consoleToken.reveal() })
    const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? ''
    return { cookie, 'x-console-key': (JSON.parse(text) as { readonly key: string }).key }
  }
  return { simulator, origin, own, post, session }
}

describe('access to the console', () => {
  test('opens a session for the token, with a cookie that scripts and other pages cannot use', async () => {
    const { simulator, post, session } = await start()
    const { status, headers } = await post('/session', { token: simulator.consoleToken.reveal() })
    expect(status).toBe(200)
    expect(String(headers['set-cookie'])).toMatch(
      /^brokerwire-console-\d+=[\da-f]{64}; HttpOnly; SameSite=Strict; Path=\/$/,
    )
    expect(String(headers['set-cookie'])).not.toContain(simulator.consoleToken.reveal())
    const signedIn = await session()
    expect((await post('/api/stream', { action: 'ping' }, signedIn)).status).toBe(200)
    expect((await post('/session', { token: 'another' })).status).toBe(401)
    expect((await post('/api/stream', { action: 'ping' })).status).toBe(401)
    expect(
      (await post('/api/stream', { action: 'ping' }, { ...signedIn, cookie: `${signedIn.cookie}0` })).status,
    ).toBe(401)
    expect((await ask(simulator, '/api/feed')).status).toBe(401)
    expect((await ask(simulator, '/api/request?index=0')).status).toBe(401)
  })

  test('a cookie that another port of this machine received is useless without the key of this port', async () => {
    const { simulator, post, session } = await start()
    const { cookie, 'x-console-key': key } = await session()
    const calls = (headers: Record<string, string>) =>
      Promise.all([
        post('/api/emit', { order: {} }, headers),
        ask(simulator, '/api/feed', headers),
        ask(simulator, '/api/request?index=0', headers),
      ])
    const wrong: readonly Record<string, string>[] = [
      { cookie },
      { cookie, 'x-console-key': '' },
      { cookie, 'x-console-key': cookie.split('=', 2)[1] ?? '' },
      { 'x-console-key': key },
      { cookie: `${cookie.split('=', 1)[0]}=${key}`, 'x-console-key': key },
    ]
    for (const headers of wrong)
      expect((await calls(headers)).map(({ status }) => status)).toEqual([401, 401, 401])
    expect(simulator.tradeEvents()).toHaveLength(0)
    // The same token on the port of a second simulator gives another session.
    const folder = await mkdtemp(join(tmpdir(), 'console-port-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const consoleFile = join(folder, 'console.json')
    const one = await start({ consoleFile })
    const two = await start({ consoleFile })
    expect(two.simulator.consoleToken.reveal()).toBe(one.simulator.consoleToken.reveal())
    const stolen = await one.session()
    const { port } = new URL(two.origin)
    const renamed = { ...stolen, cookie: stolen.cookie.replace(/-\d+=/, `-${port}=`) }
    expect((await one.post('/api/stream', { action: 'ping' }, stolen)).status).toBe(200)
    expect((await two.post('/api/stream', { action: 'ping' }, renamed)).status).toBe(401)
  })

  test('bodies are limited to four kilobytes without a session and a megabyte with one', async () => {
    const { simulator, post, session } = await start()
    const token = simulator.consoleToken.reveal()
    expect((await post('/session', { token, more: 'x'.repeat(5000) })).status).toBe(401)
    expect((await post('/session', { token, more: 'x'.repeat(3000) })).status).toBe(200)
    const signedIn = await session()
    expect((await post('/api/emit', { order: {}, more: 'x'.repeat(2 ** 20) }, signedIn)).status).toBe(413)
    expect(simulator.tradeEvents()).toHaveLength(0)
  })

  test('endless bodies and too many feeds do not block other clients', async () => {
    const { own, origin, session, post } = await start()
    const signedIn = await session()
    const { port } = new URL(origin)
    const slow = Array.from({ length: 50 }, () => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path: '/session',
        method: 'POST',
        headers: { ...own, 'content-length': '1000' },
        agent: false,
      })
      sent.on('error', () => undefined).write('{"token":"')
      return sent
    })
    onTestFinished(() => {
      for (const sent of slow) sent.destroy()
    })
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const feed = () =>
      fetch(`${origin}/api/feed`, { headers: signedIn, signal: controller.signal }).then(
        ({ status }) => status,
      )
    const statuses: number[] = []
    for (let count = 0; count < 20; count += 1) statuses.push(await feed())
    expect(statuses).toEqual([...Array(8).fill(200), ...Array(12).fill(503)])
    expect((await post('/api/emit', { order: {} }, signedIn)).status).toBe(200)
    controller.abort()
    // Closed pages release their slots.
    const late = new AbortController()
    onTestFinished(() => late.abort())
    await expect
      .poll(async () => {
        const { status } = await fetch(`${origin}/api/feed`, { headers: signedIn, signal: late.signal })
        return status
      })
      .toBe(200)
  })

  test('rebinding: a foreign name of this machine is rejected for every path', async () => {
    const { simulator, session, own } = await start()
    const signedIn = await session()
    const { port } = new URL(simulator.consoleUrl ?? '')
    for (const host of [
      `evil.example:${port}`,
      'evil.example',
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1:1',
    ]) {
      for (const path of ['/', '/console.js', '/api/feed', '/api/request?index=0']) {
        expect({ host, status: (await ask(simulator, path, { host, ...signedIn })).status }).toEqual({
          host,
          status: 403,
        })
      }
      const body = JSON.stringify({ action: 'drop' })
      const sent = { method: 'POST', ...own, origin: `http://${host}`, host, ...signedIn, body }
      expect((await ask(simulator, '/api/stream', sent)).status).toBe(403)
    }
  })

  test('cross-site form: requests from a form or a script of another page are rejected, even with the cookie', async () => {
    const { simulator, session, own, origin } = await start()
    const signedIn = await session()
    const body = '{"action":"expire","id":"x"}'
    const form = { 'content-type': 'text/plain' }
    for (const headers of [
      { ...own, origin: 'http://evil.example' },
      { ...own, origin: 'null' },
      { ...own, origin: origin.replace('http:', 'https:') },
      { ...own, origin: 'http://127.0.0.1:1' },
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, 'sec-fetch-site': 'same-site' },
      { ...own, ...form },
      { ...own, 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json' },
    ]) {
      const answer = await ask(simulator, '/api/token', { method: 'POST', ...signedIn, body, ...headers })
      expect({ headers, status: answer.status }).toEqual({ headers, status: 403 })
    }
    const image = {
      ...signedIn,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'image',
    }
    expect((await ask(simulator, '/api/request?index=0', image)).status).toBe(403)
  })

  test('framing: the page cannot be embedded in another one', async () => {
    const { simulator } = await start()
    const { headers } = await ask(simulator, '/')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    const framed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    }
    expect((await ask(simulator, '/', framed)).status).toBe(403)
    // A link in another page opens the console as a top-level document, to which the browser then sends its
    // cookie.
    expect((await ask(simulator, '/', { ...framed, 'sec-fetch-dest': 'document' })).status).toBe(200)
  })

  test('every response has the content policy, which allows nothing inline and no other host', async () => {
    const { simulator, post, session } = await start()
    const signedIn = await session()
    const answers = await Promise.all([
      ask(simulator, '/'),
      ask(simulator, '/console.js'),
      ask(simulator, '/api/feed'),
      ask(simulator, '/nothing', signedIn),
      post('/api/stream', { action: 'ping' }, signedIn),
    ])
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('GET changes nothing, and no path leads outside the page', async () => {
    const { simulator, session } = await start()
    const signedIn = await session()
    for (const call of ['token', 'stream', 'replay', 'emit', 'fault', 'advance', 'scenario', 'session']) {
      expect((await ask(simulator, `/api/${call}?ms=1000`, signedIn)).status).toBe(404)
    }
    for (const path of [
      '/../package.json',
      '/%2e%2e/package.json',
      '/..%2fpackage.json',
      '//etc/passwd',
      '/src',
    ]) {
      expect({ path, status: (await ask(simulator, path, signedIn)).status }).toEqual({ path, status: 404 })
    }
  })

  test('the console listens on the loopback interface, whatever the option listen', async () => {
    const { simulator } = await start({ listen: '0.0.0.0', allowInsecure: true })
    expect(simulator.consoleUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  test('without the option there is no console', async () => {
    const simulator = await startSimulator()
    onTestFinished(() => simulator.close())
    expect(simulator.consoleUrl).toBeUndefined()
  })
})

/** Reads the feed until `done` returns true. @returns Data of the events, by event name. */
async function readFeed(
  simulator: Simulator,
  signedIn: Readonly<Record<string, string>>,
  done: (seen: ReadonlyMap<string, readonly never[]>) => boolean,
): Promise<{ readonly seen: ReadonlyMap<string, readonly never[]>; readonly text: string }> {
  const controller = new AbortController()
  const response = await fetch(`${simulator.consoleUrl}/api/feed`, {
    headers: signedIn,
    signal: controller.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const seen = new Map<string, never[]>()
  let text = ''
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const blocks = `${rest}${chunk}`.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1] ?? ''
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? 'null'
      seen.set(name, [...(seen.get(name) ?? []), JSON.parse(data) as never])
    }
    if (done(seen)) break
  }
  controller.abort()
  return { seen, text }
}

/** A limit order that stays open. */
const orderItem = (client_order_id: string) => ({
  client_order_id,
  combo_type: 'NORMAL',
  instrument_type: 'EQUITY',
  market: 'US',
  symbol: 'AAPL',
  side: 'BUY',
  order_type: 'LIMIT',
  limit_price: '1.00',
  entrust_type: 'QTY',
  quantity: '10',
  time_in_force: 'DAY',
  support_trading_session: 'CORE',
})

describe('the data of the console', () => {
  test('the feed starts with the constants and the current state, without a secret', async () => {
    const { simulator, session } = await start({ secondFactor: 'manual' })
    const created = await sendSigned(simulator, {
      method: 'POST',
      path: '/openapi/auth/token/create',
      json: {},
    })
    const token = String(created.json.token)
    const { seen, text } = await readFeed(
      simulator,
      await session(),
      (all) => all.has('state') && all.has('requests'),
    )
    expect(seen.get('hello')?.[0]).toMatchObject({
      tokenMoves: expect.arrayContaining([
        { from: 'PENDING', to: 'NORMAL', on: 'second factor completed in time' },
        { from: 'NORMAL', to: 'EXPIRED', on: 'validity is over' },
      ]),
    })
    expect(seen.get('state')?.[0]).toMatchObject({
      tokens: [{ status: 'PENDING', begins: token.slice(0, 4), next: { to: 'EXPIRED' } }],
      apps: [{ name: 'app-1', usedConnections: 0, maxConnections: 5 }],
    })
    expect(seen.get('requests')?.[0]).toMatchObject({
      entries: [{ status: 200, path: '/openapi/auth/token/create' }],
    })
    for (const secret of [token, simulator.credentials.appSecret.reveal(), simulator.consoleToken.reveal()]) {
      expect(text).not.toContain(secret)
    }
  })

  test('a page that reconnects continues at its position; after a restart it starts near the end', async () => {
    const { simulator, session } = await start()
    const signedIn = await session()
    for (let count = 0; count < 3; count += 1) simulator.emitOrder()
    const first = await readFeed(simulator, signedIn, (all) => all.has('events'))
    const id = /^id: (.*)$/m.exec(first.text)?.[1] ?? ''
    simulator.emitOrder()
    const again = async (lastEventId: string) => {
      const response = await fetch(`${simulator.consoleUrl}/api/feed`, {
        headers: { ...signedIn, 'last-event-id': lastEventId },
      })
      let text = ''
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        if (text.includes('event: events') && text.includes('event: state')) break
      }
      const line = /^event: events\nid: .*\ndata: (.*)$/m.exec(text)?.[1] ?? '{}'
      return (JSON.parse(line) as { entries: { index: number }[] }).entries.map(({ index }) => index)
    }
    expect(await again(id)).toEqual([3])
    expect(await again('another 0 0 0')).toEqual([0, 1, 2, 3])
    expect(await again(id.replace(/\d+ \d+ \d+$/, '99 -1 x'))).toEqual([0, 1, 2, 3])
  })

  test('ten thousand events at once are one message of bounded size, and skipped events are counted', async () => {
    const { simulator, session } = await start()
    const signedIn = await session()
    type Batch = { readonly entries: { payload: string; isCut: boolean }[]; readonly skipped: number }
    const batchesOf = (all: ReadonlyMap<string, readonly never[]>) =>
      (all.get('events') ?? []) as readonly Batch[]
    let hasBegun = false
    const { seen } = await readFeed(simulator, signedIn, (all) => {
      // Waits for the first state: earlier entries are history and do not count as skipped.
      if (!hasBegun && all.has('state')) {
        hasBegun = true
        for (let count = 0; count < 10_000; count += 1)
          simulator.emitTradeFrame({ payload: 'x'.repeat(3000) })
      }
      return batchesOf(all).reduce((sum, { entries, skipped }) => sum + entries.length + skipped, 0) >= 10_000
    })
    const batches = batchesOf(seen)
    expect(batches.some(({ skipped }) => skipped > 0)).toBe(true)
    for (const { entries } of batches) {
      expect(entries.length).toBeLessThanOrEqual(250)
      expect(entries.every(({ payload, isCut }) => payload.length === 2048 && isCut)).toBe(true)
    }
    const whole = await ask(simulator, '/api/event?log=trade&app=app-1&index=9999', signedIn)
    expect(JSON.parse(whole.text)).toMatchObject({ event: { payload: 'x'.repeat(3000), isCut: false } })
  })

  test('the state has the newest orders of all apps, up to a limit, and prices are sent apart', async () => {
    const { simulator, post, session } = await start({ apps: [{ name: 'first' }, { name: 'second' }] })
    const signedIn = await session()
    for (const { name, accounts } of simulator.apps) {
      for (let count = 0; count < 60; count += 1) {
        const body = { account_id: accounts[0], new_orders: [orderItem(`${name}-${count}`)] }
        await post('/api/order', { app: name, operation: 'orders.place', body }, signedIn)
      }
    }
    const { seen } = await readFeed(simulator, signedIn, (all) => all.has('state') && all.has('prices'))
    const [state] = (seen.get('state') ?? []) as readonly {
      readonly trading: { readonly orders: readonly { readonly clientOrderId: string }[] }
    }[]
    expect(state).toMatchObject({ trading: { orderCount: 120, openCount: 120 } })
    expect(state?.trading.orders).toHaveLength(100)
    expect(state?.trading.orders[0]).toMatchObject({
      app: 'second',
      clientOrderId: 'second-59',
      status: 'SUBMITTED',
      isOpen: true,
    })
    const price = { AAPL: expect.stringMatching(/^\d+\.\d\d$/) }
    expect(seen.get('prices')?.[0]).toMatchObject({ first: price, second: price })
  })

  test('an advance of the clock is sent at once, even if nothing else has changed', async () => {
    const { simulator, session } = await start()
    const offsets = (all: ReadonlyMap<string, readonly never[]>): readonly number[] =>
      (all.get('state') ?? []).map(({ clock }: { clock: { offsetMs: number } }) => clock.offsetMs)
    const signedIn = await session()
    // `performance.now()` does not advance, so the periodic message with the offset is never sent.
    const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => time.mockRestore())
    let hasBegun = false
    const { seen } = await readFeed(simulator, signedIn, (all) => {
      if (!hasBegun && all.has('state')) {
        hasBegun = true
        void simulator.advance(3_600_000)
      }
      // The host's clock advances too, so the offset is compared with a smaller number.
      return offsets(all).some((offsetMs) => offsetMs > 3_500_000)
    })
    expect(offsets(seen)[0]).toBe(0)
    expect(seen.get('state')).toHaveLength(2)
  })

  test('a rejected request is explained entry by entry', async () => {
    const { simulator, session } = await start()
    await sendSigned(simulator, { method: 'POST', path: '/openapi/auth/token/check', json: { token: 'x' } })
    const { appKey } = simulator.credentials
    await fetch(`${simulator.baseUrl}/openapi/config?page=3`, {
      headers: {
        'x-app-key': appKey,
        'x-signature-algorithm': 'HMAC-SHA1',
        'x-signature-version': '1.0',
        'x-signature-nonce': '0'.repeat(32),
        'x-timestamp': new Date(simulator.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        'x-signature': 'AAAA',
      },
    })
    const signedIn = await session()
    const diagnosis = async (index: number) =>
      JSON.parse((await ask(simulator, `/api/request?index=${index}`, signedIn)).text).diagnosis
    expect(await diagnosis(0)).toMatchObject({ canonical: { path: '/openapi/auth/token/check' } })
    expect((await diagnosis(0)).rejection).toBeUndefined()
    expect(await diagnosis(1)).toMatchObject({
      canonical: {
        path: '/openapi/config',
        entries: expect.arrayContaining([{ name: 'page', source: 'query', text: 'page=3' }]),
      },
      rejection: { code: 'UNAUTHORIZED', message: expect.stringContaining('signature') },
    })
    expect(JSON.stringify(simulator.requests())).not.toContain('page=3')
  })
})

test('a stream that was rejected for its signature is explained, and its mistake is named', async () => {
  const { simulator, session } = await start()
  const fields = { subscribeType: 1, accounts: [...simulator.accounts], timestamp: 1_700_000_000_000n }
  const message = toBinary(TradeSubscribeRequestSchema, create(TradeSubscribeRequestSchema, fields))
  const enveloped = new Uint8Array([0, 0, 0, 0, message.length, ...message])
  const { headers } = await signerOf(simulator).signStream(enveloped)
  const stream = await openTradeStream(simulator, fields, { headers })
  // The subscription is rejected by a control frame and then closed.
  expect(await endOf(stream)).toBe('clean')
  const answer = await ask(simulator, '/api/request?index=0', await session())
  expect(JSON.parse(answer.text).diagnosis).toMatchObject({
    canonical: { entries: expect.arrayContaining([expect.objectContaining({ name: 'x-app-key' })]) },
    rejection: { code: 'UNAUTHORIZED' },
    mistake: { what: expect.stringContaining('its gRPC envelope') },
  })
})

describe('the actions of the console', () => {
  test('a token is approved and ended by its id', async () => {
    const { simulator, post, session } = await start({ secondFactor: 'manual' })
    await sendSigned(simulator, { method: 'POST', path: '/openapi/auth/token/create', json: {} })
    const signedIn = await session()
    const { seen } = await readFeed(simulator, signedIn, (all) => all.has('state'))
    const [state] = (seen.get('state') ?? []) as readonly { tokens: { id: string }[] }[]
    const id = state?.tokens[0]?.id ?? ''
    const act = async (action: string) =>
      JSON.parse((await post('/api/token', { id, action }, signedIn)).text)
    expect(await act('approve')).toEqual({ changed: 1 })
    expect(await act('approve')).toEqual({ changed: 0 })
    expect(await act('expire')).toEqual({ changed: 1 })
    expect(simulator.state()).toMatchObject({ accessTokens: { EXPIRED: 1 } })
    expect((await act('forget')).message).toContain('action must be')
    expect((await post('/api/token', { id: 'none', action: 'approve' }, signedIn)).status).toBe(400)
  })

  test('events, faults, time and scenarios are controlled as by another process', async () => {
    const { simulator, post, session } = await start()
    const signedIn = await session()
    const before = simulator.clock.now()
    const of = async (call: string, body: object) => (await post(`/api/${call}`, body, signedIn)).status
    expect(await of('emit', { order: { scene: 'FINAL_FILLED' } })).toBe(200)
    expect(await of('replay', { count: 1 })).toBe(200)
    expect(simulator.tradeEvents()).toHaveLength(2)
    expect(await of('fault', { http: { kind: 'respond', status: 503 } })).toBe(200)
    expect((await fetch(`${simulator.baseUrl}/openapi/config`)).status).toBe(503)
    expect(await of('advance', { ms: 86_400_000 })).toBe(200)
    expect(simulator.clock.now() - before).toBeGreaterThanOrEqual(86_400_000)
    expect(await of('scenario', { start: 'lifecycles', intervalMs: 60_000 })).toBe(200)
    expect(simulator.state()).toMatchObject({ scenarioRunning: true })
    // In an earlier version, a rejected start stopped the running scenario.
    expect(await of('scenario', { start: 'lifecycles', intervalMs: -1 })).toBe(400)
    expect(await of('scenario', { start: { steps: [{ type: 'none' }] } })).toBe(400)
    expect(simulator.state()).toMatchObject({ scenarioRunning: true })
    expect(await of('emit', { order: { scene: 'FILED' } })).toBe(400)
    expect(await of('stream', { action: 'drop', service: 'trades' })).toBe(400)
  })

  test('an order is previewed, placed, replaced and cancelled, and errors are those of the service', async () => {
    const { simulator, post, session } = await start({ accounts: ['one'] })
    const signedIn = await session()
    const call = async (operation: string, body: object) => {
      const { status, text } = await post('/api/order', { operation, body }, signedIn)
      return { answer: status, ...JSON.parse(text) }
    }
    const account_id = 'one'
    const body = { account_id, new_orders: [orderItem('c1')] }
    expect(await call('orders.preview', body)).toMatchObject({ json: { estimated_cost: '10.00' } })
    expect(simulator.trading?.orders()).toEqual([])
    expect(await call('orders.place', body)).toMatchObject({ status: 200, json: { client_order_id: 'c1' } })
    expect(await call('orders.place', body)).toMatchObject({
      answer: 200,
      status: 417,
      json: { error_code: 'OPENAPI_TRADE_PLACE_ORDER_REPEAT', message: expect.any(String) },
    })
    const modify_orders = [{ client_order_id: 'c1', quantity: '20' }]
    expect(await call('orders.replace', { account_id, modify_orders })).toMatchObject({ status: 200 })
    expect(await call('orders.cancel', { account_id, client_order_id: 'c1' })).toMatchObject({ status: 200 })
    expect(simulator.trading?.orders()).toMatchObject([{ quantity: '20', status: 'CANCELLED' }])
    expect(simulator.requests()).toEqual([])
    expect(await call('accounts.list', {})).toMatchObject({ answer: 400 })
    expect((await post('/api/order', { operation: 'orders.place' }, signedIn)).status).toBe(400)
    expect(
      (await post('/api/order', { app: 'none', operation: 'orders.place', body }, signedIn)).status,
    ).toBe(400)
  })

  test('an order is rejected by a simulator without the option trading', async () => {
    const { post, session } = await start({ trading: false })
    const { status, text } = await post(
      '/api/order',
      { operation: 'orders.place', body: {} },
      await session(),
    )
    expect([status, JSON.parse(text).message]).toEqual([400, expect.stringContaining('option trading')])
  })

  test('a replay sends the latest events of a kind, a module or an account again, unchanged', async () => {
    const { simulator, post, session } = await start({ accounts: ['one', 'two'] })
    const signedIn = await session()
    const order = simulator.emitOrder({ accountId: 'one' })
    simulator.emitOrder({ accountId: 'two' })
    const position = simulator.emitPosition({ accountId: 'two' })
    const journal = simulator.emitModule({ module: 'journal' })
    simulator.emitModule({ module: 'funding' })
    const sent = async (body: object) => JSON.parse((await post('/api/replay', body, signedIn)).text).sent
    expect(await sent({ kind: 'order', accountId: 'one', count: 5 })).toBe(1)
    expect(simulator.tradeEvents().at(-1)).toEqual(order)
    expect(await sent({ kind: 'position' })).toBe(1)
    expect(simulator.tradeEvents().at(-1)).toEqual(position)
    expect(await sent({ kind: 'journal', count: 10 })).toBe(1)
    expect(simulator.moduleEvents().at(-1)).toEqual(journal)
    expect(await sent({ kind: 'JOURNAL', count: 10 })).toBe(2)
    expect(await sent({ kind: 'none', count: 10 })).toBe(0)
    expect(await sent({ count: 1000 })).toBe(10)
    expect((await post('/api/replay', { count: 0 }, signedIn)).status).toBe(400)
    expect((await post('/api/replay', { app: 'another' }, signedIn)).status).toBe(400)
  })

  test('one stream of two is dropped, silenced and closed; the other continues', async () => {
    const { simulator, post, session } = await start()
    const signedIn = await session()
    const trade = await openTradeStream(simulator)
    const module = await openModuleStream(simulator, { events: [{ eventType: 'JOURNAL', position: '' }] })
    await take(trade, 1)
    await take(module, 1)
    const sent = simulator.emitModule({ module: 'journal' })
    await take(module, 1)
    const { seen } = await readFeed(simulator, signedIn, (all) => all.has('state'))
    const [state] = (seen.get('state') ?? []) as readonly {
      streams: { id: string; service: string; sent: object[] }[]
    }[]
    const idOf = (service: string): string =>
      state?.streams.find((each) => each.service === service)?.id ?? ''
    expect(state?.streams).toMatchObject([
      { service: 'trade', sent: [] },
      { service: 'module', index: 1, end: 1, sent: [{ eventType: 'JOURNAL', position: sent.position }] },
    ])
    const act = async (action: string, id: string) =>
      JSON.parse((await post('/api/stream', { action, id }, signedIn)).text).changed
    expect(await act('silence', idOf('module'))).toBe(1)
    simulator.emitModule({ module: 'journal' })
    expect(await act('resume', idOf('module'))).toBe(1)
    expect(await take(module, 1)).toHaveLength(1)
    expect(await act('drop', idOf('trade'))).toBe(1)
    expect(await endOf(trade)).not.toBe('clean')
    expect(await act('drop', idOf('trade'))).toBe(0)
    expect(simulator.subscriptions()).toHaveLength(1)
    expect(await act('end', idOf('module'))).toBe(1)
    expect(await endOf(module)).toBe('clean')
  })
})

describe('actions on one stream, on those of a service, or on all', () => {
  type Stream = Awaited<ReturnType<typeof openTradeStream>> | Awaited<ReturnType<typeof openModuleStream>>
  /** Number of frames before a clean end, or `'broken'`. */
  const outcome = (stream: Stream): Promise<number | 'broken'> =>
    take<unknown>(stream, 9).then(
      ({ length }) => length,
      () => 'broken',
    )

  /** Opens a stream of each service and waits until both are subscribed. */
  async function pair() {
    const { simulator, post, session } = await start()
    const signedIn = await session()
    const trade = await openTradeStream(simulator)
    const module = await openModuleStream(simulator, { events: [{ eventType: 'JOURNAL', position: '' }] })
    await take(trade, 1)
    await take(module, 1)
    const open = simulator.subscriptions()
    const idOf = (service: string): string =>
      open.find(({ requested }) => requested.service === service)?.connectionId ?? ''
    const act = async (body: object): Promise<unknown> =>
      JSON.parse((await post('/api/stream', body, signedIn)).text)
    return { simulator, signedIn, trade, module, idOf, act }
  }

  test.each([
    ['drop', 'broken'],
    ['reset', 'broken'],
    ['end', 0],
    // SubscribeExpired.
    ['expire', 1],
  ] as const)('%s', async (action, ended) => {
    for (const of of ['one', 'service'] as const) {
      const { simulator, trade, module, idOf, act } = await pair()
      const selection = of === 'one' ? { id: idOf('module') } : { service: 'module' }
      expect([of, await act({ action, ...selection })]).toEqual([of, { changed: 1 }])
      expect({ of, outcomeModule: await outcome(module) }).toEqual({ of, outcomeModule: ended })
      const { payload } = simulator.emitOrder()
      expect(await take(trade, 1)).toMatchObject([{ payload }])
      expect(await act({ action, ...selection })).toEqual({ changed: 0 })
      trade.abort.abort()
    }
    const { trade, module, act } = await pair()
    expect(await act({ action })).toEqual({ changed: 2 })
    expect(await Promise.all([outcome(trade), outcome(module)])).toEqual([ended, ended])
  })

  test('silence stops the events, and resume sends them again', async () => {
    const { simulator, signedIn, trade, module, idOf, act } = await pair()
    const places = async () => {
      const { seen } = await readFeed(simulator, signedIn, (all) => all.has('state'))
      const [state] = (seen.get('state') ?? []) as readonly {
        silence: object
        streams: { service: string; index: number; end: number; silence: string }[]
      }[]
      return state
    }
    for (const selection of [{ id: idOf('module') }, { service: 'module' }, {}]) {
      const isAll = Object.keys(selection).length === 0
      expect(await act({ action: 'silence', ...selection })).toEqual({ changed: isAll ? 2 : 1 })
      const held = simulator.emitModule({ module: 'journal' })
      const order = simulator.emitOrder()
      // The streams of the other service continue.
      if (!isAll) expect(await take(trade, 1)).toMatchObject([{ payload: order.payload }])
      const state = await places()
      expect(state?.silence).toEqual({
        trade: isAll ? 'all' : 'none',
        module: 'id' in selection ? 'none' : 'all',
      })
      expect(state?.streams.map(({ service, silence }) => [service, silence])).toEqual([
        ['trade', isAll ? 'all' : 'none'],
        ['module', 'all'],
      ])
      const [first, second] = state?.streams ?? []
      expect((second?.end ?? 0) - (second?.index ?? 0)).toBe(1)
      expect((first?.end ?? 0) - (first?.index ?? 0)).toBe(isAll ? 1 : 0)
      expect(await act({ action: 'resume', ...selection })).toEqual({ changed: isAll ? 2 : 1 })
      expect(await take(module, 1)).toMatchObject([{ id: held.id }])
      if (isAll) expect(await take(trade, 1)).toMatchObject([{ payload: order.payload }])
    }
    trade.abort.abort()
    module.abort.abort()
  })

  test('a new stream is silent if its service is silenced', async () => {
    const { simulator, post, session } = await start()
    const signedIn = await session()
    expect((await post('/api/stream', { action: 'silence', service: 'trade' }, signedIn)).status).toBe(200)
    const trade = await openTradeStream(simulator)
    await take(trade, 1)
    const module = await openModuleStream(simulator, { events: [{ eventType: 'JOURNAL', position: '' }] })
    await take(module, 1)
    const { payload } = simulator.emitOrder()
    simulator.emitModule({ module: 'journal' })
    expect(await take(module, 1)).toHaveLength(1)
    const { seen } = await readFeed(simulator, signedIn, (all) => all.has('state'))
    expect(seen.get('state')?.[0]).toMatchObject({
      streams: [
        { service: 'trade', index: 0, end: 1, silence: 'all' },
        { service: 'module', index: 1, end: 1, silence: 'none' },
      ],
    })
    expect(simulator.resume({ service: 'module' })).toBe(1)
    expect(simulator.resume()).toBe(2)
    expect(await take(trade, 1)).toMatchObject([{ payload }])
    trade.abort.abort()
    module.abort.abort()
  })

  test('GOAWAY is sent on the selected connection, and its streams continue', async () => {
    const { simulator, post, session } = await start()
    const signedIn = await session()
    const events = [{ eventType: 'JOURNAL', position: '' }]
    const timestamp = simulator.clock.now()
    const opened = {
      trade: await openRaw(
        simulator,
        simulator.eventsUrl,
        TradeEventService,
        toBinary(
          TradeSubscribeRequestSchema,
          create(TradeSubscribeRequestSchema, {
            subscribeType: 1,
            accounts: [...simulator.accounts],
            timestamp: BigInt(timestamp),
          }),
        ),
      ),
      module: await openRaw(
        simulator,
        simulator.moduleEventsUrl,
        ModuleEventService,
        toBinary(
          ModuleSubscribeRequestSchema,
          create(ModuleSubscribeRequestSchema, { events, timestamp: String(timestamp) }),
        ),
      ),
    }
    await simulator.waitForSubscriptions({ count: 2 })
    const told = async (body: object): Promise<unknown> => {
      const before = { trade: opened.trade.goaways(), module: opened.module.goaways() }
      const answer = JSON.parse(
        (await post('/api/stream', { action: 'goaway', ...body }, signedIn)).text,
      ) as unknown
      // Open streams continue. A frame that is sent after the GOAWAY has arrived, so the GOAWAY has arrived too.
      const received = { trade: opened.trade.received(), module: opened.module.received() }
      simulator.emitOrder()
      simulator.emitModule({ module: 'journal' })
      await expect.poll(() => opened.trade.received()).toBeGreaterThan(received.trade)
      await expect.poll(() => opened.module.received()).toBeGreaterThan(received.module)
      // Node may send the GOAWAY in two frames.
      return [answer, opened.trade.goaways() > before.trade, opened.module.goaways() > before.module]
    }
    const id = simulator.subscriptions().find(({ requested }) => requested.service === 'trade')?.connectionId
    expect(await told({ id })).toEqual([{ changed: 1 }, true, false])
    expect(await told({ service: 'module' })).toEqual([{ changed: 1 }, false, true])
    expect(await told({})).toEqual([{ changed: 2 }, true, true])
  })

  test('one stream together with a service, or an unknown service, is rejected', async () => {
    const { simulator, idOf, trade, module, act } = await pair()
    expect(await act({ action: 'drop', id: idOf('trade'), service: 'trade' })).toEqual({
      message: expect.stringContaining('service must be undefined if id is set'),
    })
    for (const action of ['drop', 'goaway', 'reset', 'end', 'expire', 'silence', 'resume', 'ping']) {
      expect([action, await act({ action, service: 'trades' })]).toEqual([
        action,
        { message: expect.stringContaining('service must be') },
      ])
    }
    expect(simulator.subscriptions()).toHaveLength(2)
    trade.abort.abort()
    module.abort.abort()
  })
})

/** Opens a stream on a connection, and counts its frames. */
async function openRaw(
  simulator: Simulator,
  url: string,
  service: { readonly typeName: string },
  message: Uint8Array,
) {
  const { headers } = await signerOf(simulator).signStream(message)
  const connection = connect(url)
  connection.on('error', () => undefined)
  onTestFinished(() => connection.destroy())
  let goaways = 0
  connection.on('goaway', () => {
    goaways += 1
  })
  const stream = connection.request({
    ...headers,
    ':method': 'POST',
    ':path': `/${service.typeName}/Subscribe`,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  let received = 0
  stream
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      received += chunk.length
    })
  stream.end(Buffer.concat([new Uint8Array([0, 0, 0, 0, message.length]), message]))
  return {
    goaways: () => goaways,
    received: () => received,
  }
}

test('an event of a state file whose timestamp is no valid date is shown with the number', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const stateFile = join(folder, 'state.jsonl')
  const first = await startSimulator({ stateFile })
  first.emitTradeFrame({ payload: '{}', timestampMs: 8_640_000_000_000_000 })
  await first.close()
  const text = await readFile(stateFile, 'utf8')
  await writeFile(stateFile, text.replace('"timestampMs":8640000000000000', '"timestampMs":9007199254740991'))
  const { simulator, session } = await start({ stateFile })
  const { seen } = await readFeed(simulator, await session(), (all) => all.has('events'))
  expect(seen.get('events')?.[0]).toMatchObject({ entries: [{ at: '9007199254740991', payload: '{}' }] })
})

test('with a state file, address and cookie survive a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-state-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const stateFile = join(folder, 'state.jsonl')
  const first = await start({ stateFile })
  const signedIn = await first.session()
  await first.simulator.close()
  const second = await start({ stateFile })
  expect(second.simulator.consoleUrl).toBe(first.simulator.consoleUrl)
  expect((await second.post('/api/stream', { action: 'ping' }, signedIn)).status).toBe(200)
  await second.simulator.close()
  const other = await start()
  const { port } = new URL(other.origin)
  const renamed = { ...signedIn, cookie: signedIn.cookie.replace(/-\d+=/, `-${port}=`) }
  expect((await other.post('/api/stream', { action: 'ping' }, renamed)).status).toBe(401)
})

describe('a console file without a state file', () => {
  async function file(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'console-file-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    return join(folder, 'of', 'the user', 'console.json')
  }

  test('preserves address and cookie across a restart, and is accessible only to its owner', async () => {
    const consoleFile = await file()
    const first = await start({ consoleFile })
    const signedIn = await first.session()
    expect((await stat(consoleFile)).mode & 0o777).toBe(0o600)
    await first.simulator.close()
    const second = await start({ consoleFile })
    expect(second.origin).toBe(first.origin)
    expect(second.simulator.consoleToken.reveal()).toBe(first.simulator.consoleToken.reveal())
    expect((await second.post('/api/stream', { action: 'ping' }, signedIn)).status).toBe(200)
  })

  test('gives two simulators at once different ports, and reuses each port', async () => {
    const consoleFile = await file()
    const pair = [await start({ consoleFile }), await start({ consoleFile })]
    const origins = pair.map(({ origin }) => origin)
    expect(new Set(origins).size).toBe(2)
    for (const { simulator } of pair) await simulator.close()
    const again = [await start({ consoleFile }), await start({ consoleFile })]
    expect(again.map(({ origin }) => origin)).toEqual(origins)
  })

  test('replaces a file that other users can read, or that is invalid, with a new token', async () => {
    const consoleFile = await file()
    const first = await start({ consoleFile })
    await first.simulator.close()
    await chmod(consoleFile, 0o644)
    const second = await start({ consoleFile })
    const known = second.simulator.consoleToken.reveal()
    expect(known).not.toBe(first.simulator.consoleToken.reveal())
    expect((await stat(consoleFile)).mode & 0o777).toBe(0o600)
    await second.simulator.close()
    for (const text of [
      '',
      '{',
      '[]',
      '{"token":"","ports":[1]}',
      `{"token":"${known}","ports":["x",0,70000]}`,
    ]) {
      await writeFile(consoleFile, text)
      const { simulator } = await start({ consoleFile })
      expect(simulator.consoleUrl).toMatch(/:\d+$/)
      expect(JSON.parse(await readFile(consoleFile, 'utf8'))).toEqual({
        token: simulator.consoleToken.reveal(),
        ports: [Number(new URL(simulator.consoleUrl ?? '').port)],
      })
      await simulator.close()
    }
  })

  test('does not prevent a start if the file cannot be written', async () => {
    const { origin, simulator } = await start({ consoleFile: '/dev/null/console.json' })
    expect(origin).toBe(simulator.consoleUrl)
  })

  test('creates no file for a simulator without a console', async () => {
    const consoleFile = await file()
    const simulator = await startSimulator({ consoleFile })
    onTestFinished(() => simulator.close())
    await expect(stat(consoleFile)).rejects.toThrow('ENOENT')
  })
})
