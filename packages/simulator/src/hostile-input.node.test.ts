/**
 * Random input for every listener. The simulator responds or closes the connection, and continues to run. No
 * input causes a status 500, and errors of the control server have codes. Cases are random, and a failure
 * prints its seed.
 */
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { openTradeStream, sendSigned, signerOf, take, usableToken } from '@brokerwire/testing/signed-client'
import fc from 'fast-check'
import { afterAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { FRAME_FAULTS, MODULE_NAMES, ORDER_SCENES, SUBSCRIPTION_FAULTS, startSimulator } from './index.ts'

const simulator = await startSimulator({ control: true, environment: 'sandbox', rateLimit: false })
afterAll(() => simulator.close())
const RUNS = { numRuns: inject('isFullRun') ? 150 : 15 }
/** Each test has hundreds of cases, which are slow on a busy machine. */
vi.setConfig({ testTimeout: 120_000 })

/** Checks that the simulator still serves requests. */
async function works(): Promise<void> {
  expect((await sendSigned(simulator, { method: 'GET', path: '/openapi/config' })).status).toBe(200)
  const stream = await openTradeStream(simulator)
  await take(stream, 1)
  const sent = simulator.emitOrder()
  expect((await take(stream, 1)).map(({ payload }) => payload)).toEqual([sent.payload])
  stream.abort.abort()
}

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', ''),
)
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 0, 1e308, 2 ** 53, 0.5, '', '0', 'always', null, true, [], {}),
)

describe('requests over HTTP', () => {
  it('get a response if they are random bytes, or the connection is closed', async () => {
    const line = fc.constantFrom(
      'GET / HTTP/1.1\r\n',
      'POST /auth/tokens/create HTTP/1.1\r\nhost: a\r\n',
      'PRI * HTTP/2.0\r\n\r\n',
      '',
    )
    const port = (url: string): number => Number(new URL(url).port)
    await fc.assert(
      fc.asyncProperty(
        line,
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(simulator.baseUrl, simulator.eventsUrl, String(simulator.controlUrl)),
        async (start, bytes, url) => {
          await new Promise<void>((resolve) => {
            const socket = connect(port(url), '127.0.0.1', () =>
              socket.end(Buffer.concat([Buffer.from(start), bytes])),
            )
            socket
              .resume()
              .once('close', () => resolve())
              .once('error', () => resolve())
          })
        },
      ),
      RUNS,
    )
    await works()
  })

  it('get a response with a reason if they are signed, with any body, path and query', async () => {
    const token = await usableToken(simulator)
    simulator.route('POST', '/own/:part', ({ body }) => ({ status: 200, json: { body } }))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '/auth/tokens/create',
          '/auth/tokens/check',
          '/auth/client-tokens/create',
          '/auth/client-tokens/refresh',
          '/openapi/auth/token/create',
          '/openapi/simulator/echo',
          '/own/part',
          '/nowhere',
        ),
        fc.oneof(
          odd,
          fc.dictionary(fc.constantFrom('token', 'client_user_id', 'refresh_token', '__proto__'), odd),
        ),
        fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 3 }),
        async (path, json, query) => {
          const { status } = await sendSigned(simulator, {
            path,
            json,
            query,
            headers: { 'x-access-token': token },
          })
          expect([200, 401, 404, 417]).toContain(status)
        },
      ),
      RUNS,
    )
    await works()
  })
})

describe('requests over gRPC', () => {
  it('end only their own call, with any message in any envelope', async () => {
    const sessions = [simulator.eventsUrl, simulator.moduleEventsUrl].map((url) => connectHttp2(url))
    onTestFinished(() => {
      for (const session of sessions) session.destroy()
    })
    const paths = [
      '/grpc.trade.event.EventService/Subscribe',
      '/grpc.event.EventService/Subscribe',
      '/',
      '/x/y',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1),
        fc.constantFrom(...paths),
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(255),
        fc.nat(100),
        fc.boolean(),
        async (which, path, message, flag, length, isSigned) => {
          const head = Buffer.alloc(5)
          head.writeUInt8(isSigned ? 0 : flag)
          head.writeUInt32BE(isSigned ? message.length : length, 1)
          const signed = isSigned ? (await signerOf(simulator).signStream(message)).headers : {}
          const stream = sessions[which]?.request({
            ':method': 'POST',
            ':path': path,
            'content-type': 'application/grpc',
            te: 'trailers',
            ...signed,
          })
          if (stream === undefined) throw new Error('no session')
          await new Promise<void>((resolve) => {
            stream.once('close', resolve).once('error', () => resolve())
            // A valid subscription stays open, and its first frame counts as the response.
            stream.once('data', () => stream.close()).resume()
            stream.end(Buffer.concat([head, message]))
          })
        },
      ),
      RUNS,
    )
    await expect.poll(() => simulator.subscriptions().length).toBe(0)
    await works()
  })
})

