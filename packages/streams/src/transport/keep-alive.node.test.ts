/** PINGs: while a call is open and quiet, never without one; an answer that does not come ends the connection. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench } from '../test/transport/bench.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { texts } from '../test/transport/envelopes.ts'
import { activeResources, leftOver } from '../test/transport/left-over.ts'
import { codeName, errorOf } from '../test/transport/outcome.ts'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '../test/transport/wire-server.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'

/** The shortest that is allowed. */
const INTERVAL_MS = 100
const head = (call: WireCall): void => call.write(call.headers(GRPC_HEAD), call.data(texts('a')))

let bench: Bench
let transport: StreamTransport | undefined
let before: ReturnType<typeof activeResources>
beforeEach(() => {
  before = activeResources()
  bench = createBench('ours')
})
afterEach(async () => {
  transport?.close()
  await bench.close()
})

function client(baseUrl: string, pingTimeoutMs = 10_000) {
  transport = createStreamTransport({ baseUrl, pingIntervalMs: INTERVAL_MS, pingTimeoutMs })
  return createStreamClient(Echo, transport)
}

describe('a PING', () => {
  test('is sent in every interval while a call is open and quiet', async () => {
    const server = await bench.wire(head)
    const stream = client(server.url).serverStream({})
    await stream.next()
    const startMs = performance.now()
    for (let ping = 0; ping < 3; ping++) await server.next(FRAME.ping)
    const tookMs = performance.now() - startMs
    // Timers may fire late, not early.
    expect(tookMs).toBeGreaterThanOrEqual(3 * INTERVAL_MS - 20)
    await stream.return()
  })

  test('is not sent while data comes', async () => {
    const server = await bench.server()
    const stream = client(server.url).serverStream({})
    const call = await server.call()
    let pings = 0
    call.session.on('ping', () => {
      pings++
    })
    // A machine that stops for an interval is as quiet as a server that says nothing: then one is due.
    let dueAtMost = 0
    const startMs = performance.now()
    for (let lastMs = startMs; lastMs < startMs + 3 * INTERVAL_MS; ) {
      call.send('a')
      await stream.next()
      const nowMs = performance.now()
      if (nowMs - lastMs > INTERVAL_MS / 2) dueAtMost++
      lastMs = nowMs
    }
    expect(pings).toBeLessThanOrEqual(dueAtMost)
    await stream.return()
  })

  test('is not sent without a call, and the first call after a long time begins with one', async () => {
    const server = await bench.server((call) => {
      call.send('a')
      call.end()
    })
    const echo = client(server.url)
    await echo.unary({})
    const [session] = server.sessions
    let pings = 0
    session?.on('ping', () => {
      pings++
    })
    await new Promise((resolve) => setTimeout(resolve, 2.5 * INTERVAL_MS))
    expect(pings).toBe(0)
    await echo.unary({})
    expect([pings, server.connections]).toEqual([1, 1])
  })

  test('without an answer ends the connection: unavailable, and the error says why', async () => {
    const server = await bench.wire(head, { ignorePings: true })
    const stream = client(server.url, INTERVAL_MS).serverStream({})
    await stream.next()
    const error = await errorOf(stream)
    expect([codeName(error), error.rawMessage]).toEqual([
      'unavailable',
      `no answer to an HTTP/2 PING within ${INTERVAL_MS} ms`,
    ])
    await server.closed
    transport?.close()
    await bench.close()
    expect(await leftOver(before)).toEqual([])
  })

  test('to a server that accepts and never says a word', async () => {
    const server = await bench.wire(head, { mute: true })
    const error = await errorOf(client(server.url, INTERVAL_MS).unary({}))
    expect([codeName(error), error.rawMessage]).toEqual([
      'unavailable',
      `no answer to an HTTP/2 PING within ${INTERVAL_MS} ms`,
    ])
    await server.closed
  })

  test('that is lost ends all calls of the connection; the next call opens another', async () => {
    const server = await bench.wire(head, { ignorePings: true })
    const echo = client(server.url, INTERVAL_MS)
    const streams = [echo.serverStream({}), echo.serverStream({})]
    await Promise.all(streams.map((stream) => stream.next()))
    const errors = await Promise.all(streams.map((stream) => errorOf(stream)))
    expect(errors.map(codeName)).toEqual(['unavailable', 'unavailable'])
    const again = echo.serverStream({})
    expect((await again.next()).value?.value).toBe('a')
    await again.return()
  })
})

describe("what Node's HTTP/2 gives up without a word is found by the PING", () => {
  test.each<readonly [string, (call: WireCall) => Buffer[]]>([
    ['data before the head', (call) => [call.data(texts('a'))]],
    ['a frame longer than allowed', (call) => [frame(FRAME.data, 0, call.stream, Buffer.alloc(20_000))]],
    [
      'fields that cannot be decoded',
      (call) => [frame(FRAME.headers, 5, call.stream, Buffer.alloc(3, 0xff))],
    ],
    ['DATA on stream 0', () => [frame(FRAME.data, 0, 0, Buffer.alloc(3))]],
    ['SETTINGS of a wrong length', () => [frame(FRAME.settings, 0, 0, Buffer.alloc(5))]],
    ['a CONTINUATION that continues nothing', (call) => [frame(FRAME.continuation, 4, call.stream)]],
  ])('%s', async (_, frames) => {
    const server = await bench.wire((call) => call.write(...frames(call)))
    const error = await errorOf(client(server.url, INTERVAL_MS).serverStream({}))
    expect(['unavailable', 'internal']).toContain(codeName(error))
    await server.closed
  })
})

test('a connection without calls is closed after idleTimeoutMs; the next call opens another', async () => {
  const server = await bench.server((call) => {
    call.send('a')
    call.end()
  })
  transport = createStreamTransport({ baseUrl: server.url, idleTimeoutMs: 50 })
  const echo = createStreamClient(Echo, transport)
  await echo.unary({})
  await new Promise((resolve) => [...server.sessions][0]?.once('close', resolve))
  await echo.unary({})
  expect(server.connections).toBe(2)
})
