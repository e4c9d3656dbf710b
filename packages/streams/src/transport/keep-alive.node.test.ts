/** PINGs on real connections: when they are sent, what becomes of a connection without an answer, and GOAWAY. */
import { readFile } from 'node:fs/promises'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench } from '../test/transport/bench.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { activeResources, leftOver } from '../test/transport/left-over.ts'
import { codeName, errorOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import type { KeepAlivePolicy, StreamTransportOptions } from './options.ts'
import { PingPace } from './ping-watch.ts'

/** The shortest that is allowed. */
const INTERVAL_MS = 100
const QUIET_MS = 400
const KEEP_ALIVE = { intervalMs: INTERVAL_MS, idleIntervalMs: QUIET_MS, timeoutMs: 10_000 }
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

function client(baseUrl: string, options: Partial<StreamTransportOptions> = {}) {
  transport = createStreamTransport({
    baseUrl,
    keepAlive: KEEP_ALIVE,
    ...options,
  })
  return createStreamClient(Echo, transport)
}

describe('a PING', () => {
  test('is sent twice at the interval while a call is open and quiet, and then at the quiet interval', async () => {
    const server = await bench.wire(head)
    const startMs = performance.now()
    const stream = client(server.url).serverStream({})
    await stream.next()
    for (const leastMs of [INTERVAL_MS, 2 * INTERVAL_MS, 2 * INTERVAL_MS + QUIET_MS]) {
      await server.next(FRAME.ping)
      // Timers may fire late, not early.
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(leastMs - 20)
    }
    await stream.return()
  })

  test('is not sent because a slow consumer holds the reading back: the server has data waiting', async () => {
    const server = await bench.server()
    const stream = client(server.url, {
      readAheadBytes: 1,
      keepAlive: { ...KEEP_ALIVE, idleIntervalMs: 7_200_000 },
    }).serverStream({})
    const call = await server.call()
    let pings = 0
    call.session.on('ping', () => {
      pings++
    })
    call.send('a', 'b', 'c')
    await stream.next()
    await stream.next()
    // On a busy machine a PING may have been sent before the reading was held back. It arrives within this time.
    await new Promise((resolve) => setTimeout(resolve, 2 * INTERVAL_MS))
    pings = 0
    await new Promise((resolve) => setTimeout(resolve, 4 * INTERVAL_MS))
    expect(pings).toBe(0)
    for (const value of ['c', 'd', 'e']) {
      if (value !== 'c') call.send(value)
      expect((await stream.next()).value?.value).toBe(value)
    }
    // Once it is read again, silence is the server's.
    while (pings === 0) await new Promise((resolve) => call.session.once('ping', resolve))
    await stream.return()
  })

  test('is not sent where PINGs are off', async () => {
    const server = await bench.server((call) => call.send('a'))
    const stream = client(server.url, { keepAlive: false }).serverStream({})
    await stream.next()
    let pings = 0
    for (const session of server.sessions) session.on('ping', () => pings++)
    await new Promise((resolve) => setTimeout(resolve, 3 * INTERVAL_MS))
    expect(pings).toBe(0)
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
    const pinged = new Promise<void>((resolve) =>
      session?.on('ping', () => {
        pings++
        resolve()
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 2.5 * INTERVAL_MS))
    expect(pings).toBe(0)
    await echo.unary({})
    await pinged
    expect([pings, server.connections]).toEqual([1, 1])
  })

  test('without an answer ends the connection: unavailable, and the error says why', async () => {
    const server = await bench.wire(head, { ignorePings: true })
    const stream = client(server.url, { keepAlive: { ...KEEP_ALIVE, timeoutMs: INTERVAL_MS } }).serverStream(
      {},
    )
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
    const error = await errorOf(
      client(server.url, { keepAlive: { ...KEEP_ALIVE, timeoutMs: INTERVAL_MS } }).unary({}),
    )
    expect([codeName(error), error.rawMessage]).toEqual([
      'unavailable',
      `no answer to an HTTP/2 PING within ${INTERVAL_MS} ms`,
    ])
    await server.closed
  })

  test('that is lost ends all calls of the connection; the next call opens another', async () => {
    const server = await bench.wire(head, { ignorePings: true })
    const echo = client(server.url, { keepAlive: { ...KEEP_ALIVE, timeoutMs: INTERVAL_MS } })
    const streams = [echo.serverStream({}), echo.serverStream({})]
    await Promise.all(streams.map((stream) => stream.next()))
    const errors = await Promise.all(streams.map((stream) => errorOf(stream)))
    expect(errors.map(codeName)).toEqual(['unavailable', 'unavailable'])
    const again = echo.serverStream({})
    expect((await again.next()).value?.value).toBe('a')
    await again.return()
  })
})

describe('a server that had too many PINGs (GOAWAY with ENHANCE_YOUR_CALM)', () => {
  const CALM = 11
  const goaway = (text: string): Buffer =>
    frame(FRAME.goaway, 0, 0, Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, CALM]), Buffer.from(text)]))

  test('is asked half as often on the connections after it, and the error says why', async () => {
    let calls = 0
    let last: WireCall | undefined
    const server = await bench.wire((call) => {
      last = call
      head(call)
      if (++calls <= 2) call.write(goaway('too_many_pings'))
    })
    const echo = client(server.url)
    for (const [intervalMs, quietMs] of [
      [200, 800],
      [400, 1600],
    ]) {
      const error = await errorOf(echo.serverStream({}))
      expect([codeName(error), error.rawMessage]).toEqual([
        'unavailable',
        `the server ended the connection (GOAWAY with code 11; HTTP/2 PINGs from now on every ${intervalMs} ms, without data ${quietMs} ms: too_many_pings)`,
      ])
    }
    const startMs = performance.now()
    const stream = echo.serverStream({})
    await stream.next()
    // On a busy machine the connections before it sent one, too.
    await server.next(FRAME.ping, last?.socket)
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(4 * INTERVAL_MS - 20)
    await stream.return()
  })

  test('ends many connections at once: they count as one', () => {
    const used: KeepAlivePolicy = { intervalMs: 1000, idleIntervalMs: 5000, timeoutMs: 100 }
    const pace = new PingPace(used)
    for (let connection = 0; connection < 5; connection++) pace.slowDown(used)
    expect(pace.policy).toEqual({ intervalMs: 2000, idleIntervalMs: 10_000, timeoutMs: 100 })
    pace.slowDown(pace.policy)
    expect(pace.policy).toMatchObject({ intervalMs: 4000 })
  })

  test('and PINGs are off: the error says nothing of them', async () => {
    const server = await bench.wire((call) => call.write(goaway('')))
    const error = await errorOf(client(server.url, { keepAlive: false }).unary({}))
    expect(error.rawMessage).toBe('the server ended the connection (GOAWAY with code 11)')
  })
})

test.runIf(process.platform === 'linux')('TCP keep-alive watches besides, also with PINGs off', async () => {
  const server = await bench.server((call) => call.send('a'))
  const stream = client(server.url, { keepAlive: false }).serverStream({})
  await stream.next()
  const port = server.port.toString(16).toUpperCase().padStart(4, '0')
  // Columns of proc(5): local and remote address, state, queues, the timer (2: keep-alive) and when it fires.
  const sockets = (await readFile('/proc/net/tcp', 'latin1'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const own = sockets.find(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
  const [timer, jiffies = ''] = own?.[5]?.split(':') ?? []
  expect([timer, Number.parseInt(jiffies, 16) <= 30 * 100]).toEqual(['02', true])
  await stream.return()
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
