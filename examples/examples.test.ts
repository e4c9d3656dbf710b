/** Runs every example that is a program, with the local service. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { startConnectProxy } from '@brokerwire/testing/connect-proxy'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXAMPLES } from './test/bundle-programs.ts'
import { freshDirectory, runExample } from './test/run-example.ts'
import { settingsOf } from './test/settings-of.ts'

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options)
  onTestFinished(() => simulator.close())
  return simulator
}

const pathsOf = (simulator: Simulator): string[] => simulator.requests().map(({ path }) => path)

test('node-file-store serves while it waits for the second factor, and needs none after a restart', async () => {
  const simulator = await start()
  const BROKERWIRE_STORE = await freshDirectory()
  const env = { ...settingsOf(simulator), BROKERWIRE_STORE, PORT: '0', POLL_INTERVAL_MS: '50' }
  const first = runExample('node-file-store/server.ts', env)
  await first.line(/^enter the code in the app within 5 minutes$/)
  const [, url] = await first.line(/^listening on (.+)$/)
  const waiting = await fetch(`${url}/health`)
  expect([waiting.status, await waiting.json()]).toEqual([
    503,
    { code: 'TOKEN_PENDING', deadline: expect.stringMatching(/^\d{4}-/) },
  ])
  simulator.approveSecondFactor()
  await first.line(/^ready \d{4}-/)
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ready' })
  expect(await (await fetch(`${url}/config`)).json()).toEqual({ token_check_enabled: true })
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
  first.stop()
  expect(await first.ended).toBe(0)
  if (process.platform !== 'win32') expect((await stat(BROKERWIRE_STORE)).mode & 0o777).toBe(0o700)

  const second = runExample('node-file-store/server.ts', env)
  await second.line(/^ready \d{4}-/)
  const [, again] = await second.line(/^listening on (.+)$/)
  expect((await fetch(`${again}/config`)).status).toBe(200)
  second.stop()
  expect(await second.ended).toBe(0)
  expect(pathsOf(simulator).filter((path) => path === '/auth/tokens/create')).toHaveLength(1)
})

test('several-app-keys keeps the tokens of two app keys in one store', async () => {
  const [one, other] = await Promise.all([
    start({ environment: 'sandbox' }),
    start({ environment: 'sandbox', region: 'hk' }),
  ])
  const example = runExample('several-app-keys.ts', {
    ...settingsOf(one),
    ...settingsOf(other, '_2'),
    BROKERWIRE_STORE: await freshDirectory(),
  })
  expect(await example.ended).toBe(0)
  const expected = [
    `${one.credentials.appKey} (sandbox us): 200, token until`,
    `${other.credentials.appKey} (sandbox hk): 200, token until`,
  ]
  expect(example.lines.map((line) => line.replace(/ \d{4}-.*$/, '')).sort()).toEqual(expected.sort())
})

test('encrypted-store writes no readable token, rotates keys, and fails with a wrong key', async () => {
  const simulator = await start({ environment: 'sandbox' })
  const BROKERWIRE_STORE = await freshDirectory()
  const [old, fresh, wrong] = [1, 2, 3].map(() => randomBytes(32).toString('base64'))
  const run = async (STORE_KEYS: string) => {
    const example = runExample('encrypted-store.ts', {
      ...settingsOf(simulator),
      BROKERWIRE_STORE,
      STORE_KEYS,
    })
    return [await example.ended, example.lines.join().replace(/\d{4}-.*/, '...')]
  }
  expect(await run('')).toEqual([1, expect.stringMatching(/^STORE_OPTION_INVALID: keys\[0\]\.id must /)])
  const [, short] = await run('old:c2hvcnQgc2VjcmV0')
  expect(short).toMatch(/^STORE_OPTION_INVALID: keys\[0\]\.key must /)
  expect(short).not.toContain('c2hvcnQ')
  expect(await run(`old:${old}`)).toEqual([0, 'token until ...'])
  const names = (await readdir(BROKERWIRE_STORE)).filter((name) => name.endsWith('.json'))
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) {
    const text = await readFile(join(BROKERWIRE_STORE, name), 'utf8')
    expect(text).toContain('brokerwire-sealed')
    expect(text).not.toMatch(/current|expiresAtMs|passed/)
  }
  expect(await run(`fresh:${fresh},old:${old}`)).toEqual([0, 'token until ...'])
  const refused = await run(`old:${wrong}`)
  expect(refused).toEqual([1, expect.stringMatching(/^TOKEN_STORE_FAILED: .*,STORE_CIPHER_FAILED: /)])
  expect(refused.join()).not.toContain(wrong)
  expect(pathsOf(simulator).filter((path) => path === '/auth/tokens/create')).toHaveLength(1)
})

