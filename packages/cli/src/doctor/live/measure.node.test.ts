/** `doctor --live` against the simulator: every answer is right for each setting of the service. */
import { createBrokerage } from '@brokerwire/client'
import type { Secret } from '@brokerwire/core'
import { resolveEndpoint } from '@brokerwire/core/endpoints'
import { type Simulator, type SimulatorOptions, startSimulator } from '@brokerwire/simulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MAX_CALLS } from './calls.ts'
import { type Measurement, measure } from './measure.ts'
import type { MeasureOptions, StoredToken } from './options.ts'
import type { Question } from './questions.ts'

const NO_TOKEN: StoredToken = { missing: 'no usable token is stored' }
const MISSING_ROUTE = { kind: 'respond', status: 404, body: '{"error_msg":"404 Route Not Found"}' } as const
const CURRENT = ['/trading/accounts/list', '/auth/tokens/check', '/market-data/stocks/snapshots/list']
const OPENAPI = ['/openapi/account/list', '/openapi/auth/token/check', '/openapi/market-data/stock/snapshot']

async function startService(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({
    environment: 'sandbox',
    rateLimit: false,
    pingIntervalMs: 50,
    ...options,
  })
  onTestFinished(() => simulator.close())
  return simulator
}

const connectionOf = ({ baseUrl, eventsUrl, credentials }: Simulator): MeasureOptions['connection'] => ({
  ...credentials,
  region: 'us',
  environment: 'sandbox',
  overrides: { baseUrl, eventsUrl, moduleEventsUrl: undefined, mqttUrl: undefined },
  allowInsecure: false,
  maxClockOffsetMs: undefined,
  proxy: undefined,
})

async function createToken(simulator: Simulator): Promise<Secret> {
  await using brokerage = createBrokerage(connectionOf(simulator))
  const token = await brokerage.accessTokens.get()
  if (token === undefined) throw new Error('the service requires no token')
  return token.token
}

/** Measures the service with a token, unless `more` has another one. */
async function measureService(simulator: Simulator, more: Partial<MeasureOptions> = {}) {
  const token = more.token ?? { value: await createToken(simulator) }
  const before = simulator.requests().length
  const connection = connectionOf(simulator)
  const { region, environment, overrides } = connection
  const announced: string[] = []
  const measurement = await measure({
    connection,
    endpoint: resolveEndpoint({ region, environment, overrides }),
    accounts: [],
    token,
    timeoutMs: 20_000,
    announce: (line) => announced.push(line),
    confirm: async () => true,
    signal: new AbortController().signal,
    pauseMs: 1,
    pingWaitMs: 20_000,
    ...more,
  })
  const sent = simulator.requests().slice(before)
  return { ...decisionsOf(measurement), measurement, announced, sent }
}

/** Answers and reasons by question. */
function decisionsOf({ answers }: Measurement) {
  const answer: Partial<Record<Question, unknown>> = {}
  const reason: Partial<Record<Question, string>> = {}
  for (const { question, decision } of answers) {
    if ('answer' in decision) answer[question] = decision.answer
    else reason[question] = decision.reason
  }
  return { answer, reason }
}

const UNKNOWN = { 'current unknown path': '404 NOT_FOUND', 'openapi unknown path': '404 NOT_FOUND' }
const BOTH = { 'HMAC-SHA1': 'accepted', 'HMAC-SHA256': 'accepted' }

