/** Keep-alive on real connections: PINGs, connections without an ACK, and GOAWAY. */
import { readFile } from 'node:fs/promises'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { activeResources, leakedResources } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { codeName, errorOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import { KeepAliveBackoff } from './keep-alive-runner.ts'
import type { KeepAlivePolicy, StreamTransportOptions } from './options.ts'

/** The shortest interval that is allowed. */
const INTERVAL_MS = 100
const QUIET_MS = 400
const KEEP_ALIVE = { intervalMs: INTERVAL_MS, idleIntervalMs: QUIET_MS, timeoutMs: 10_000 }
const head = (call: WireCall): void => call.write(call.headers(GRPC_HEAD), call.data(texts('a')))

let harness: Harness
let transport: StreamTransport | undefined
let before: ReturnType<typeof activeResources>
beforeEach(() => {
  before = activeResources()
  harness = createHarness('ours')
})
afterEach(async () => {
  transport?.close()
  await harness.close()
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
  test('is sent twice at intervalMs while a call gets no data, and then at idleIntervalMs', async () => {
    const server = await harness.wire(head)
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

  test('is not sent at intervalMs while a slow consumer pauses reading', async () => {
    const server = await harness.server()
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
    // On a busy machine, a PING may have been sent before reading was paused. It arrives within this time.
    await new Promise((resolve) => setTimeout(resolve, 2 * INTERVAL_MS))
    pings = 0
    await new Promise((resolve) => setTimeout(resolve, 4 * INTERVAL_MS))
    expect(pings).toBe(0)
    for (const value of ['c', 'd', 'e']) {
      if (value !== 'c') call.send(value)
      expect((await stream.next()).value?.value).toBe(value)
    }
    // After reading has resumed, missing data is due to the server.
    while (pings === 0) await new Promise((resolve) => call.session.once('ping', resolve))
    await stream.return()
  })

  test('is not sent with keepAlive: false', async () => {
    const server = await harness.server((call) => call.send('a'))
    const stream = client(server.url, { keepAlive: false }).serverStream({})
    await stream.next()
    let pings = 0
    for (const session of server.sessions) session.on('ping', () => pings++)
    await new Promise((resolve) => setTimeout(resolve, 3 * INTERVAL_MS))
    expect(pings).toBe(0)
    await stream.return()
  })

  test('is not sent while data is received', async () => {
    const server = await harness.server()
    const stream = client(server.url).serverStream({})
    const call = await server.call()
    let pings = 0
    call.session.on('ping', () => {
      pings++
    })
    // If the machine stops for an interval, a PING is due.
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

  test('is not sent without a call, and the first call after a long time starts with one', async () => {
    const server = await harness.server((call) => {
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
    expect({ pings, connections: server.connections }).toEqual({ pings: 1, connections: 1 })
  })

  test('that is not acknowledged ends the connection with unavailable, and the message states the reason', async () => {
    const server = await harness.wire(head, { ignorePings: true })
    const stream = client(server.url, { keepAlive: { ...KEEP_ALIVE, timeoutMs: INTERVAL_MS } }).serverStream(
      {},
    )
    await stream.next()
    const error = await errorOf(stream)
    expect({ code: codeName(error), message: error.rawMessage }).toEqual({
      code: 'unavailable',
      message: `an HTTP/2 PING was not acknowledged within ${INTERVAL_MS} ms`,
    })
    await server.closed
    transport?.close()
    await harness.close()
    expect(await leakedResources(before)).toEqual([])
  })

  test('ends a connection to a server that accepts and sends nothing', async () => {
    const server = await harness.wire(head, { mute: true })
    const error = await errorOf(
      client(server.url, { keepAlive: { ...KEEP_ALIVE, timeoutMs: INTERVAL_MS } }).unary({}),
    )
    expect({ code: codeName(error), message: error.rawMessage }).toEqual({
      code: 'unavailable',
      message: `an HTTP/2 PING was not acknowledged within ${INTERVAL_MS} ms`,
    })
    await server.closed
  })

  test('that is not acknowledged ends all calls of the connection, and the next call opens another one', async () => {
    const server = await harness.wire(head, { ignorePings: true })
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

describe('a server that received too many PINGs (GOAWAY with ENHANCE_YOUR_CALM)', () => {
  const CALM = 11
  const goaway = (text: string): Buffer =>
    frame(FRAME.goaway, 0, 0, Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, CALM]), Buffer.from(text)]))

  test('gets PINGs half as often on later connections, and the message states the interval', async () => {
    let calls = 0
    let last: WireCall | undefined
    const server = await harness.wire((call) => {
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
      expect({ code: codeName(error), message: error.rawMessage }).toEqual({
        code: 'unavailable',
        message: `the server ended the connection (GOAWAY with code 11; HTTP/2 PINGs from now on every ${intervalMs} ms, without data ${quietMs} ms: too_many_pings)`,
      })
    }
    const startMs = performance.now()
    const stream = echo.serverStream({})
    await stream.next()
    // On a busy machine, the earlier connections sent a PING as well.
    await server.next(FRAME.ping, last?.socket)
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(4 * INTERVAL_MS - 20)
    await stream.return()
  })

  test('increases the interval once for many connections that end together', () => {
    const used: KeepAlivePolicy = { intervalMs: 1000, idleIntervalMs: 5000, timeoutMs: 100 }
    const keepAlive = new KeepAliveBackoff(used)
    for (let connection = 0; connection < 5; connection++) keepAlive.increaseInterval(used)
    expect(keepAlive.policy).toEqual({ intervalMs: 2000, idleIntervalMs: 10_000, timeoutMs: 100 })
    keepAlive.increaseInterval(keepAlive.policy)
    expect(keepAlive.policy).toMatchObject({ intervalMs: 4000 })
  })

  test('causes an error without an interval if PINGs are off', async () => {
    const server = await harness.wire((call) => call.write(goaway('')))
    const error = await errorOf(client(server.url, { keepAlive: false }).unary({}))
    expect(error.rawMessage).toBe('the server ended the connection (GOAWAY with code 11)')
  })
})

test.runIf(process.platform === 'linux')('uses TCP keep-alive, also with PINGs off', async () => {
  const server = await harness.server((call) => call.send('a'))
  const stream = client(server.url, { keepAlive: false }).serverStream({})
  await stream.next()
  const port = server.port.toString(16).toUpperCase().padStart(4, '0')
  // Columns of proc(5): local and remote address, state, queues, the timer (2: keep-alive) and when it fires.
  const sockets = (await readFile('/proc/net/tcp', 'latin1'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const own = sockets.find(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
  const [timer, jiffies = ''] = own?.[5]?.split(':') ?? []
  expect(timer).toBe('02')
  expect(Number.parseInt(jiffies, 16)).toBeLessThanOrEqual(30 * 100)
  await stream.return()
})

test('closes a connection without calls after idleTimeoutMs, and the next call opens another one', async () => {
  const server = await harness.server((call) => {
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
