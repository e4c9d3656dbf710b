/**
 * Random values for every option and argument: they are accepted, or rejected with an error of this package that names
 * them.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, inject, it, vi } from 'vitest'
import {
  createSelfSignedCertificate,
  isSimulatorError,
  readRecording,
  replaySteps,
  type SimulatorOptions,
  startSimulator,
  startTcpProxy,
} from './index.ts'

/** Each test starts hundreds of simulators, which is slow on a busy machine. */
vi.setConfig({ testTimeout: 120_000 })

const circle: Record<string, unknown> = {}
circle.itself = circle
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    ...[
      -1,
      0,
      0.5,
      1e308,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      7n,
      '',
      'a\0b',
      '\ud800',
      'a\r\nb',
      true,
      null,
    ],
    ...[[], {}, [[]], [{}], Symbol('s'), () => 'f', new Date(0), circle, Object.create(null)],
  ),
)

const OPTIONS: Readonly<Record<string, (value: unknown) => object>> = Object.fromEntries(
  [
    ...[
      'profile',
      'environment',
      'region',
      'appKey',
      'appSecret',
      'seed',
      'clock',
      'symbols',
      'apps',
      'accounts',
    ],
    ...[
      'httpPort',
      'eventsPort',
      'moduleEventsPort',
      'tls',
      'listen',
      'allowInsecure',
      'control',
      'controlPort',
    ],
    ...[
      'secondFactor',
      'secondFactorDelayMs',
      'verificationWindowMs',
      'tokenValidityMs',
      'tokenIdleMs',
      'tokenRenewal',
    ],
    ...[
      'revokePreviousOnCreate',
      'expiryField',
      'expiryAsString',
      'tokenRefresh',
      'tokenCheckEnabled',
      'clientTokenLifetimeMs',
    ],
    ...[
      'refreshTokenLifetimeMs',
      'rateLimit',
      'signatureWindowMs',
      'algorithms',
      'headerCollision',
      'nameOrder',
    ],
    ...['nonceFormat', 'hostPort', 'maxRequestBytes', 'maxConnections', 'slotLingerMs', 'pingIntervalMs'],
    'oneTradeSubscription',
    'openApi',
    'metrics',
    ...[
      'subscriptionLifetimeMs',
      'combinedSubscribeTypes',
      'streamAccessToken',
      'cursor',
      'unknownCursor',
      'retainedEvents',
    ],
    ...[
      'retainedBytes',
      'moduleHistory',
      'emitPlaceEvents',
      'quirks',
      'sodEventType',
      'scenario',
      'scenarioIntervalMs',
    ],
  ].map((name) => [name, (value: unknown) => ({ [name]: value })]),
)
const NESTED: Readonly<Record<string, (value: unknown) => object>> = {
  'rateLimit.requests': (value) => ({ rateLimit: { requests: value, windowMs: 1 } }),
  'rateLimit.windowMs': (value) => ({ rateLimit: { requests: 1, windowMs: value } }),
  'tls.key': (value) => ({ tls: { ...createdTls, key: value } }),
  'tls.cert': (value) => ({ tls: { ...createdTls, cert: value } }),
  'symbols[0].symbol': (value) => ({ symbols: [{ symbol: value }] }),
  'symbols[0].priceCents': (value) => ({ symbols: [{ symbol: 'A', priceCents: value }] }),
  'accounts[0]': (value) => ({ accounts: [value] }),
  'apps[0].name': (value) => ({ apps: [{ name: value }] }),
  'apps[1].appKey': (value) => ({ apps: [{}, { appKey: value }] }),
  'moduleHistory[0]': (value) => ({ moduleHistory: [value] }),
  'algorithms[0]': (value) => ({ algorithms: [value] }),
  stateFile: (value) => (typeof value === 'string' && value !== '' ? {} : { stateFile: value }),
}
const createdTls = createSelfSignedCertificate()

describe('options', () => {
  it('with any value start a simulator or are rejected by name', async () => {
    const all = { ...OPTIONS, ...NESTED }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(all)), odd, async (name, value) => {
        try {
          const sim = await startSimulator(all[name]?.(value) as SimulatorOptions)
          await sim.close()
        } catch (error) {
          const isOurs =
            isSimulatorError(error, 'SIMULATOR_OPTION_INVALID') ||
            isSimulatorError(error, 'SIMULATOR_LISTEN_FAILED')
          if (!isOurs) throw new Error(`${name}: ${String(error)}`, { cause: error })
          expect(String(error)).toContain(name.replace(/[[.].*/, ''))
        }
      }),
      { numRuns: inject('isFullRun') ? 700 : 70 },
    )
  })
})

