/** Servers that violate HTTP/2, so that nghttp2 ends the session and Node 20 emits no event: the call ends without PINGs. */
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { createSelfSignedCertificate } from '@brokerwire/simulator'
import { texts } from '@brokerwire/testing/grpc-envelope'
import { FRAME, frame, GRPC_HEAD, type WireCall } from '@brokerwire/testing/raw-http2'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { afterAll, describe, expect, test } from 'vitest'
import { activeResources, leakedResources, until } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import { CHECK_INTERVAL_MS } from './ended-session-watch.ts'
import type { StreamTransportOptions } from './options.ts'

const head = (call: WireCall): Buffer[] => [call.headers(GRPC_HEAD), call.data(texts('a'))]

/** Tests run concurrently, because each detection takes more than a second. */
const harnesses: Harness[] = []
const transports: StreamTransport[] = []
const before = activeResources()
afterAll(async () => {
  for (const transport of transports) transport.close()
  await Promise.all(harnesses.map((harness) => harness.close()))
  expect(await leakedResources(before)).toEqual([])
})

function newHarness(): Harness {
  const harness = createHarness('ours')
  harnesses.push(harness)
  return harness
}

function client(baseUrl: string, options: Partial<StreamTransportOptions> = {}) {
  const transport = createStreamTransport({ baseUrl, keepAlive: false, ...options })
  transports.push(transport)
  return createStreamClient(Echo, transport)
}

const HTTP_1 = Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')

