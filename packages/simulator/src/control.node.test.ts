import asyncApi from '@brokerwire/protos/asyncapi.json' with { type: 'json' }
import { openTradeStream, sendSigned, take } from '@brokerwire/testing/signed-client'
import { describe, expect, it, test } from 'vitest'
import { connectControl, type SimulatorControl, type SimulatorOptions, startSimulator } from './index.ts'

async function started(options: SimulatorOptions = {}) {
  const sim = await startSimulator({ control: true, ...options })
  const control = connectControl({ url: String(sim.controlUrl), token: sim.controlToken })
  return { sim, control }
}

describe('a running simulator', () => {
  it('is controlled from another process: approve, emit, drop, fault, advance, scenario, state', async () => {
    const { sim, control } = await started({ apps: [{}, { name: 'hk', region: 'hk' }] })
    await using _ = sim
    await sendSigned(sim, { path: '/auth/tokens/create', json: {} })
    expect([await control.approve({ app: 'hk' }), await control.approve()]).toEqual([0, 1])
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    const event = await control.emit({ order: { scene: 'FINAL_FILLED' } })
    expect((await take(stream, 1))[0]?.payload).toBe(event.payload)
    await control.emit({ app: 'hk', module: { module: 'journal' } })
    expect(sim.app('hk').moduleEvents()).toHaveLength(1)
    expect([await control.tradeEvents(), await control.moduleEvents('hk')]).toEqual([
      [event],
      sim.app('hk').moduleEvents(),
    ])
    expect(await control.drop({ service: 'trade' })).toBe(1)
    await expect(stream.messages.next()).rejects.toMatchObject({ name: 'ConnectError' })
    await control.fault({ http: { kind: 'respond', status: 503 }, path: '/openapi/config', count: 'always' })
    const ask = async () => (await sendSigned(sim, { method: 'GET', path: '/openapi/config' })).status
    expect(await ask()).toBe(503)
    await control.fault({ clear: true })
    expect(await ask()).toBe(200)
    const before = sim.clock.now()
    expect((await control.advance(3_600_000)).now - before).toBeGreaterThanOrEqual(3_600_000)
    await control.startScenario('lifecycles-forever', { intervalMs: 1000 })
    expect(await control.state()).toMatchObject({
      accessTokens: { NORMAL: 1 },
      scenarioRunning: true,
      apps: [{}, {}],
    })
    await control.stopScenario()
    await control.startScenario({ steps: [{ type: 'position' }] })
    expect((await control.requests()).map(({ path }) => path)).toContain('/openapi/config')
    expect(JSON.stringify(await control.state())).not.toContain(sim.credentials.appSecret.reveal())
  })

  it.each<[string, (control: SimulatorControl) => Promise<unknown>, string]>([
    [
      'approve',
      (control) => control.approve({ app: 'absent' }),
      'one of \'app-1\', or an app key; received "absent"',
    ],
    ['approve', (control) => control.approve({ tokn: 'a' } as never), 'Did you mean "token"?'],
    ['emit', (control) => control.emit({} as never), 'exactly one of order, position, module, frame'],
    ['emit', (control) => control.emit({ order: { symbol: 'APPL' } }), 'received "APPL"'],
    ['drop', (control) => control.drop({ service: 'trades' as never }), 'received "trades"'],
    [
      'fault',
      (control) => control.fault({ http: { kind: 'hang', a: 1 } as never }),
      'unknown option "fault.a"',
    ],
    ['fault', (control) => control.fault({ frame: 'split', path: '/' } as never), 'unknown option "path"'],
    ['advance', (control) => control.advance(-1), 'ms must be whole milliseconds from 0 to'],
    [
      'advance',
      (control) => control.advance(1, { scenarioSteps: -1 }),
      'scenarioSteps must be a whole number from 0 to 1000000; received -1',
    ],
    ['scenario', (control) => control.startScenario('lifecycle' as never), 'received "lifecycle"'],
    ['scenario', (control) => control.startScenario({ steps: [{ type: 'x' }] } as never), 'steps[0].type'],
  ])('rejects invalid calls by name: %s', async (call, wrong, message) => {
    const { sim, control } = await started()
    await using _ = sim
    const refused = expect(wrong(control)).rejects
    await refused.toMatchObject({ code: 'SIMULATOR_CONTROL_FAILED', details: { call, status: 400 } })
    await expect(wrong(control)).rejects.toThrow(message)
  })

  it('responds only to requests with the token, and never to a web page', async () => {
    const { sim } = await started()
    await using _ = sim
    const url = String(sim.controlUrl)
    const ask = async (path: string, headers: Record<string, string>, body?: string) => {
      const method = body === undefined ? 'GET' : 'POST'
      const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
      return [response.status, ((await response.json()) as { error_code: string }).error_code]
    }
    const authorization = `Bearer ${sim.controlToken.reveal()}`
    const json = { 'content-type': 'application/json' }
    expect(await ask('/state', {})).toEqual([401, 'UNAUTHORIZED'])
    expect(await ask('/state', { authorization: 'Bearer another' })).toEqual([401, 'UNAUTHORIZED'])
    expect(await ask('/drop', { authorization }, '{}')).toEqual([403, 'CONTROL_REJECTED'])
    expect(await ask('/drop', { authorization, ...json, origin: 'https://a.example' }, '{}')).toEqual([
      403,
      'CONTROL_REJECTED',
    ])
    for (const body of ['[]', '{bad', '5'])
      expect(await ask('/drop', { authorization, ...json }, body)).toEqual([
        400,
        'SIMULATOR_ARGUMENT_INVALID',
      ])
    // RFC 9110, section 11.1: the name of an authentication scheme is case-insensitive.
    for (const scheme of ['bearer', 'BEARER']) {
      const lower = authorization.replace('Bearer', scheme)
      expect(await ask('/drop', { authorization: lower, ...json }, '{}')).toEqual([200, undefined])
    }
    const said = await fetch(`${url}/drop`, {
      method: 'POST',
      headers: { authorization, ...json },
      body: '{bad',
    })
    expect(await said.json()).toMatchObject({
      message: 'body must be a JSON object; received something else',
    })
    const put = await fetch(`${url}/drop`, { method: 'PUT', headers: { authorization } })
    expect({ status: put.status, body: await put.json() }).toEqual({
      status: 405,
      body: expect.objectContaining({ message: 'the method must be GET or POST' }),
    })
    expect(await ask('/emit', { authorization, ...json }, `"${'x'.repeat(2_000_000)}"`)).toEqual([
      413,
      'INVALID_PARAMETER',
    ])
    expect(await ask('/second-factor', { authorization, ...json }, '{}')).toEqual([404, 'NOT_FOUND'])
    const wrong = connectControl({ url, token: 'wrong' })
    await expect(wrong.state()).rejects.toMatchObject({ details: { status: 401 } })
  })

  it('has no control server by default, and the error of a client names the unreachable address', async () => {
    const { sim, control } = await started()
    await sim.close()
    await expect(control.state()).rejects.toMatchObject({
      code: 'SIMULATOR_CONTROL_FAILED',
      retryable: true,
      details: { status: 0 },
    })
    // fetch rejects a blocked port with an error that has no code. In an earlier version the message ended
    // with (undefined).
    const blocked = connectControl({ url: 'http://127.0.0.1:1', token: 'a' })
    await expect(blocked.state()).rejects.toThrow(
      /no response from a simulator at http:..127.0.0.1:1 .(bad port|ECONN)/,
    )
    await using plain = await startSimulator()
    expect(plain.controlUrl).toBeUndefined()
    expect(() => connectControl({ url: 'http://192.0.2.1:1', token: 'a' })).toThrow('url must be')
    expect(() => connectControl({ url: 'http://127.0.0.1:1', token: '' })).toThrow('token must be')
  })
})

