/** Cancelled streams in any state: the server gets RST_STREAM with CANCEL (8) at once. */
import { getEventListeners } from 'node:events'
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall, TestServer } from '@brokerwire/testing/http2-server'
import type { Interceptor } from '@connectrpc/connect'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { activeResources, leakedResources, until } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness, TRANSPORTS } from '../test/transport/harness.ts'
import { codeName, outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient, type MessageStream, type StreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'

const CANCEL = 8
type Stream = MessageStream<Awaited<ReturnType<StreamClient<typeof Echo>['unary']>>>

let before: ReturnType<typeof activeResources>
let harness: Harness
let server: TestServer
afterEach(() => harness.close())

/** Waits for a PING ACK, after which the client has received everything that the server wrote. */
const delivered = (call: ServerCall) => new Promise((resolve) => call.session.ping(resolve))

/** An interceptor with a generator, which cancellation must not wait for. */
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
      harness = createHarness(name)
      server = await harness.server()
    })

    /** Opens a stream with messages that never ends. */
    async function begun(): Promise<{ stream: Stream; call: ServerCall }> {
      const stream = harness.client(server.url, { interceptors }).serverStream({})
      const call = await server.call()
      call.send('a', 'b', 'c')
      return { stream, call }
    }

    test('is cancelled by await using', async () => {
      const { stream, call } = await begun()
      const first = async () => {
        await using open = stream
        return (await open.next()).value?.value
      }
      expect(await first()).toBe('a')
      expect(await call.closed).toBe(CANCEL)
    })

    test('is cancelled by return(), which may be called twice', async () => {
      const { stream, call } = await begun()
      await stream.next()
      expect(await stream.return()).toEqual({ done: true, value: undefined })
      expect(await stream.return()).toEqual({ done: true, value: undefined })
      expect(await call.closed).toBe(CANCEL)
    })

    test('returns the end to a pending read after return()', async () => {
      const { stream, call } = await begun()
      for (let taken = 0; taken < 3; taken++) await stream.next()
      const pending = stream.next()
      await stream.return()
      expect(await pending).toEqual({ done: true, value: undefined })
      expect(await call.closed).toBe(CANCEL)
    })

    test('is cancelled by return() before the response headers', async () => {
      const stream = harness.client(server.url, { interceptors }).serverStream({})
      const pending = stream.next()
      const call = await server.call()
      await stream.return()
      expect(await pending).toEqual({ done: true, value: undefined })
      expect(await call.closed).toBe(CANCEL)
    })

    test('is cancelled by return() if it was never read', async () => {
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
    harness = createHarness('ours')
    server = await harness.server()
  })

  const open = (options = {}) =>
    harness.client(server.url, options).serverStream({}, { signal: abort.signal })

  /** Expects the error of the abort, CANCEL at the server, and no open resource. */
  async function expectCanceled(next: Promise<unknown>, call?: ServerCall): Promise<void> {
    expect(await next.catch(codeName)).toBe('canceled')
    if (call !== undefined) expect(await call.closed).toBe(CANCEL)
    expect(await until(() => harness.openStreams === 0)).toBe(true)
    await harness.close()
    expect(await leakedResources(before)).toEqual([])
  }

  test('while the connection is opened sends nothing', async () => {
    const next = open().next()
    abort.abort()
    await expectCanceled(next)
  })

  test('right after the call, over an open connection, sends nothing', async () => {
    const client = harness.client(server.url)
    const first = client.serverStream({})
    const call = await server.call()
    const next = client.serverStream({}, { signal: abort.signal }).next().catch(codeName)
    abort.abort()
    expect(await next).toBe('canceled')
    // Everything that the client has sent arrives before its ACK of this PING.
    await delivered(call)
    expect(server.openStreams).toBe(1)
    await first.return()
  })

  test('during the TLS handshake closes the connection', async () => {
    const mute = await harness.wire(() => {}, { mute: true })
    const client = harness.client(mute.url.replace('http:', 'https:'))
    const next = client.serverStream({}, { signal: abort.signal }).next().catch(codeName)
    await mute.connected
    abort.abort()
    await mute.closed
    await expectCanceled(next)
  })

  test('does not affect another call that waits for the same connection', async () => {
    const client = harness.client(server.url)
    const next = client.serverStream({}, { signal: abort.signal }).next()
    const other = client.serverStream({}).next()
    abort.abort()
    expect(await next.catch(codeName)).toBe('canceled')
    const call = await server.call()
    call.send('a')
    expect((await other).value?.value).toBe('a')
    expect(server.connections).toBe(1)
  })

  test('while a message is decompressed ends the call', async () => {
    const stream = open({ readMaxBytes: 1 << 27 })
    const call = await server.call()
    call.respond({ 'grpc-encoding': 'gzip' })
    call.write(envelope(gzipSync(textMessage('x'.repeat(1 << 26))), 1))
    await delivered(call)
    const next = stream.next()
    // A thread of zlib decompresses the message now.
    await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    await expectCanceled(next, call)
  })

  test('while reading is paused discards the received messages', async () => {
    const stream = open()
    const call = await server.call()
    call.write(texts('a', ...Array.from({ length: 4 }, () => 'x'.repeat(1_000_000))))
    expect((await stream.next()).value?.value).toBe('a')
    await delivered(call)
    abort.abort()
    await expectCanceled(stream.next(), call)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('of a call that waits for the stream limit sends nothing', async () => {
    const busy = await harness.server(undefined, { maxConcurrentStreams: 1 })
    const client = harness.client(busy.url)
    const first = client.serverStream({})
    const call = await busy.call()
    call.send('a')
    // The client knows the stream limit now.
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

test('removes its listener from the signal of the caller, after any end of a call', async () => {
  harness = createHarness('ours')
  server = await harness.server((call) => {
    call.send('a')
    if (call.headers['x-end'] !== undefined) call.end({ 'grpc-status': String(call.headers['x-end']) })
  })
  const client = harness.client(server.url)
  const { signal } = new AbortController()
  const end = (code: string) => ({ signal, timeoutMs: 60_000, headers: { 'x-end': code } })
  await client.unary({}, end('0'))
  await client.unary({}, end('5')).catch(codeName)
  for await (const _ of client.serverStream({}, end('0')));
  await client.serverStream({}, { signal }).return()
  for await (const _ of client.serverStream({}, { signal })) break
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('ends all calls and their connection with close()', async () => {
  before = activeResources()
  harness = createHarness('ours')
  server = await harness.server()
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
  await harness.close()
  expect(await leakedResources(before)).toEqual([])
})
