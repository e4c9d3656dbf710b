/** Half-open connections in either direction are detected by HTTP/2 PINGs, without pings of the service. */
import { payloads } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import { envelope } from '@brokerwire/testing/grpc-envelope'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { startHttp2Server } from '@brokerwire/testing/http2-server'
import { type Direction, startTcpProxy, type TcpProxy } from '@brokerwire/testing/tcp-proxy'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { grpcConnections } from './subscription/connection.ts'
import { testContext } from './test/context.ts'
import { tradeFrame } from './test/frames.ts'
import { take } from './test/take.ts'
import { createTradeStream } from './trade-stream.ts'

const SUCCESS = tradeFrame(TradeEventType.SubscribeSuccess)

let server: GrpcServer
let proxy: TcpProxy
beforeEach(async () => {
  server = await startGrpcServer()
  proxy = await startTcpProxy(server.url)
})
afterEach(async () => {
  await proxy.close()
  await server.close()
})

function open(maxItems = 256) {
  const connections = grpcConnections({ keepAlive: { intervalMs: 100, timeoutMs: 100 } })
  return createTradeStream(
    testContext({ buffer: { maxItems, maxBytes: 1 << 20 } }),
    { host: undefined, open: () => connections(proxy.url) },
    'trade',
    { accounts: ['A1'] },
    payloads,
  )
}

describe('a half-open connection', () => {
  test.each<Direction>(['to-client', 'to-server'])('%s is replaced by a new one', async (direction) => {
    const stream = open()
    const first = take(stream, 1)
    ;(await server.call()).send(SUCCESS)
    await first
    const more = take(stream, 3)
    proxy.hold(direction)
    const again = await server.call()
    again.send(SUCCESS)
    expect((await more).map((item) => item.kind)).toEqual(['reconnecting', 'subscribed', 'gap'])
    expect(proxy.connections).toBe(2)
    await stream.return()
  })

  test('is detected when a slow consumer continues', async () => {
    const stream = open(2)
    const first = take(stream, 1)
    const call = await server.call()
    call.send(SUCCESS, ...Array.from({ length: 4 }, (_, n) => tradeFrame(1024, { requestId: `r${n}` })))
    await first
    proxy.hold('to-client')
    await call.closed
    const more = take(stream, 7)
    ;(await server.call()).send(SUCCESS)
    expect((await more).map((item) => item.kind)).toEqual([
      'order',
      'order',
      'order',
      'order',
      'reconnecting',
      'subscribed',
      'gap',
    ])
    await stream.return()
  })
})

test('the interval of PINGs doubles after a GOAWAY with ENHANCE_YOUR_CALM, and the notice has the reason', async () => {
  const calm = await startHttp2Server({
    handler(call) {
      call.write(envelope(SUCCESS))
      call.session.goaway(11, call.stream.id, Buffer.from('too_many_pings'))
    },
  })
  const connections = grpcConnections({ keepAlive: { intervalMs: 100, idleIntervalMs: 300 } })
  const stream = createTradeStream(
    testContext(),
    { host: undefined, open: () => connections(calm.url) },
    'trade',
    { accounts: ['A1'] },
    payloads,
  )
  const messages: unknown[] = []
  while (messages.length < 3) {
    const [item] = await take(stream, 1)
    if (item?.kind === 'reconnecting') messages.push([item.status, item.message])
  }
  await stream.return()
  await calm.close()
  expect(messages).toEqual(
    [1, 2, 3].map((time) => [
      'unavailable',
      `the server ended the connection (GOAWAY with code 11; HTTP/2 PINGs from now on every ${100 * 2 ** time} ms, without data ${300 * 2 ** time} ms: too_many_pings)`,
    ]),
  )
})