test('client-token-endpoint returns the access token and its expiry to a signed-in customer', async () => {
  const simulator = await start({ environment: 'sandbox' })
  const example = runExample('client-token-endpoint.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_STORE: await freshDirectory(),
    DEMO_SESSION: 'session-of-the-test',
    PORT: '0',
  })
  const [, url] = await example.line(/^listening on (.+)$/)
  const ask = (session: string) =>
    fetch(`${url}/client-token`, { method: 'POST', headers: { authorization: `Bearer ${session}` } })
  expect((await ask('another')).status).toBe(401)
  expect((await fetch(`${url}/client-token`)).status).toBe(404)
  // The scheme is required, and a part of a session is not valid.
  for (const authorization of [
    'session-of-the-test',
    'Basic session-of-the-test',
    'Bearer session',
    'Bearer',
  ]) {
    const refused = await fetch(`${url}/client-token`, { method: 'POST', headers: { authorization } })
    expect(refused.status).toBe(401)
  }
  const answer = await ask('session-of-the-test')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const body = (await answer.json()) as { accessToken: string }
  expect(body).toEqual({ accessToken: expect.any(String), expiresAtMs: expect.any(Number) })
  expect(simulator.isClientTokenLive(body.accessToken)).toBe(true)
  expect(await (await ask('session-of-the-test')).json()).toEqual(body)
  example.stop()
  expect(await example.ended).toBe(0)
  expect(pathsOf(simulator)).toEqual(['/auth/client-tokens/create'])
})

test.each([{}, { DEMO_SESSION: '' }])(
  'client-token-endpoint rejects all requests if DEMO_SESSION is %j',
  async (session) => {
    const simulator = await start({ environment: 'sandbox' })
    const BROKERWIRE_STORE = await freshDirectory()
    const env = { ...settingsOf(simulator), ...session, BROKERWIRE_STORE, PORT: '0' }
    const example = runExample('client-token-endpoint.ts', env)
    const [, url] = await example.line(/^listening on (.+)$/)
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer undefined',
      'Bearer demo-session',
    ]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const answer = await fetch(`${url}/client-token`, { method: 'POST', headers })
      expect([answer.status, await answer.json()]).toEqual([401, { code: 'SIGN_IN' }])
    }
    expect(example.lines.join()).toContain('DEMO_SESSION is not set: all requests are rejected')
    expect(pathsOf(simulator)).toEqual([])
  },
)

test('listen-trades prints order events, and continues after a lost connection', async () => {
  const simulator = await start({ environment: 'sandbox' })
  const example = runExample('listen-trades.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS: simulator.accounts.join(),
  })
  await example.line(/^-- subscribed$/)
  const order = simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
  order.fill(40)
  await example.line(/^AAPL: FILLED, 40/)
  simulator.dropConnections()
  await example.line(/^-- reconnecting$/)
  await expect
    .poll(() => example.lines.filter((line) => /^-- gap from \d{4}-\S+ to \d{4}-/.test(line)).length)
    .toBe(2)
  order.complete()
  await example.line(/^AAPL: FINAL_FILLED, 100/)
  simulator.emitTradeFrame({ eventType: 1024, payload: 'no JSON' } as never)
  await example.line(/^unreadable: PAYLOADS?_/)
  example.stop()
  expect(await example.ended).toBe(0)
})

test('listen-account prints orders and positions of one subscription', async () => {
  const simulator = await start({
    environment: 'sandbox',
    oneTradeSubscription: true,
    combinedSubscribeTypes: true,
  })
  const example = runExample('listen-account.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS: simulator.accounts.join(),
  })
  await example.line(/^-- subscribed$/)
  simulator.emitOrder({ symbol: 'AAPL' })
  await example.line(/^order AAPL$/)
  simulator.emitPosition()
  await example.line(/^position \d/)
  example.stop()
  expect(await example.ended).toBe(0)
})

test('live-quotes prints prices, and continues after a lost connection', async () => {
  const simulator = await start({ environment: 'sandbox', quotes: { stepMs: 20 } })
  const settings = settingsOf(simulator)
  const example = runExample('live-quotes.ts', {
    ...settings,
    BROKERWIRE_MQTT_URL: simulator.quotes?.mqttUrl ?? '',
    BROKERWIRE_SYMBOLS: 'AAPL,TSLA',
  })
  await example.line(/^-- subscribed$/)
  await example.line(/^AAPL: \d+\.\d\d$/)
  await example.line(/^TSLA: \d+\.\d\d$/)
  simulator.quotes?.drop()
  await example.line(/^-- gap$/)
  const shown = example.lines.length
  await expect.poll(() => example.lines.slice(shown).some((line) => line.startsWith('AAPL: '))).toBe(true)
  example.stop()
  expect(await example.ended).toBe(0)

  const alone = runExample('live-quotes.ts', settings)
  expect(await alone.ended).toBe(1)
  expect(alone.lines).toEqual([expect.stringMatching(/^BROKERWIRE_MQTT_URL is not set: /)])
})