describe.concurrent('a call ends after a server that keeps its side open sent', () => {
  test.for<readonly [string, (call: WireCall) => Buffer[], readonly string[]]>([
    ['HTTP/1 after SETTINGS', () => [HTTP_1], ['internal']],
    ['data before the head', (call) => [call.data(texts('a'))], ['internal']],
    [
      'fields that cannot be decoded',
      (call) => [frame(FRAME.headers, 5, call.stream, Buffer.alloc(3, 0xff))],
      ['internal'],
    ],
    [
      'trailers that cannot be decoded',
      (call) => [...head(call), frame(FRAME.headers, 5, call.stream, Buffer.alloc(3, 0xff))],
      ['a', 'internal'],
    ],
    [
      'a frame longer than allowed',
      (call) => [...head(call), frame(FRAME.data, 0, call.stream, Buffer.alloc(20_000))],
      ['a', 'internal'],
    ],
    [
      'DATA on an idle stream',
      (call) => [...head(call), frame(FRAME.data, 0, 99, Buffer.alloc(3))],
      ['a', 'internal'],
    ],
    [
      'DATA on stream 0',
      (call) => [...head(call), frame(FRAME.data, 0, 0, Buffer.alloc(3))],
      ['a', 'internal'],
    ],
    [
      'padding longer than its frame',
      (call) => [...head(call), frame(FRAME.data, 8, call.stream, Buffer.from([200, 1, 2]))],
      ['a', 'internal'],
    ],
    [
      'SETTINGS of a wrong length',
      (call) => [...head(call), frame(FRAME.settings, 0, 0, Buffer.alloc(5))],
      ['a', 'internal'],
    ],
    [
      'a PING of a wrong length',
      (call) => [...head(call), frame(FRAME.ping, 0, 0, Buffer.alloc(7))],
      ['a', 'internal'],
    ],
    [
      'a CONTINUATION that continues nothing',
      (call) => [...head(call), frame(FRAME.continuation, 4, call.stream)],
      ['a', 'internal'],
    ],
    [
      'a frame within a block of fields',
      (call) => [frame(FRAME.headers, 0, call.stream), frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
      ['internal'],
    ],
  ])('%s', async ([, frames, expected], { expect }) => {
    const server = await newHarness().wire((call) => call.write(...frames(call)), { stubborn: true })
    expect(await outcomeOf(client(server.url).serverStream({}))).toEqual(expected)
  })
})

describe.concurrent('an ended session is detected', () => {
  const broken = (call: WireCall): void =>
    call.write(...head(call), frame(FRAME.data, 0, 99, Buffer.alloc(3)))

  test('over TLS', async ({ expect }) => {
    const server = await newHarness().wire(broken, { stubborn: true })
    const certificate = createSelfSignedCertificate()
    const front = createTlsServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
      const behind = connect(server.port, '127.0.0.1')
      socket.pipe(behind).pipe(socket)
      for (const end of [socket, behind]) end.on('error', () => {})
      socket.on('close', () => behind.destroy())
    })
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    const { port } = front.address() as AddressInfo
    const echo = client(`https://127.0.0.1:${port}`, { tls: { ca: certificate.cert } })
    expect(await outcomeOf(echo.serverStream({}))).toEqual(['a', 'internal'])
    await new Promise((resolve) => front.close(resolve))
  })

  test('over a Duplex that is not a socket', async ({ expect }) => {
    const server = await newHarness().wire(broken, { stubborn: true })
    const createConnection = () => Duplex.from(connect(server.port, '127.0.0.1'))
    expect(await outcomeOf(client(server.url, { createConnection }).serverStream({}))).toEqual([
      'a',
      'internal',
    ])
  })

  test('for all its calls, including one that waits to be sent', async ({ expect }) => {
    const server = await newHarness().wire(broken, { stubborn: true })
    const echo = client(server.url)
    const waiting = outcomeOf(
      echo.bidi(
        (async function* () {
          for (;;) yield { value: 'x'.repeat(60_000) }
        })(),
      ),
    )
    expect(await outcomeOf(echo.serverStream({}))).toEqual(['a', 'internal'])
    expect(await waiting).toEqual(['internal'])
  })

  test('on a connection without calls: the next call uses another connection', async ({ expect }) => {
    let calls = 0
    const server = await newHarness().wire(
      (call) => {
        calls++
        const over = [...head(call), call.headers({ 'grpc-status': '0' }, true)]
        call.write(...over, ...(calls === 1 ? [frame(FRAME.data, 0, 99, Buffer.alloc(3))] : []))
      },
      { stubborn: true },
    )
    const sockets: Socket[] = []
    const createConnection = () => {
      const socket = connect(server.port, '127.0.0.1')
      sockets.push(socket)
      return socket
    }
    const echo = client(server.url, { createConnection })
    expect(await outcomeOf(echo.serverStream({}))).toEqual(['a', 'ok'])
    expect(await outcomeOf(echo.serverStream({}))).toEqual(['a', 'ok'])
    expect({ calls, connections: sockets.length }).toEqual({ calls: 2, connections: 2 })
    expect(await until(() => sockets[0]?.destroyed === true)).toBe(true)
  })
})

describe.concurrent('a live session continues', () => {
  test('without a response: it gets one probe', async ({ expect }) => {
    // The listener is added while the request is received. Later, the probe may already have arrived on a busy machine.
    const server = await newHarness().server((call) => {
      call.session.once('remoteSettings', () => {
        call.send('a')
        call.end()
      })
    })
    expect(await outcomeOf(client(server.url).serverStream({}))).toEqual(['a', 'ok'])
  })

  test('while the server stops reading: the request waits and arrives later', async ({ expect }) => {
    const server = await newHarness().server()
    const proxy = await startTcpProxy(server.url)
    const length = 20_000_000
    const options = { writeMaxBytes: 2 * length }
    const answered = client(proxy.url, options).unary({ value: 'x'.repeat(length) })
    const call = await server.call()
    proxy.hold('to-server')
    call.session.setLocalWindowSize(2 * length)
    call.session.settings({ initialWindowSize: 2 * length })
    // Longer than a detection takes.
    for (let checks = 0; checks < 4; checks++)
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS))
    proxy.release()
    expect((await call.body).length).toBeGreaterThan(length)
    call.send('a')
    call.end()
    expect((await answered).value).toBe('a')
    await proxy.close()
  })
})