describe('requests to the control server', () => {
  const valid: Readonly<Record<string, readonly object[]>> = {
    approve: [{ app: 'app-1', token: 'a' }],
    emit: [
      {
        order: {
          scene: 'FILLED',
          symbol: 'AAPL',
          side: 'BUY',
          orderType: 'LIMIT',
          quantity: 5,
          stepQuantity: 1,
          payload: {},
        },
      },
      { order: { scene: ORDER_SCENES[0], order: {} } },
      { position: { accountId: simulator.accounts[0], payload: {} } },
      {
        module: {
          module: MODULE_NAMES[0],
          bizType: 'a',
          eventType: 'b',
          withPosition: true,
          id: 'c',
          payload: {},
        },
      },
      {
        frame: {
          payload: 'x',
          kind: 'order',
          eventType: 1,
          contentType: 'a',
          requestId: 'b',
          timestampMs: 1,
        },
      },
      { moduleFrame: { payload: 'x', eventType: 'a', id: 'b', position: 'c', timestamp: 'd', version: 'e' } },
    ],
    drop: [{ service: 'trade' }],
    fault: [
      { http: { kind: 'respond', status: 503, body: '{}', headers: { a: 'b' } }, path: '/a', count: 1 },
      { http: { kind: 'close', processed: true } },
      { http: { kind: 'drip', intervalMs: 1 } },
      { http: { kind: 'flood', bytes: 2 } },
      { subscription: SUBSCRIPTION_FAULTS[0], service: 'module', count: 'always' },
      { frame: FRAME_FAULTS[0], service: 'trade' },
      { clear: true },
    ],
    advance: [{ ms: 1 }],
    scenario: [
      { start: { steps: [{ type: 'order', order: 'a', scene: 'FILLED' }], repeat: 1 } },
      { stop: true },
    ],
    events: [{ app: 'app-1' }],
  }

  /** A copy of the object in which one value at any depth is replaced, or a field is added. */
  function spoilt(value: object, at: number, by: unknown, added: string): unknown {
    const paths: string[][] = []
    const walk = (inner: unknown, path: string[]): void => {
      paths.push(path)
      if (typeof inner === 'object' && inner !== null)
        for (const [key, item] of Object.entries(inner)) walk(item, [...path, key])
    }
    walk(value, [])
    const copy: { root: unknown } = { root: structuredClone(value) }
    const path = ['root', ...(paths[at % paths.length] ?? [])]
    const last = path.pop() ?? ''
    const holder = path.reduce<unknown>(
      (inner, key) => (inner as Record<string, unknown>)[key],
      copy,
    ) as Record<string, unknown>
    if (added === '') holder[last] = by
    else if (typeof holder[last] === 'object' && holder[last] !== null)
      Object.defineProperty(holder[last], added, { value: by, enumerable: true, configurable: true })
    return copy.root
  }

  it('are rejected by name if they are invalid, and never with status 500', async () => {
    const cases = Object.entries(valid).flatMap(([call, bodies]) =>
      bodies.map((body) => [call, body] as const),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        fc.nat(12),
        odd,
        fc.oneof(fc.constant(''), fc.constant(''), name),
        async ([call, body], at, by, added) => {
          const text = JSON.stringify(spoilt(body, at, by, added))
          const response = await fetch(`${simulator.controlUrl}/${call}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${simulator.controlToken.reveal()}`,
              'content-type': 'application/json',
            },
            body: text,
          })
          const answer = (await response.json()) as { error_code?: string; message?: string }
          simulator.faults.clear()
          if (response.status === 200) return
          expect({ text, status: response.status, error_code: answer.error_code }).toEqual({
            text,
            status: 400,
            error_code: 'SIMULATOR_ARGUMENT_INVALID',
          })
          expect(answer.message).toMatch(/must|expected|unknown option/)
        },
      ),
      { numRuns: inject('isFullRun') ? 600 : 60 },
    )
    simulator.stopScenario()
    await works()
  })
})