describe('arguments', async () => {
  const sim = await startSimulator({ control: true })
  afterAll(() => sim.close())
  const any = sim as unknown as Record<string, (...args: unknown[]) => unknown>
  const order = sim.placeOrder()
  const recording = readRecording('')

  const CALLS: Readonly<Record<string, (value: unknown) => unknown>> = {
    ...Object.fromEntries(
      [
        ...[
          'approveSecondFactor',
          'endAccessTokens',
          'setAccessTokenExpiry',
          'endClientTokens',
          'isClientTokenLive',
        ],
        ...[
          'placeOrder',
          'emitOrder',
          'emitPosition',
          'emitModule',
          'emitTradeFrame',
          'emitModuleFrame',
          'dropConnections',
        ],
        ...[
          'redeliverTradeEvents',
          'setReachable',
          'goaway',
          'resetStreams',
          'endStreams',
          'expireSubscriptions',
        ],
        ...['sendControl', 'silence', 'resume', 'requests', 'app', 'startScenario'],
      ].map((name) => [name, (value: unknown) => any[name]?.(value)]),
    ),
    'emitOrder payload': (value) => sim.emitOrder({ payload: { a: value } }),
    'emitModule payload': (value) => sim.emitModule({ module: 'journal', payload: { a: value } }),
    'emitPosition payload': (value) => sim.emitPosition({ payload: { a: value } }),
    'emitOrder order': (value) => sim.emitOrder({ order: { ...order.state, symbol: value } as never }),
    'emitOrder quantity': (value) => sim.emitOrder({ quantity: value as never }),
    setAccessTokenExpiry: (value) => sim.setAccessTokenExpiry('token', value as never),
    'order.fill': (value) => sim.placeOrder({ quantity: 1_000_000 }).fill(value as never),
    'order.modify': (value) => sim.placeOrder().modify(value as never),
    'faults.nextHttp': (value) => sim.faults.nextHttp(value as never),
    'faults.nextHttp status': (value) => sim.faults.nextHttp({ kind: 'respond', status: value as never }),
    'faults.nextHttp body': (value) =>
      sim.faults.nextHttp({ kind: 'respond', status: 200, body: value as never }),
    'faults.nextHttp headers': (value) =>
      sim.faults.nextHttp({ kind: 'respond', status: 200, headers: { a: value } as never }),
    'faults.nextHttp path': (value) => sim.faults.nextHttp({ kind: 'hang' }, { path: value as never }),
    'faults.nextHttp count': (value) => sim.faults.nextHttp({ kind: 'hang' }, { count: value as never }),
    'faults.nextHttp options': (value) => sim.faults.nextHttp({ kind: 'hang' }, value as never),
    'faults.nextFrame': (value) => sim.faults.nextFrame(value as never),
    'faults.nextFrame service': (value) => sim.faults.nextFrame('split', { service: value as never }),
    'faults.nextSubscription': (value) => sim.faults.nextSubscription(value as never),
    'route method': (value) => sim.route(value as never, '/a', () => ({ status: 200 })).remove(),
    'route path': (value) => sim.route('GET', value as never, () => ({ status: 200 })).remove(),
    'route handler': (value) => sim.route('GET', '/a', value as never).remove(),
    'route options': (value) => sim.route('GET', '/a', () => ({ status: 200 }), value as never).remove(),
    'route versions': (value) =>
      sim.route('GET', '/a', () => ({ status: 200 }), { versions: value as never }).remove(),
    'route body': (value) =>
      sim.route('GET', '/a', () => ({ status: 200 }), { body: value as never }).remove(),
    advance: (value) => (typeof value === 'number' && value > 1000 ? undefined : sim.advance(value as never)),
    'advance scenarioSteps': (value) => sim.advance(0, { scenarioSteps: value as never }),
    'shutdown timeoutMs': (value) =>
      typeof value === 'number' && value >= 0
        ? undefined
        : sim.shutdown({ timeoutMs: (value ?? -1) as never }),
    subscribed: (value) =>
      value === undefined ? value : sim.waitForSubscriptions({ count: value as never, timeoutMs: 1 }),
    request: (value) => sim.waitForRequest(value as never, { timeoutMs: 1 }),
    'request timeoutMs': (value) =>
      typeof value === 'number' && value > 1
        ? value
        : sim.waitForRequest({ path: '/' }, { timeoutMs: (value ?? -1) as never }),
    'replaySteps speed': (value) => replaySteps(recording, { speed: value as never }),
    'replaySteps accounts': (value) => replaySteps(recording, { accounts: value as never }),
    readRecording: (value) => readRecording(value as never),
    startTcpProxy: async (value) => (await startTcpProxy(value as never)).close(),
    'startTcpProxy idleMs': async (value) =>
      (await startTcpProxy({ target: sim.baseUrl, idleMs: value as never })).close(),
  }

  it('with any value are accepted or rejected by name, and the simulator keeps running', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(CALLS)), odd, async (name, value) => {
        try {
          await CALLS[name]?.(value)
        } catch (error) {
          if (!isSimulatorError(error)) throw new Error(`${name}: ${String(error)}`, { cause: error })
        } finally {
          sim.stopScenario()
          sim.faults.clear()
          sim.setReachable(true)
          sim.resume()
        }
      }),
      { numRuns: inject('isFullRun') ? 1500 : 150 },
    )
    expect((await fetch(`${sim.baseUrl}/healthz`)).status).toBe(200)
  })
})
