/** Delivery after a lost connection, and backpressure of a slow consumer. */
import { gzipSync } from 'node:zlib'
import { envelope, textMessage, texts } from '@brokerwire/testing/grpc-envelope'
import type { ServerCall, TestServer } from '@brokerwire/testing/http2-server'
import { GRPC_HEAD } from '@brokerwire/testing/raw-http2'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { codeName, outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import type { StreamTransportOptions } from './options.ts'

let harness: Harness
let server: TestServer
let transport: StreamTransport | undefined
beforeEach(async () => {
  harness = createHarness('ours')
  server = await harness.server()
})
afterEach(async () => {
  transport?.close()
  await harness.close()
})

function client(options: Partial<StreamTransportOptions> = {}, url = server.url) {
  transport = createStreamTransport({ baseUrl: url, ...options })
  return createStreamClient(Echo, transport)
}

/** Waits for a PING ACK, after which the client has received everything that the server wrote. */
const delivered = (call: ServerCall) => new Promise((resolve) => call.session.ping(resolve))

/** The names of messages that are too long to print. */
const names = (count: number) => Array.from({ length: count }, (_, index) => String(index))
const long = (name: string) => `${name} ${'x'.repeat(10_000)}`
const nameOf = (text: string) => text.split(' ')[0]

const COUNT = 60
/** Much less than the server sends, so reading is paused and the rest waits in Node's buffers. */
const SLOW = { readAheadBytes: 20_000 }

describe('a slow consumer gets each complete message that was received before', () => {
  /** Opens a stream, receives the messages, ends the call, and only then reads. */
  async function lose(end: (call: ServerCall) => Promise<unknown> | unknown): Promise<unknown> {
    const stream = client(SLOW).serverStream({})
    const call = await server.call()
    call.send('first')
    const first = await stream.next()
    call.write(texts(...names(COUNT).map(long)))
    call.write(texts('broken off').subarray(0, 9))
    await delivered(call)
    await end(call)
    const outcome = await outcomeOf(stream)
    expect(first.value?.value).toBe('first')
    expect(outcome.slice(0, -1).map(nameOf)).toEqual(names(COUNT))
    return outcome.at(-1)
  }

  test('the connection was lost', async () => {
    expect(await lose(({ session }) => session.destroy())).toBe('unavailable')
  })

  test('the connection was lost, long before the next read', async () => {
    const outcome = lose(async ({ session, closed }) => {
      session.destroy()
      await closed
      // Waits until all events of the lost connection were emitted.
      await until(() => server.sessions.size === 0)
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    })
    expect(await outcome).toBe('unavailable')
  })

  test('a GOAWAY with an error code', async () => {
    expect(await lose(({ session }) => session.goaway(2))).toBe('unavailable')
  })

  test.each([
    [2, 'internal'],
    [7, 'unavailable'],
    [8, 'canceled'],
  ])('an RST_STREAM with code %i', async (code, expected) => {
    const outcome = lose(({ stream, closed }) => {
      stream.close(code)
      return closed
    })
    expect(await outcome).toBe(expected)
  })

  test('an error status in the trailers', async () => {
    const outcome = lose(async (call) => {
      call.end({ 'grpc-status': '14' })
    })
    expect(await outcome).toBe('unavailable')
  })

  test('a PING was not acknowledged', async () => {
    const silentServer = await harness.wire(
      (call) => call.write(call.headers(GRPC_HEAD), call.data(texts(...names(5)))),
      { ignorePings: true },
    )
    const options = { keepAlive: { intervalMs: 100, idleIntervalMs: 100, timeoutMs: 100 }, readAheadBytes: 1 }
    const stream = client(options, silentServer.url).serverStream({})
    await silentServer.closed
    expect(await outcomeOf(stream)).toEqual([...names(5), 'unavailable'])
  })

  test('the connection was lost, if messages are compressed', async () => {
    const stream = client(SLOW).serverStream({})
    const call = await server.call()
    call.respond({ 'grpc-encoding': 'gzip' })
    call.write(Buffer.concat(names(COUNT).map((name) => envelope(gzipSync(textMessage(long(name))), 1))))
    await delivered(call)
    call.session.destroy()
    const outcome = await outcomeOf(stream)
    expect(outcome.map(nameOf)).toEqual([...names(COUNT), 'unavailable'])
  })
})

/** Writes messages as long as flow control allows. */
function flood(call: ServerCall, count: number): { readonly sent: number } {
  const state = { sent: 0 }
  const bytes = texts(long('m'))
  call.respond()
  const next = (): void => {
    if (state.sent === count * bytes.length) {
      call.end()
      return
    }
    call.stream.write(bytes, (error) => {
      if (error) return
      state.sent += bytes.length
      next()
    })
  }
  next()
  return state
}

/** Waits until flow control stops the server. */
async function stalled(call: ServerCall, state: { readonly sent: number }): Promise<number> {
  for (;;) {
    const { sent } = state
    for (let round = 0; round < 5; round++) await delivered(call)
    if (sent > 0 && state.sent === sent) return sent
  }
}

describe('a consumer that does not read', () => {
  const MIB = 1 << 20

  test.each([
    ['by default', {}, 4 * MIB],
    ['with the smallest windows', { streamWindowBytes: 65_535, readAheadBytes: 1 }, 1 * MIB],
  ])('stops the server, %s, and gets everything when it reads', async (_, options, bound) => {
    const stream = client(options).serverStream({})
    const call = await server.call()
    const count = 2000
    const state = flood(call, count)
    const sent = await stalled(call, state)
    expect(sent).toBeLessThan(bound)
    expect(count * texts(long('m')).length).toBeGreaterThan(4 * bound)
    const outcome = await outcomeOf(stream)
    expect(outcome).toHaveLength(count + 1)
    expect(outcome.at(-1)).toBe('ok')
  })

  test.each([
    ['by default', {}],
    ['with the smallest windows', { streamWindowBytes: 65_535 }],
  ])('never stops another stream on the same connection, %s', async (_, options) => {
    const streams = client(options)
    const asleep = [streams.serverStream({}), streams.serverStream({})]
    const sleepers = [await server.call(), await server.call()]
    await Promise.all(sleepers.map((call) => stalled(call, flood(call, 2000))))
    const awake = outcomeOf(streams.serverStream({}))
    const call = await server.call()
    flood(call, 500)
    expect((await awake).length).toBe(501)
    expect(server.connections).toBe(1)
    for (const stream of asleep) await stream.return()
    expect(await Promise.all(sleepers.map(({ closed }) => closed))).toEqual([8, 8])
    // Their part of the window is free again.
    const again = outcomeOf(streams.serverStream({}))
    flood(await server.call(), 500)
    expect((await again).length).toBe(501)
  })

  test('gets a message that is longer than the window and readAheadBytes', async () => {
    const stream = client({ streamWindowBytes: 65_535, readAheadBytes: 1 }).serverStream({})
    const call = await server.call()
    call.send('x'.repeat(3_000_000), 'y'.repeat(200_000))
    call.end()
    expect((await outcomeOf(stream)).map(({ length }) => length)).toEqual([3_000_000, 200_000, 2])
  })
})

test('announces the window of each stream, and a window of the connection that is larger by one stream', async () => {
  const windowBytes = 1 << 20
  const echo = client()
  const streams = [echo.serverStream({}), echo.serverStream({}), echo.serverStream({})]
  const calls = [await server.call(), await server.call(), await server.call()]
  await Promise.all(calls.map(delivered))
  const { session } = calls[0] as ServerCall
  expect(session.remoteSettings).toMatchObject({ initialWindowSize: windowBytes, enablePush: false })
  expect(session.state.remoteWindowSize).toBeGreaterThanOrEqual((streams.length + 1) * windowBytes)
  for (const stream of streams) await stream.return()
})

test('resolves concurrent reads in order, and rejects the first one after the last message', async () => {
  const stream = client().serverStream({})
  const asked = ['first', 'second', 'third', 'fourth'].map(() =>
    stream.next().then(
      (result) => (result.done === true ? 'done' : result.value.value),
      (error: unknown) => codeName(error),
    ),
  )
  const call = await server.call()
  call.send('a', 'b')
  call.end({ 'grpc-status': '5' })
  expect(await Promise.all(asked)).toEqual(['a', 'b', 'not_found', 'done'])
})