test('a service that accepts everything: all questions but one are answered, and each call is announced', async () => {
  const simulator = await startService()
  const { answer, reason, measurement, announced, sent } = await measureService(simulator)
  expect(answer).toEqual({
    'clock-offset': { offsetMs: expect.any(Number), precisionMs: expect.any(Number) },
    'signature-algorithm': BOTH,
    'access-token': 'required',
    'accounts-paths': { family: 'both', current: '200', openapi: '200', ...UNKNOWN },
    'token-paths': { family: 'both', current: '200', openapi: '200', ...UNKNOWN },
    'market-data-paths': { family: 'both', current: '200', openapi: '200', ...UNKNOWN },
    'api-versions': {
      'current v3': 'accepted',
      'current v2': 'accepted',
      'openapi v2': 'accepted',
      'openapi v3': 'accepted',
    },
    'stream-algorithm': BOTH,
    'stream-token': 'not required to subscribe',
    'event-connections': { opened: 3, open: 3, limit: 'not reached' },
    'ping-interval': { intervalMs: expect.any(Number), pings: expect.any(Number) },
  })
  expect(reason).toEqual({ 'rate-limit-headers': 'no response had the status 429' })
  const { offsetMs, precisionMs } = answer['clock-offset'] as { offsetMs: number; precisionMs: number }
  expect(Math.abs(offsetMs)).toBeLessThanOrEqual(precisionMs + 1000)
  expect(sent).toHaveLength(measurement.calls)
  expect(measurement.calls).toBeLessThanOrEqual(MAX_CALLS)
  const calls = announced.filter((line) => line.startsWith('call '))
  expect(calls).toHaveLength(measurement.calls)
  expect(calls[0]).toBe('call 1 of at most 23: GET /openapi/config, HMAC-SHA1, v2')
  const requested = sent.filter(({ protocol }) => protocol === 'http').map(({ requestId }) => requestId)
  const recorded = new Set(measurement.answers.flatMap(({ requestIds }) => requestIds))
  expect(requested.filter((id) => !recorded.has(id ?? ''))).toEqual([])
})

test('no token is created, no order is sent, and the connections are closed at the end', async () => {
  const simulator = await startService()
  const { sent } = await measureService(simulator)
  const posts = sent.filter(({ method, protocol }) => method === 'POST' && protocol === 'http')
  expect(posts.map(({ path }) => path)).toEqual([
    '/auth/tokens/check',
    '/openapi/auth/token/check',
    '/auth/brokerwire/unknown',
    '/openapi/brokerwire/unknown',
  ])
  await expect.poll(() => simulator.subscriptions().length).toBe(0)
})

describe('path families', () => {
  test.each([
    ['current', OPENAPI],
    ['openapi', CURRENT],
    ['neither', [...CURRENT, ...OPENAPI]],
  ])('%s', async (family, path) => {
    const simulator = await startService()
    const token = { value: await createToken(simulator) }
    simulator.faults.nextHttp(MISSING_ROUTE, { path, count: 'always' })
    const { answer } = await measureService(simulator, { token, accounts: simulator.accounts })
    for (const question of ['accounts-paths', 'token-paths', 'market-data-paths'] as const)
      expect(answer[question]).toMatchObject({ family })
  })

  test('of accounts and market data are known without a token, those of tokens are not', async () => {
    const simulator = await startService()
    const { answer, reason } = await measureService(simulator, { token: NO_TOKEN })
    expect(answer['accounts-paths']).toMatchObject({ family: 'both', current: '401 UNAUTHORIZED' })
    expect(answer['market-data-paths']).toMatchObject({ family: 'both' })
    expect(reason['token-paths']).toBe('no usable token is stored')
    expect(reason['api-versions']).toBe('current v3: 401 UNAUTHORIZED; openapi v2: 401 UNAUTHORIZED')
    expect(reason['ping-interval']).toBe('no account is known: set --accounts')
  })
})

test('the API versions of a path that has one', async () => {
  const simulator = await startService()
  simulator.route('GET', '/trading/accounts/list', () => ({ status: 200, json: [] }), { versions: ['v3'] })
  const { answer } = await measureService(simulator)
  expect(answer['api-versions']).toMatchObject({
    'current v3': 'accepted',
    'current v2': '401 VERSION_NOT_SUPPORTED',
    'openapi v3': 'accepted',
  })
})

test.each([
  ['HMAC-SHA1', 'HMAC-SHA256'],
  ['HMAC-SHA256', 'HMAC-SHA1'],
] as const)('a service that accepts only %s, for requests and streams', async (algorithm, other) => {
  const simulator = await startService({ algorithms: [algorithm], tokenCheckEnabled: false })
  const { answer } = await measureService(simulator, { token: NO_TOKEN })
  expect(answer).toMatchObject({
    'signature-algorithm': { [algorithm]: 'accepted', [other]: '401 SIGNATURE_ALGORITHM_NOT_SUPPORTED' },
    'access-token': 'not required',
    'accounts-paths': { family: 'both', current: '200' },
    'stream-algorithm': {
      [algorithm]: 'accepted',
      [other]: 'AuthError SIGNATURE_ALGORITHM_NOT_SUPPORTED',
    },
    'event-connections': { opened: 3, open: 3 },
  })
})

