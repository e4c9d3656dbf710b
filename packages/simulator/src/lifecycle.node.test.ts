import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createVirtualClock } from '@brokerwire/core/testing'
import { openModuleStream, openTradeStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it } from 'vitest'
import {
  createSelfSignedCertificate,
  isSimulatorError,
  readRecording,
  replaySteps,
  startSimulator,
} from './index.ts'
import type { SimulatorOptions } from './options.ts'

describe('startSimulator', () => {
  it('rejects invalid options by name, without their values', async () => {
    const cases: readonly (readonly [string, unknown])[] = [
      ['environment', 'staging'],
      ['region', 'eu'],
      ['appKey', ''],
      ['appSecret', 7],
      ['seed', 1.5],
      ['clock.setTimer', Date],
      ['accounts', []],
      ['accounts[0]', ['']],
      ['httpPort', 70_000],
      ['eventsPort', '80'],
      ['moduleEventsPort', 'other'],
      ['tls.cert', { key: 'only-a-key' }],
      ['control', 'yes'],
      ['profile', 'all'],
      ['nonceFormat', 'uuid'],
      ['hostPort', 'none'],
      ['tokenRefresh', 'on'],
      ['retainedBytes', 0],
      ['openApi', 'openapi.json'],
      ['openApi', { large: 1n }],
      ['metrics', 'up 1'],
      ['secondFactor', 'none'],
      ['secondFactorDelayMs', 0],
      ['rateLimit', 10],
      ['rateLimit.requests', { requests: 0, windowMs: 1 }],
      ['algorithms', []],
      ['algorithms[0]', ['HMAC-MD5']],
      ['maxConnections', 0],
      ['pingIntervalMs', -1],
      ['cursor', 'both'],
      ['unknownCursor', 'guess'],
      ['retainedEvents', 0],
      ['moduleHistory', [{}]],
      ['emitPlaceEvents', 1],
      ['quirks', 'very'],
      ['sodEventType', ''],
      ['scenario', 'nothing'],
      ['scenario', 7],
    ]
    for (const [option, value] of cases) {
      const name = option.split(/[.[]/, 1)[0] ?? ''
      const error: unknown = await startSimulator({ [name]: value } as SimulatorOptions).catch(
        (reason: unknown) => reason,
      )
      expect(isSimulatorError(error, 'SIMULATOR_OPTION_INVALID') && error.details.option).toBe(option)
      expect(String(error)).not.toContain('only-a-key')
    }
  })

  it.each([
    [{ profile: 'official' }, 'received "official"'],
    [{ httpPort: '8080' }, 'received a string'],
    [{ httpPort: 70_000 }, 'received 70000'],
    [{ control: 'yes' }, 'received a string'],
    [{ emitPlaceEvents: 1 }, 'received 1'],
    [{ listen: 'a.example' }, 'received a string'],
    [{ listen: '192.0.2.1', allowInsecure: 'yes' }, 'allowInsecure must be true or false; received a string'],
    // An unknown name is not shown, because it may be a key or a token.
    [{ profile: '0123456789abcdef0123456789abcdef' }, 'received a string'],
    [{ cursor: 'both ends' }, 'received a string'],
    [{ appSecret: 7 }, 'appSecret must be a non-empty string or a Secret; received a number'],
  ])(
    'shows the invalid value of %j if it is a number, a boolean, or a name in place of one of a list',
    async (options, message) => {
      const error: unknown = await startSimulator(options as never).catch((reason) => reason)
      expect(isSimulatorError(error, 'SIMULATOR_OPTION_INVALID') && error.message).toContain(message)
    },
  )

  it('rejects options that cannot work by name, before anything happens', async () => {
    await using sim = await startSimulator()
    const state = sim.placeOrder().state
    const calls: readonly (readonly [() => unknown, string])[] = [
      [() => sim.faults.nextHttp(null as never), 'fault must be an object; received null'],
      [() => sim.faults.nextHttp({ kind: 'respond' } as never), 'fault.status must be a whole number'],
      [
        () => sim.faults.nextHttp({ kind: 'respond', status: 200, body: {} } as never),
        'fault.body must be a string',
      ],
      [
        () => sim.faults.nextHttp({ kind: 'respond', status: 200, headers: { 'a b': '' } }),
        'fault.headers must be',
      ],
      [
        () => sim.faults.nextHttp({ kind: 'respond', status: 200, headers: { a: '\n' } }),
        'fault.headers must be',
      ],
      [
        () => sim.faults.nextHttp({ kind: 'close', processed: 1 } as never),
        'fault.processed must be true or false; received 1',
      ],
      [() => sim.faults.nextHttp({ kind: 'drip' } as never), 'fault.intervalMs must be'],
      [() => sim.emitOrder({ order: {} } as never), 'order.instrument must be an object'],
      [() => sim.emitOrder({ order: { ...state, quantity: -1 } }), 'order.quantity must be a whole number'],
      [
        () => sim.emitOrder({ order: { ...state, accountId: 'absent' } }),
        'accountId must be an account of the app; received "absent"',
      ],
      [
        () => sim.emitModule({ module: 'sod', withPosition: 0 } as never),
        'withPosition must be true or false; received 0',
      ],
      [() => sim.emitModule({ module: 'sod', eventType: '' }), 'eventType must be a non-empty string'],
      [
        () => sim.emitModuleFrame({ eventType: 'A', payload: 1 } as never),
        'payload must be a string; received 1',
      ],
      [() => sim.emitTradeFrame({ payload: '', timestampMs: 0.5 }), 'timestampMs must be a whole number'],
      [
        () => sim.emitTradeFrame({ payload: '', timestampMs: 8_640_000_000_000_001 }),
        'timestampMs must be a whole number from 0 to 8640000000000000; received 8640000000000001',
      ],
      [() => sim.setReachable(0 as never), 'reachable must be true or false; received 0'],
      [
        () => sim.resume({ skipEvents: 'yes' } as never),
        'skipEvents must be true or false; received a string',
      ],
      [() => sim.endStreams({ message: 7 } as never), 'message must be a string; received 7'],
      [() => sim.approveSecondFactor({} as never), 'token must be a non-empty string; received an object'],
      [() => sim.setAccessTokenExpiry('a', Number.NaN), 'expiresAtMs must be a whole number'],
      [() => sim.endClientTokens(5 as never), 'clientUserId must be a non-empty string; received 5'],
    ]
    for (const [call, message] of calls) {
      expect(call).toThrow(expect.objectContaining({ code: 'SIMULATOR_ARGUMENT_INVALID' }))
      expect(call).toThrow(message)
    }
    expect(sim.emitOrder({ order: state, scene: 'FILLED' }).payload).toContain(state.orderId)
  })

  it.each([
    [{ enviroment: 'sandbox' }, 'unknown option "enviroment". Did you mean "environment"?'],
    [{ rateLimit: { request: 1 } }, 'unknown option "rateLimit.request". Did you mean "requests"?'],
    [
      { tls: { key: '', certificate: 'only-a-key' } },
      'unknown option "tls.certificate". Did you mean "cert"?',
    ],
    [{ scenarioInterval: 5 }, 'unknown option "scenarioInterval". Did you mean "scenarioIntervalMs"?'],
  ])('rejects the names in %j, and suggests the nearest one', async (options, message) => {
    const error: unknown = await startSimulator(options as SimulatorOptions).catch((reason) => reason)
    expect(isSimulatorError(error, 'SIMULATOR_OPTION_INVALID') && error.message).toBe(message)
  })

  it('rejects unknown names of arguments', async () => {
    await using sim = await startSimulator()
    const calls: readonly (readonly [() => unknown, string])[] = [
      [() => sim.placeOrder({ symbl: 'AAPL' } as object), 'symbol'],
      [() => sim.emitOrder({ scen: 'FILLED' } as object), 'scene'],
      [() => sim.emitPosition({ acountId: 'A' } as object), 'accountId'],
      [() => sim.emitTradeFrame({ payload: '', contentTyp: '' } as never), 'contentType'],
      [() => sim.emitModule({ module: 'sod', biztype: '' } as never), 'bizType'],
      [() => sim.endAccessTokens({ tokn: '' } as object), 'token'],
      [() => sim.startScenario('lifecycles', { intervalMS: 1 } as object), 'intervalMs'],
      [() => sim.goaway({ http2code: 1 } as object), 'http2Code'],
      [() => sim.resetStreams({ services: 'trade' } as object), 'service'],
      [() => sim.endStreams({ statu: 'unknown' } as object), 'status'],
      [() => sim.dropConnections({ servise: 'trade' } as object), 'service'],
      [() => sim.resume({ skipEvent: true } as object), 'skipEvents'],
      [() => sim.faults.nextHttp({ kind: 'hang' }, { time: 1, cont: 2 } as object), 'count'],
      [() => sim.faults.nextHttp({ kind: 'drip', intervalMS: 2 } as never), 'intervalMs'],
      [() => sim.faults.nextFrame('split', { coun: 2 } as object), 'count'],
      [() => sim.faults.nextSubscription('hang', { servic: 'trade' } as object), 'service'],
    ]
    for (const [call, nearest] of calls) {
      let thrown: unknown
      try {
        call()
      } catch (error) {
        thrown = error
      }
      expect(isSimulatorError(thrown, 'SIMULATOR_ARGUMENT_INVALID') && thrown.message).toMatch(
        new RegExp(`^unknown option ".*"(\\. Did you mean "${nearest}"|.*${nearest})`),
      )
    }
    const end = await sim.startScenario([{ type: 'drop', afterMS: 1 } as never]).done
    expect(end.ok === false && String(end.error)).toContain('Did you mean "afterMs"?')
  })

  it('reads no option from Object.prototype', async () => {
    const names = ['rateLimit', 'tokenCheckEnabled', 'nonceFormat', 'hostPort', 'tokenRefresh']
    for (const name of names) {
      Object.defineProperty(Object.prototype, name, { value: 'polluted', configurable: true })
    }
    try {
      await using sim = await startSimulator({})
      expect(sim.state().environment).toBe('production')
    } finally {
      for (const name of names) Reflect.deleteProperty(Object.prototype, name)
    }
  })

  it('names the option of a port that is in use, and leaves nothing open', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => blocker.once('listening', resolve))
    const address = blocker.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const error: unknown = await startSimulator({ moduleEventsPort: port }).catch((reason: unknown) => reason)
    expect(isSimulatorError(error, 'SIMULATOR_LISTEN_FAILED') && error.details).toEqual({
      option: 'moduleEventsPort',
      port,
      reason: 'EADDRINUSE',
    })
    blocker.close()
  })

  it('binds only the loopback interface', async () => {
    await using sim = await startSimulator()
    for (const url of [sim.baseUrl, sim.eventsUrl, sim.moduleEventsUrl]) {
      expect(new URL(url).hostname).toBe('127.0.0.1')
    }
  })

  it('generates different credentials every time, and hides the secret', async () => {
    await using one = await startSimulator()
    await using other = await startSimulator()
    expect(one.credentials.appSecret.reveal()).toMatch(/^[0-9a-f]{32}$/)
    expect(one.credentials.appSecret.reveal()).not.toBe(other.credentials.appSecret.reveal())
    expect(JSON.stringify([one.credentials, one.state()])).not.toContain(one.credentials.appSecret.reveal())
  })

  it('uses the given credentials', async () => {
    await using sim = await startSimulator({ appKey: 'key', appSecret: 'secret', environment: 'sandbox' })
    const created = await sendSigned(sim, { path: '/auth/tokens/create', json: {} })
    expect(created.json.status).toBe('NORMAL')
  })
})

