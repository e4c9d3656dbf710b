/** Clients that send too much, too slowly, or without end. Only their own requests fail. */
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { openTradeStream, sendSigned, take, usableToken } from '@brokerwire/testing/signed-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ScenarioStep, type Simulator, startSimulator } from './index.ts'

async function works(sim: Simulator): Promise<void> {
  expect((await sendSigned(sim, { method: 'GET', path: '/openapi/config' })).status).toBe(200)
  const stream = await openTradeStream(sim)
  await take(stream, 1)
  const sent = sim.emitOrder()
  expect((await take(stream, 1)).map(({ payload }) => payload)).toEqual([sent.payload])
  stream.abort.abort()
}

const portOf = (url: string): number => Number(new URL(url).port)
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('connections', () => {
  it('beyond the limit are destroyed, and the simulator accepts new ones after they have closed', async () => {
    await using sim = await startSimulator({ maxConnections: 10 })
    const url = sim.baseUrl
    let broken = 0
    const sockets = await Promise.all(
      Array.from(
        { length: 1100 },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(portOf(url), '127.0.0.1', () => resolve(socket))
            socket.once('close', () => (broken += 1)).on('error', () => resolve(socket))
            // Opens many requests and never completes them.
            socket.write('POST /auth/tokens/create HTTP/1.1\r\nhost: a\r\nx-')
            socket.resume()
          }),
      ),
    )
    await expect.poll(() => broken).toBeGreaterThanOrEqual(100)
    for (const socket of sockets) socket.destroy()
    await sim.waitForIdle()
    await works(sim)
  })
})

describe('one connection', () => {
  it('that opens and resets a thousand streams does not affect others', async () => {
    await using sim = await startSimulator()
    const session = connectHttp2(sim.eventsUrl)
    onTestFinished(() => session.destroy())
    session.on('error', () => undefined)
    for (let count = 0; count < 1000 && !session.destroyed; count += 1) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/grpc.trade.event.EventService/Subscribe',
        'content-type': 'application/grpc',
      })
      stream.on('error', () => undefined)
      stream.close(8)
      if (count % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await works(sim)
    await expect.poll(sim.subscriptions).toEqual([])
  })

  it('with streams whose requests never end does not block others', async () => {
    await using sim = await startSimulator()
    const session = connectHttp2(sim.eventsUrl)
    session.on('error', () => undefined)
    for (let count = 0; count < 300; count += 1) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/grpc.trade.event.EventService/Subscribe',
        'content-type': 'application/grpc',
      })
      stream.on('error', () => undefined)
      stream.write(Buffer.alloc(5))
    }
    await sim.waitForIdle()
    session.destroy()
    await expect
      .poll(() => sendSigned(sim, { method: 'GET', path: '/openapi/config' }).then(({ status }) => status))
      .toBe(200)
    await works(sim)
  })
})

describe('deeply nested JSON', () => {
  const levels = 400_000

  it('gets a response with a reason over HTTP, also from a route that sends it back', async () => {
    await using sim = await startSimulator({ environment: 'sandbox', rateLimit: false })
    const headers = { 'x-access-token': await usableToken(sim) }
    sim.route('POST', '/again', ({ body }) => ({ status: 200, json: { body } }))
    for (const path of ['/auth/tokens/create', '/auth/tokens/check', '/openapi/simulator/echo', '/again']) {
      for (const body of [deep(levels), `{"token":${deep(levels)}}`]) {
        const { status } = await sendSigned(sim, { path, body, headers })
        expect([path, [200, 417].includes(status), status]).toEqual([path, true, status])
      }
    }
    await works(sim)
  })

  it.each([
    ['emit', `{"order":{"payload":{"a":${deep(levels)}}}}`],
    ['emit', `{"module":{"module":"journal","payload":{"a":${deep(levels)}}}}`],
    ['fault', `{"http":{"kind":"respond","status":503,"body":${deep(levels)}}}`],
    ['scenario', `{"start":{"steps":[{"type":"position","payload":{"a":${deep(levels)}}}]}}`],
    [
      'scenario',
      `{"start":{"steps":[{"type":"route","method":"GET","path":"/a","answer":{"status":200,"json":${deep(levels)}}}]}}`,
    ],
    ['approve', `{"app":${deep(levels)}}`],
  ])('is rejected by the control server: %s', async (call, body) => {
    await using sim = await startSimulator({ control: true })
    const response = await fetch(`${sim.controlUrl}/${call}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sim.controlToken.reveal()}`,
        'content-type': 'application/json',
      },
      body,
    })
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { error_code: 'SIMULATOR_ARGUMENT_INVALID' },
    })
    await works(sim)
  })
})

describe('a client of the control server', () => {
  it('cannot add pending faults without bound, in number or in bytes', async () => {
    await using sim = await startSimulator()
    const body = 'x'.repeat(900_000)
    expect(() => {
      for (let count = 0; count < 200; count += 1) sim.faults.nextHttp({ kind: 'respond', status: 503, body })
    }).toThrow('fault must be within ')
    sim.faults.clear()
    expect(() => {
      for (let count = 0; count < 20_000; count += 1) sim.faults.nextFrame('split')
    }).toThrow('fault must be one of at most 10000 pending faults')
    sim.faults.clear()
    await works(sim)
  })

  it('cannot add responses of routes without bound', async () => {
    await using sim = await startSimulator()
    function* steps(): Generator<ScenarioStep> {
      for (let round = 0; ; round += 1)
        yield {
          type: 'route',
          method: 'GET',
          path: `/p${round}`,
          response: { status: 200, text: 'x'.repeat(1_000_000) },
        }
    }
    const run = sim.startScenario(steps())
    await sim.advance(1, { scenarioSteps: 500 })
    expect(await run.done).toMatchObject({ ok: false, error: { code: 'SIMULATOR_ARGUMENT_INVALID' } })
  })
})
