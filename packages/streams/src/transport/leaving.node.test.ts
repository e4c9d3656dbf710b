/** However a stream is left, and wherever it stands then: the server sees CANCEL (8) at once. */
import { getEventListeners } from 'node:events'
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall, TestServer } from '@brokerwire/testing/http2-server'
import type { Interceptor } from '@connectrpc/connect'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, createBench, TRANSPORTS } from '../test/transport/bench.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { activeResources, leftOver, until } from '../test/transport/left-over.ts'
import { codeName, outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient, type MessageStream, type StreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'

const CANCEL = 8
type Stream = MessageStream<Awaited<ReturnType<StreamClient<typeof Echo>['unary']>>>

let before: ReturnType<typeof activeResources>
let bench: Bench
let server: TestServer
afterEach(() => bench.close())

/** Whatever the server wrote is with the client by the time that it answers a PING. */
const delivered = (call: ServerCall) => new Promise((resolve) => call.session.ping(resolve))

/** Takes every message through a generator of its own, which leaving must not wait for. */
const wrapping: Interceptor = (next) => async (request) => {
  const response = await next(request)
  if (!response.stream) return response
  const { message } = response
  const all = (async function* () {
    yield* message
  })()
  return { ...response, message: all }
}

describe.each(
  TRANSPORTS.flatMap((name) => [
    { name, interceptors: [] },
    { name, interceptors: [wrapping] },
  ]),
)(
  'a stream of createStreamClient over $name, $interceptors.length interceptors',
  ({ name, interceptors }) => {
    beforeEach(async () => {
      bench = createBench(name)
      server = await bench.server()
    })

    /** A stream that has messages to give, and never ends by itself. */
    async function begun(): Promise<{ stream: Stream; call: ServerCall }> {
      const stream = bench.client(server.url, { interceptors }).serverStream({})
      const call = await server.call()
      call.send('a', 'b', 'c')
      return { stream, call }
    }

    test('await using', async () => {
      const { stream, call } = await begun()
      const first = async () => {
        await using open = stream
        return (await open.next()).value?.value
      }
      expect(await first()).toBe('a')
      expect(await call.closed).toBe(CANCEL)
    })

    test('return(), twice', async () => {
      const { stream, call } = await begun()
      await stream.next()
      expect(await stream.return()).toEqual({ done: true, value: undefined })
      expect(await stream.return()).toEqual({ done: true, value: undefined })
      expect(await call.closed).toBe(CANCEL)
    })

    test('return() while a message is awaited: that is at an end', async () => {
      const { stream, call } = await begun()
      for (let taken = 0; taken < 3; taken++) await stream.next()
      const pending = stream.next()
      await stream.return()
      expect(await pending).toEqual({ done: true, value: undefined })
      expect(await call.closed).toBe(CANCEL)
    })

    test('return() before the head of the response', async () => {
      const stream = bench.client(server.url, { interceptors }).serverStream({})
      const pending = stream.next()
      const call = await server.call()
      await stream.return()
      expect(await pending).toEqual({ done: true, value: undefined })
      expect(await call.closed).toBe(CANCEL)
    })

    test('a stream that is never looked at is left by return() too', async () => {
      const { stream, call } = await begun()
      await delivered(call)
      await stream.return()
      expect(await call.closed).toBe(CANCEL)
    })
  },
)

describe('an abort', () => {
  let abort: AbortController
  beforeEach(async () => {
    before = activeResources()
    abort = new AbortController()
    bench = createBench('ours')
    server = await bench.server()
  })

  const open = (options = {}) => bench.client(server.url, options).serverStream({}, { signal: abort.signal })

  /** The stream fails with the abort's error, the server sees CANCEL, nothing is left. */
  async function expectCanceled(next: Promise<unknown>, call?: ServerCall): Promise<void> {
    expect(await next.catch(codeName)).toBe('canceled')
    if (call !== undefined) expect(await call.closed).toBe(CANCEL)
    expect(await until(() => bench.openStreams === 0)).toBe(true)
    await bench.close()
    expect(await leftOver(before)).toEqual([])
  }

  test('while it connects: nothing is sent', async () => {
    const next = open().next()
    abort.abort()
    await expectCanceled(next)
  })

  test('at once, over a connection that is open: nothing is sent', async () => {
    const client = bench.client(server.url)
    const first = client.serverStream({})
    const call = await server.call()
    const next = client.serverStream({}, { signal: abort.signal }).next().catch(codeName)
    abort.abort()
    expect(await next).toBe('canceled')
    // Whatever the client would have sent by now comes before its answer to this.
    await delivered(call)
    expect(server.openStreams).toBe(1)
    await first.return()
  })

  test('while TLS is laid: the connection is closed', async () => {
    const mute = await bench.wire(() => {}, { mute: true })
    const client = bench.client(mute.url.replace('http:', 'https:'))
    const next = client.serverStream({}, { signal: abort.signal }).next().catch(codeName)
    await mute.connected
    abort.abort()
    await mute.closed
    await expectCanceled(next)
  })

  test('while another call waits for the same connection: that one goes on', async () => {
    const client = bench.client(server.url)
    const next = client.serverStream({}, { signal: abort.signal }).next()
    const other = client.serverStream({}).next()
    abort.abort()
    expect(await next.catch(codeName)).toBe('canceled')
    const call = await server.call()
    call.send('a')
    expect((await other).value?.value).toBe('a')
    expect(server.connections).toBe(1)
  })

  test('while a message is decompressed', async () => {
    const stream = open({ readMaxBytes: 1 << 27 })
    const call = await server.call()
    call.respond({ 'grpc-encoding': 'gzip' })
    call.write(envelope(gzipSync(textMessage('x'.repeat(1 << 26))), 1))
    await delivered(call)
    const next = stream.next()
    // The work is with zlib's thread now.
    await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    await expectCanceled(next, call)
  })

  test('while reading is paused: what waits is dropped', async () => {
    const stream = open()
    const call = await server.call()
    call.write(texts('a', ...Array.from({ length: 4 }, () => 'x'.repeat(1_000_000))))
    expect((await stream.next()).value?.value).toBe('a')
    await delivered(call)
    abort.abort()
    await expectCanceled(stream.next(), call)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('while it waits for its turn on the connection: the server never hears of the call', async () => {
    const busy = await bench.server(undefined, { maxConcurrentStreams: 1 })
    const client = bench.client(busy.url)
    const first = client.serverStream({})
    const call = await busy.call()
    call.send('a')
    // The limit is known by now.
    await first.next()
    const next = client.serverStream({}, { signal: abort.signal }).next().catch(codeName)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    expect(await next).toBe('canceled')
    call.end()
    expect(await outcomeOf(first)).toEqual(['ok'])
    const last = outcomeOf(client.serverStream({ value: 'last' }))
    const served = await busy.call()
    expect((await served.body).toString('utf8', 7)).toBe('last')
    served.end()
    expect(await last).toEqual(['ok'])
  })
})

test('however a call ends, it lets go of the signal of its caller', async () => {
  bench = createBench('ours')
  server = await bench.server((call) => {
    call.send('a')
    if (call.headers['x-end'] !== undefined) call.end({ 'grpc-status': String(call.headers['x-end']) })
  })
  const client = bench.client(server.url)
  const { signal } = new AbortController()
  const end = (code: string) => ({ signal, timeoutMs: 60_000, headers: { 'x-end': code } })
  await client.unary({}, end('0'))
  await client.unary({}, end('5')).catch(codeName)
  for await (const _ of client.serverStream({}, end('0')));
  await client.serverStream({}, { signal }).return()
  for await (const _ of client.serverStream({}, { signal })) break
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('closing the transport ends all its calls, and their connection', async () => {
  before = activeResources()
  bench = createBench('ours')
  server = await bench.server()
  const transport = createStreamTransport({ baseUrl: server.url })
  const client = createStreamClient(Echo, transport)
  const streams = [client.serverStream({}), client.serverStream({})]
  const calls = [await server.call(), await server.call()]
  calls[0]?.send('a')
  await streams[0]?.next()
  const outcomes = Promise.all(streams.map(outcomeOf))
  transport.close()
  transport.close()
  expect(await outcomes).toEqual([['canceled'], ['canceled']])
  expect(await Promise.all(calls.map(({ closed }) => closed))).toEqual([CANCEL, CANCEL])
  expect(await until(() => server.sessions.size === 0)).toBe(true)
  expect(codeName(await client.unary({}).catch((error: unknown) => error))).toBe('canceled')
  await bench.close()
  expect(await leftOver(before)).toEqual([])
})