test('a service whose streams require a token', async () => {
  const simulator = await startService({ streamAccessToken: 'required' })
  const { answer } = await measureService(simulator)
  expect(answer).toMatchObject({
    'stream-token': { token: 'required', withoutToken: 'AuthError INVALID_TOKEN' },
    'stream-algorithm': BOTH,
    'event-connections': { opened: 3, open: 3 },
  })
  const without = await measureService(simulator, { token: NO_TOKEN, accounts: simulator.accounts })
  expect(without.reason['stream-token']).toBe(
    'HMAC-SHA256 without a token: AuthError INVALID_TOKEN; HMAC-SHA1 without a token: AuthError INVALID_TOKEN; no subscription with a token: no usable token is stored',
  )
})

test.each([
  ['one trade subscription', { oneTradeSubscription: true }, 1, 'RESOURCE_EXHAUSTED'],
  ['two connections', { maxConnections: 2 }, 2, 'NumOfConnExceed'],
] as const)('a service that grants %s', async (_, options, count, limit) => {
  const simulator = await startService(options)
  const { answer } = await measureService(simulator)
  expect(answer['event-connections']).toEqual({ opened: count, open: count, limit })
  expect(answer['ping-interval']).toHaveProperty('intervalMs')
})

test.each([
  ['20 minutes ahead', 1_200_000],
  ['3 minutes ahead', 180_000],
])('a service whose clock is %s', async (_, aheadMs) => {
  const simulator = await startService()
  const token = { value: await createToken(simulator) }
  await simulator.advance(aheadMs)
  const { answer, measurement } = await measureService(simulator, { token })
  const { offsetMs, precisionMs } = answer['clock-offset'] as { offsetMs: number; precisionMs: number }
  expect(Math.abs(offsetMs - aheadMs)).toBeLessThanOrEqual(precisionMs + 1000)
  expect(answer).toMatchObject({
    'signature-algorithm': BOTH,
    'stream-algorithm': BOTH,
    'accounts-paths': { family: 'both' },
  })
  expect(measurement.calls).toBeLessThanOrEqual(MAX_CALLS)
})

test('after a clock correction the first algorithm is tried with the corrected clock', async () => {
  const simulator = await startService()
  const token = { value: await createToken(simulator) }
  await simulator.advance(1_200_000)
  const headers = { date: new Date(Date.now() + 1_200_000).toUTCString() }
  simulator.faults.nextHttp({ kind: 'respond', status: 400, headers }, { path: '/openapi/config' })
  const { announced } = await measureService(simulator, { token })
  const calls = announced.filter((line) => line.includes('/openapi/config, HMAC-SHA1'))
  expect(calls).toHaveLength(2)
})

test('a request that is sent again is counted, and sent after the pause', async () => {
  const simulator = await startService()
  const token = { value: await createToken(simulator) }
  await simulator.advance(1_200_000)
  const calls: { readonly line: string; readonly atMs: number }[] = []
  await measureService(simulator, {
    token,
    pauseMs: 100,
    announce: (line) => calls.push({ line, atMs: performance.now() }),
  })
  const [first, second] = calls
  expect(first?.line).toBe('call 1 of at most 23: GET /openapi/config, HMAC-SHA1, v2')
  expect(second?.line).toBe('call 2 of at most 23: GET /openapi/config, HMAC-SHA1, v2')
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(90)
})

test('both checks of the token are announced with the access token', async () => {
  const simulator = await startService()
  const { announced } = await measureService(simulator)
  const checks = announced.filter((line) => line.includes('/check,'))
  expect(checks).toEqual([
    expect.stringMatching(/auth\/tokens\/check.*, with the access token$/),
    expect.stringMatching(/auth\/token\/check.*, with the access token$/),
  ])
})