describe('arguments', () => {
  it('that are invalid are named in the error, and nothing is sent', async () => {
    await using sim = await startSimulator()
    const wrong = 'wrong' as never
    const cases: readonly (readonly [string, () => unknown])[] = [
      ['scene', () => sim.emitOrder({ scene: wrong })],
      ['accountId', () => sim.emitOrder({ accountId: wrong })],
      ['symbol', () => sim.placeOrder({ symbol: 'NONE' })],
      ['side', () => sim.placeOrder({ side: wrong })],
      ['orderType', () => sim.placeOrder({ orderType: wrong })],
      ['quantity', () => sim.placeOrder({ quantity: 0.5 })],
      ['stepQuantity', () => sim.emitOrder({ scene: 'FILLED', stepQuantity: -1 })],
      ['payload', () => sim.emitPosition({ payload: wrong })],
      ['payload', () => sim.emitTradeFrame({ payload: 7 as never })],
      ['eventType', () => sim.emitTradeFrame({ payload: '', eventType: -1 })],
      ['module', () => sim.emitModule({ module: wrong })],
      ['bizType', () => sim.emitModule({ module: 'journal', bizType: 'TRADE' })],
      ['eventType', () => sim.emitModule({})],
      ['count', () => sim.redeliverTradeEvents(0)],
      ['status', () => sim.endAccessTokens({ status: wrong })],
      ['service', () => sim.dropConnections({ service: wrong })],
      ['status', () => sim.endStreams({ status: wrong })],
      ['http2Code', () => sim.resetStreams({ http2Code: -1 })],
      ['kind', () => sim.sendControl(wrong)],
      ['what', () => sim.silence(wrong)],
      ['fault', () => sim.faults.nextFrame(wrong)],
      ['fault', () => sim.faults.nextSubscription(wrong)],
      ['fault.kind', () => sim.faults.nextHttp({ kind: wrong })],
      ['fault.status', () => sim.faults.nextHttp({ kind: 'respond', status: 99 })],
      ['count', () => sim.faults.nextHttp({ kind: 'hang' }, { count: 0 })],
    ]
    for (const [argument, call] of cases) {
      expect(call).toThrow(
        expect.objectContaining({
          code: 'SIMULATOR_ARGUMENT_INVALID',
          details: expect.objectContaining({ argument }),
        }),
      )
    }
    expect(() => sim.startScenario('nothing' as never)).toThrow(
      expect.objectContaining({ code: 'SIMULATOR_OPTION_INVALID' }),
    )
    expect([...sim.tradeEvents(), ...sim.moduleEvents()]).toEqual([])
  })
})