describe('the address of the listeners', () => {
  it('is the loopback interface, unless TLS or clear text is requested; control always stays there', async () => {
    await expect(startSimulator({ listen: '0.0.0.0' })).rejects.toThrow(
      'listen must be a loopback address, unless tls or allowInsecure: true is set',
    )
    for (const listen of ['localhost', '', 7 as never]) {
      await expect(startSimulator({ listen })).rejects.toMatchObject({ details: { option: 'listen' } })
    }
    await using sim = await startSimulator({ listen: '0.0.0.0', allowInsecure: true, control: true })
    expect((await fetch(`${sim.baseUrl}/healthz`)).status).toBe(200)
    expect(new URL(String(sim.controlUrl)).hostname).toBe('127.0.0.1')
    await using alias = await startSimulator({ listen: '127.0.0.2' })
    expect(alias.baseUrl).toContain('127.0.0.2')
    expect((await sendSigned(alias, { method: 'GET', path: '/openapi/config' })).status).toBe(200)
  })
})

describe('the metrics', () => {
  it('are served without a signature, and with 500 if they fail', async () => {
    let metrics = () => 'up 1\n'
    await using sim = await startSimulator({ metrics: () => metrics() })
    const response = await fetch(`${sim.baseUrl}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toBe('up 1\n')
    metrics = () => {
      throw new Error('no metrics')
    }
    expect((await fetch(`${sim.baseUrl}/metrics`)).status).toBe(500)
    expect(sim.requests()).toEqual([])
  })

  it('are not found without the option', async () => {
    await using sim = await startSimulator()
    expect((await fetch(`${sim.baseUrl}/metrics`)).status).toBe(404)
  })
})

describe('the OpenAPI document', () => {
  it('is served without a signature, and is no request of the log', async () => {
    const openApi = { openapi: '3.1.0', paths: {} }
    await using sim = await startSimulator({ openApi })
    const response = await fetch(`${sim.baseUrl}/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(openApi)
    expect(sim.requests()).toEqual([])
  })

  it('is not found without the option', async () => {
    await using sim = await startSimulator()
    expect((await fetch(`${sim.baseUrl}/openapi.json`)).status).toBe(404)
  })
})

test('the AsyncAPI document of @brokerwire/protos is served without a signature, and is no request of the log', async () => {
  await using sim = await startSimulator()
  const response = await fetch(`${sim.baseUrl}/asyncapi.json`)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual(asyncApi)
  expect(sim.requests()).toEqual([])
})

describe('shutdown()', () => {
  it('is reported by /healthz, completes responses, closes streams cleanly and accepts no new connection', async () => {
    const sim = await startSimulator()
    const stream = await openTradeStream(sim)
    await take(stream, 1)
    let answer: (text: string) => void = () => undefined
    sim.route(
      'GET',
      '/slow',
      () => new Promise((resolve) => (answer = (text) => resolve({ status: 200, text }))),
      {
        token: 'none',
      },
    )
    const slow = sendSigned(sim, { method: 'GET', path: '/slow' })
    sim.emitOrder()
    await sim.waitForIdle()
    const shutdown = sim.shutdown()
    expect((await take(stream, 2)).map(({ eventType }) => eventType)).toEqual([1024])
    await expect(fetch(`${sim.baseUrl}/healthz`)).rejects.toThrow()
    answer('still')
    expect((await slow).text).toBe('still')
    await shutdown
    expect(() => sim.emitOrder()).toThrow(expect.objectContaining({ code: 'SIMULATOR_CLOSED' }))
  })

  it('closes after its timeout', async () => {
    const sim = await startSimulator()
    sim.faults.nextHttp({ kind: 'hang' })
    const hanging = fetch(`${sim.baseUrl}/openapi/config`).catch(() => 'broken')
    await sim.waitForIdle()
    await sim.shutdown({ timeoutMs: 20 })
    expect(await hanging).toBe('broken')
    await expect(sim.shutdown({ timeoutMs: -1 })).rejects.toMatchObject({
      details: { argument: 'timeoutMs' },
    })
  })
})

it.each([0, 1.5, 2 ** 31])(
  'timeoutMs of %d is rejected: such a timer used to end every call at once',
  (timeoutMs) => {
    expect(() => connectControl({ url: 'http://127.0.0.1:1', token: 'token', timeoutMs })).toThrow(
      /^timeoutMs must be /,
    )
  },
)