test('after a 429 no further HTTP request is sent, and its headers are recorded', async () => {
  const simulator = await startService()
  const headers = { 'retry-after': '7', 'x-ratelimit-remaining': '0', 'x-other': 'no' }
  simulator.faults.nextHttp({ kind: 'respond', status: 429, headers }, { path: OPENAPI[0] })
  const { answer, reason, sent } = await measureService(simulator)
  expect(answer['rate-limit-headers']).toEqual({ 'retry-after': '7', 'x-ratelimit-remaining': '0' })
  expect(reason['accounts-paths']).toBe(
    'current: 200; openapi: 429; current unknown path: not sent: an earlier response had the status 429; openapi unknown path: not sent: an earlier response had the status 429',
  )
  expect(reason['token-paths']).toMatch(/^current: not sent: an earlier response had the status 429;/)
  expect(sent.filter(({ protocol }) => protocol === 'http').at(-1)?.status).toBe(429)
  expect(answer['event-connections']).toMatchObject({ opened: 3 })
})

test('wrong credentials end the measurement after two requests', async () => {
  const simulator = await startService()
  const connection = { ...connectionOf(simulator), appKey: 'another-app-key' }
  const { answer, reason, measurement } = await measureService(simulator, { connection, token: NO_TOKEN })
  expect(measurement.calls).toBe(2)
  expect(Object.keys(answer)).toEqual(['clock-offset'])
  expect(reason['signature-algorithm']).toMatch(/^no algorithm was accepted/)
  expect(reason['stream-token']).toBe('the service rejected the app key or the signature')
})

test('a service without a response leaves every question without an answer', async () => {
  const simulator = await startService()
  const connection = connectionOf(simulator)
  await simulator.close()
  const { answer, reason } = await measureService(simulator, {
    connection,
    token: NO_TOKEN,
    accounts: ['ACCOUNT'],
  })
  expect(answer).toEqual({})
  expect(reason['clock-offset']).toMatch(/ECONNREFUSED/)
  expect(reason['stream-token']).toMatch(/^HMAC-SHA256 without a token: no response \(ECONNREFUSED\);/)
})

test.each([
  ['sends no pings', { pingIntervalMs: 0 }, 'no ping within 0 s'],
  [
    'ends the subscription',
    { pingIntervalMs: 0, subscriptionLifetimeMs: 500, oneTradeSubscription: true },
    'no ping within 0 s, then the subscription ended',
  ],
])('a service that %s has no ping interval', async (name, options, expected) => {
  const simulator = await startService(options)
  const pingWaitMs = name === 'sends no pings' ? 100 : 20_000
  const { reason } = await measureService(simulator, { pingWaitMs, accounts: simulator.accounts })
  expect(reason['ping-interval']).toMatch(new RegExp(`^${expected.replace('0 s', '\\d s')}$`))
})

test('steps that are not confirmed are not made', async () => {
  const simulator = await startService()
  const asked: string[] = []
  const confirm = async (step: string): Promise<boolean> => {
    asked.push(step)
    return step.startsWith('request')
  }
  const { answer, reason, sent } = await measureService(simulator, {
    confirm,
    accounts: simulator.accounts,
  })
  expect(asked.map((step) => step.split(' ', 3).join(' '))).toEqual(['send at most', 'request at most'])
  expect(sent.every(({ protocol }) => protocol === 'grpc')).toBe(true)
  expect(reason['clock-offset']).toBe('the step was not confirmed')
  expect(answer['stream-token']).toBe('not required to subscribe')
})

test.each([
  ['between requests', 'call 5 of', 'token-paths'],
  ['while it opens connections', 'trade subscription', 'ping-interval'],
  ['while it waits for pings', 'waiting', 'ping-interval'],
] as const)('a stop %s keeps the answers so far and closes the connections', async (_, when, open) => {
  const simulator = await startService({ pingIntervalMs: 60_000 })
  const controller = new AbortController()
  const { answer, reason } = await measureService(simulator, {
    announce: (line) => {
      if (line.includes(when)) controller.abort('SIGINT')
    },
    signal: controller.signal,
  })
  expect(answer).toHaveProperty('signature-algorithm')
  expect(reason[open]).toContain('the command was stopped')
  await expect.poll(() => simulator.subscriptions().length).toBe(0)
})