test('decode-only prints exact values of payloads', async () => {
  const simulator = await start()
  const order = simulator.placeOrder({ symbol: 'AAPL', quantity: 100 })
  order.fill(40)
  const sent = simulator.tradeEvents().map(({ payload }) => payload)
  const example = runExample('decode-only.ts', {})
  example.input([...sent, 'no JSON'].join('\n'))
  expect(await example.ended).toBe(0)
  expect(example.lines.filter((line) => line.startsWith('AAPL'))).toHaveLength(sent.length)
  expect(example.lines.join('\n')).toMatch(/^AAPL \w+: 40(\.0*)? of 100(\.0*)?, filling$/m)
  expect(example.lines.at(-1)).toMatch(/^unreadable: /)
})

test('sign-only sends a signed request that the service accepts', async () => {
  const simulator = await start()
  const example = runExample('sign-only.ts', settingsOf(simulator))
  expect(await example.ended).toBe(0)
  expect(example.lines).toEqual(['200 {"token_check_enabled":true}'])
})

test('sign-only works with the command of the README', async () => {
  const readme = await readFile(join(EXAMPLES, 'README.md'), 'utf8')
  const [, flags = ''] = readme.match(/^node (.+) sign-only\.ts$/m) ?? []
  const example = runExample('sign-only.ts', settingsOf(await start()), flags.split(' '))
  expect(await example.ended).toBe(0)
  expect(example.lines).toEqual(['200 {"token_check_enabled":true}'])
})

const PROGRAMS = [
  'node-file-store/server.ts',
  'several-app-keys.ts',
  'encrypted-store.ts',
  'client-token-endpoint.ts',
  'listen-trades.ts',
  'listen-account.ts',
  'live-quotes.ts',
  'stream-over-proxy.ts',
  'sign-only.ts',
  'place-order.ts',
]

describe.each(PROGRAMS)('%s ends with an error message and status 1', (file) => {
  const settings = {
    BROKERWIRE_REGION: 'us',
    BROKERWIRE_ENVIRONMENT: 'sandbox',
    BROKERWIRE_APP_KEY: 'not a key',
    BROKERWIRE_APP_SECRET: 'correct horse',
    BROKERWIRE_ACCOUNTS: 'one',
    HTTPS_PROXY: 'http://127.0.0.1:1',
    PORT: '0',
    STORE_KEYS: `one:${randomBytes(32).toString('base64')}`,
  }

  test.each([
    ['a wrong app key', {}, /^(?:SIGNER_)?OPTION_INVALID: appKey must /],
    [
      'no environment',
      { BROKERWIRE_ENVIRONMENT: '' },
      /^((?:ENDPOINT|OPTION)_INVALID: e|BROKERWIRE_E)nvironment\b/i,
    ],
  ])('with %s', async (_, change, line) => {
    const BROKERWIRE_STORE = await freshDirectory()
    const example = runExample(file, { ...settings, BROKERWIRE_STORE, ...change })
    expect(await example.ended).toBe(1)
    expect(example.lines).toEqual([expect.stringMatching(line)])
  })
})

test.each(['listen-trades.ts', 'stream-over-proxy.ts'])(
  '%s reports an error of the service',
  async (file) => {
    const [simulator, proxy] = [await start({ environment: 'sandbox' }), await startConnectProxy()]
    const settings = { ...settingsOf(simulator), HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
    const run = async (change: Record<string, string>) => {
      const example = runExample(file, { ...settings, ...change })
      await example.ended
      expect(example.lines.join()).not.toContain('undefined')
      return [await example.ended, example.lines.filter((line) => !line.startsWith('-- reconnecting'))]
    }
    expect(await run({ BROKERWIRE_ACCOUNTS: 'one', BROKERWIRE_APP_SECRET: 'another' })).toEqual([
      1,
      [expect.stringMatching(/^STREAM_AUTH_REJECTED: /)],
    ])
    expect(await run({ BROKERWIRE_ACCOUNTS: '' })).toEqual([
      1,
      [expect.stringMatching(/^STREAM_OPTION_INVALID: accounts/)],
    ])
  },
)

test.each([
  ['', 'HTTPS_PROXY is not set: the address of the proxy, http://host:port'],
  [
    'socks5://proxy.internal',
    'STREAM_OPTION_INVALID: connection.proxy must be the address of an HTTP proxy, http://host:port or https://host:port; received an address with the scheme socks5:',
  ],
])('stream-over-proxy: the proxy %j', async (HTTPS_PROXY, line) => {
  const simulator = await start()
  const example = runExample('stream-over-proxy.ts', {
    ...settingsOf(simulator),
    BROKERWIRE_ACCOUNTS: 'one',
    HTTPS_PROXY,
  })
  expect(await example.ended).toBe(1)
  expect(example.lines).toEqual([line])
})