describe('close', () => {
  it('closes at once with open streams, and can be called again', async () => {
    const clock = createVirtualClock()
    const sim = await startSimulator({ clock, scenario: 'lifecycles-forever' })
    const trade = await openTradeStream(sim)
    const module = await openModuleStream(sim, { events: [{ eventType: 'JOURNAL' }] })
    await take(trade, 1)
    await take(module, 1)
    let turns = 0
    const count = (): void => {
      turns += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    await sim.close()
    await sim.close()
    clearImmediate(counting)
    // Far fewer turns than in the 5 s after which Node closes idle connections.
    expect(turns).toBeLessThan(500)
    await expect(trade.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    await expect(module.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    await expect.poll(() => clock.pendingTimers).toBe(0)
    expect(() => sim.emitOrder()).toThrow(expect.objectContaining({ code: 'SIMULATOR_CLOSED' }))
    expect(() => sim.startScenario()).toThrow(expect.objectContaining({ code: 'SIMULATOR_CLOSED' }))
  })

  it('leaves no handle that keeps the process alive', async () => {
    const program = fileURLToPath(new URL('./test/close-and-exit.ts', import.meta.url))
    const args = ['--import', 'tsx', '--conditions=@brokerwire/source', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 55_000 })
    expect(stdout).toBe('closed with a stream open\n')
  })
})

describe('the control server', () => {
  it.each(['state', 'second-factor', 'drop', 'scenario/start', 'scenario/stop'])(
    'has no path on the HTTP port: /_simulator/%s gets 404',
    async (path) => {
      await using sim = await startSimulator({ control: true })
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
      for (const answer of [
        await fetch(`${sim.baseUrl}/_simulator/${path}`),
        await fetch(`${sim.baseUrl}/_simulator/${path}`, init),
      ]) {
        expect(answer.status).toBe(404)
      }
      expect(sim.state()).toMatchObject({ scenarioRunning: false, requests: 2 })
    },
  )
})

describe('an argument of the wrong type', () => {
  it.each([
    ['options', 5],
    ['options', []],
    ['options', null],
    ['symbols', { symbols: ['A', 'A'] }],
    ['accounts', { accounts: ['a', 'a'] }],
    ['apps[1].accounts', { apps: [{}, { accounts: ['a', 'b', 'a'] }] }],
    ['appKey', { appKey: 'é x' }],
    ['appKey', { appKey: 'a\nb' }],
    ['rateLimit', { rateLimit: {} }],
    ['tls', { tls: { key: 'x', cert: 'y' } }],
    ['tls', { tls: { key: createSelfSignedCertificate().key, cert: createSelfSignedCertificate().cert } }],
  ])('is rejected as the option %s: %j', async (option, given) => {
    await expect(startSimulator(given as never)).rejects.toMatchObject({
      code: 'SIMULATOR_OPTION_INVALID',
      details: { option },
    })
  })

  it('is rejected if a method expects an object', async () => {
    await using sim = await startSimulator()
    const recording = readRecording('')
    for (const wrong of [null, 5, 'a', []] as never[]) {
      for (const call of [
        () => sim.placeOrder(wrong),
        () => sim.emitOrder(wrong),
        () => sim.emitPosition(wrong),
        () => sim.emitModule(wrong),
        () => sim.dropConnections(wrong),
        () => replaySteps(wrong),
        () => replaySteps({} as never, {}),
        () => replaySteps(recording, wrong),
      ])
        expect(call).toThrow(expect.objectContaining({ code: 'SIMULATOR_ARGUMENT_INVALID' }))
    }
    expect(sim.tradeEvents()).toEqual([])
    const { done } = sim.startScenario([null] as never)
    const error = { details: { argument: 'step' }, message: 'step must be an object; received null' }
    expect(await done).toMatchObject({ ok: false, error })
  })

  it('does not affect the Date of GET /healthz', async () => {
    await using sim = await startSimulator()
    await sim.advance(15 * 86_400_000)
    const { headers } = await fetch(`${sim.baseUrl}/healthz`)
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - sim.clock.now())).toBeLessThan(86_400_000)
  })
})
