/** Calls to servers on grpc-js and Python's grpcio, and through nginx. */
import { connect } from 'node:net'
import { startHttp2Server } from '@brokerwire/testing/http2-server'
import { Code, type ConnectError, encodeBinaryHeader } from '@connectrpc/connect'
import type { Compression } from '@connectrpc/connect/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { GRPCIO_INSTALL, hasGrpcio } from '../test/interop/grpcio-server.ts'
import { Echo } from '../test/transport/echo-service.ts'
import type { EchoServer } from '../test/transport/interop/echo-server.ts'
import { startGrpcJsEcho } from '../test/transport/interop/grpc-js-echo.ts'
import { startGrpcioEcho } from '../test/transport/interop/grpcio-echo.ts'
import { hasNginx, NGINX_INSTALL, type NginxProxy, startNginx } from '../test/transport/interop/nginx.ts'
import { codeName, errorOf, outcomeOf, unaryOutcome } from '../test/transport/outcome.ts'
import { underPath } from '../test/transport/under-path.ts'
import { gzipCompression } from './compression.ts'
import { createStreamClient, type StreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import type { StreamTransportOptions } from './options.ts'

/** On a machine that must have all servers, a missing one is a failure. */
const inCi = process.env.CI !== undefined
const withGrpcio = inCi || hasGrpcio()
if (!withGrpcio) process.stdout.write(`skipped: the transport with Python's grpcio: ${GRPCIO_INSTALL}\n`)
const withNginx = inCi || hasNginx()
if (!withNginx) process.stdout.write(`skipped: the transport through nginx: ${NGINX_INSTALL}\n`)

let server: EchoServer | undefined
let proxy: NginxProxy | undefined
let transport: StreamTransport | undefined
afterEach(async () => {
  transport?.close()
  await proxy?.close()
  proxy = undefined
  await server?.close()
})

async function* list(...values: readonly string[]): AsyncGenerator<{ value: string }> {
  for (const value of values) yield { value }
}

/** Runs at most `count` at a time, and starts the next one when one ends. */
async function pool(count: number, width: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Runs `count` at a time, and starts the next ones when all have ended. */
async function waves(count: number, width: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += width) {
    await Promise.all(Array.from({ length: width }, (_, index) => run(first + index)))
  }
}

const ALL_FOUR = [
  ['a', 'ok'],
  ['a', 'b', 'c', 'ok'],
  ['ab', 'ok'],
  ['<a>', '<b>', 'ok'],
]

async function allFour(client: StreamClient<typeof Echo>): Promise<unknown> {
  return [
    await unaryOutcome(client.unary({ value: 'a' })),
    await outcomeOf(client.serverStream({ value: 'abc' })),
    await unaryOutcome(client.clientStream(list('a', 'b'))),
    await outcomeOf(client.bidi(list('a', 'b'))),
  ]
}

/** Cancels an open stream, and waits until the server reports it. */
async function leave(client: StreamClient<typeof Echo>): Promise<void> {
  for await (const { value } of client.serverStream({ value: 'wait' })) {
    expect(value).toBe('w')
    break
  }
  for (;;) {
    const { value } = await client.unary({ value: 'canceled' })
    if (value === '1') return
    expect(value).toBe('0')
  }
}

describe.each([
  { name: 'grpc-js', start: startGrpcJsEcho, runs: true, zips: false },
  { name: 'grpcio', start: startGrpcioEcho, runs: withGrpcio, zips: true },
])('a server on $name', ({ start, runs, zips }) => {
  const open = async (options: Partial<StreamTransportOptions> = {}) => {
    server = await start()
    transport = createStreamTransport({ baseUrl: server.url, ...options })
    return createStreamClient(Echo, transport)
  }

  test.runIf(runs)('has all four kinds of methods', async () => {
    expect(await allFour(await open())).toEqual(ALL_FOUR)
  })

  test.runIf(runs)('exchanges metadata in both directions', async () => {
    let received = {}
    const raw = encodeBinaryHeader(Uint8Array.of(0, 200, 255))
    await (await open()).unary(
      { value: 'a' },
      {
        headers: { 'x-mine': 'mine', 'x-raw-bin': raw },
        onHeader: (header) => {
          received = { head: header.get('x-head'), raw: header.get('x-raw-bin')?.replace(/=*$/, '') }
        },
        onTrailer: (trailer) => {
          received = { ...received, trail: trailer.get('x-trail') }
        },
      },
    )
    expect(received).toEqual({ head: 'mine', raw: raw.replace(/=*$/, ''), trail: 'mine' })
  })

  test.runIf(runs)('returns a status with its message', async () => {
    const error = await errorOf((await open()).unary({ value: 'fail' }))
    expect(error).toMatchObject({ code: Code.NotFound, rawMessage: 'nichts, gar nichts: ä %' })
  })

  test.runIf(runs)('rejects an unknown method', async () => {
    server = await start()
    transport = createStreamTransport({ baseUrl: server.url, interceptors: [underPath('/elsewhere')] })
    expect(codeName(await errorOf(createStreamClient(Echo, transport).unary({})))).toBe('unimplemented')
  })

  test.runIf(runs)(`uses gzip ${zips ? 'in both directions' : 'in requests'}`, async () => {
    let unzipped = 0
    const counting: Compression = {
      ...gzipCompression,
      decompress: (bytes, limit) => {
        unzipped++
        return gzipCompression.decompress(bytes, limit)
      },
    }
    const options = { acceptCompression: [counting], sendCompression: gzipCompression, compressMinBytes: 0 }
    const client = await open(options)
    const value = 'ä'.repeat(100_000)
    expect((await client.unary({ value })).value).toBe(value)
    expect(await allFour(client)).toEqual(ALL_FOUR)
    expect(unzipped > 0).toBe(zips)
  })

  test.runIf(runs)('knows the deadline of a call', async () => {
    const client = await open()
    const { value } = await client.unary({ value: 'time' }, { timeoutMs: 60_000 })
    expect(Number(value)).toSatisfy((seconds: number) => seconds > 40 && seconds <= 60)
    const waiting = client.serverStream({ value: 'wait' }, { timeoutMs: 400 })
    expect(await outcomeOf(waiting)).toEqual(['w', 'deadline_exceeded'])
  })

  test.runIf(runs)('gets the cancellation of a stream', async () => {
    await leave(await open())
  })
})

describe('through nginx', () => {
  /** Starts nginx between a server and the client. */
  async function open(
    kind: 'plain' | 'secure' = 'plain',
    options: { directives?: string; path?: string } = {},
  ): Promise<StreamClient<typeof Echo>> {
    server = await startGrpcJsEcho()
    const nginx = await startNginx(server.url, options.directives)
    proxy = nginx
    transport = createStreamTransport({
      baseUrl: `http${kind === 'secure' ? 's' : ''}://127.0.0.1`,
      interceptors: options.path === undefined ? [] : [underPath(options.path)],
      tls: { ca: nginx.authority },
      createConnection: () => connect(nginx[kind]),
    })
    return createStreamClient(Echo, transport)
  }

  test.runIf(withNginx).each(['plain', 'secure'] as const)(
    'carries all four kinds of methods, %s',
    async (kind) => {
      expect(await allFour(await open(kind))).toEqual(ALL_FOUR)
    },
  )

  test.runIf(withNginx)('carries long messages and many messages', async () => {
    const client = await open('secure')
    const value = 'x'.repeat(500_000)
    expect((await outcomeOf(client.bidi(list(value, value)))).map(({ length }) => length)).toEqual([
      500_002, 500_002, 2,
    ])
    expect(await outcomeOf(client.serverStream({ value: 'y'.repeat(5000) }))).toHaveLength(5001)
  })

  test.runIf(withNginx)('returns a status with its message', async () => {
    const error = await errorOf((await open()).unary({ value: 'fail' }))
    expect(error).toMatchObject({ code: Code.NotFound, rawMessage: 'nichts, gar nichts: ä %' })
  })

  test.runIf(withNginx)('passes on the cancellation of a stream', async () => {
    await leave(await open())
  })

  test.runIf(withNginx).each([
    ['as soon as one is over', (run: (index: number) => Promise<void>) => pool(200, 10, run)],
    ['all at once', (run: (index: number) => Promise<void>) => waves(200, 10, run)],
  ])(
    'serves each of 200 calls once, ten at a time and started %s, although it ends connections after three calls',
    async (_, begin) => {
      const served: string[] = []
      const counting = await startHttp2Server({
        handler: async (call) => {
          const body = await call.body
          // The value follows the header of the envelope, a tag and a length.
          served.push(body.toString('latin1', 7))
          call.write(body)
          call.end()
        },
      })
      server = counting
      const nginx = await startNginx(counting.url, 'keepalive_requests 3;')
      proxy = nginx
      transport = createStreamTransport({
        baseUrl: 'http://127.0.0.1',
        createConnection: () => connect(nginx.plain),
      })
      const client = createStreamClient(Echo, transport)
      const failed: string[] = []
      const names = Array.from({ length: 200 }, (_, index) => `call ${index}`)
      await begin(async (index) => {
        const value = names[index] as string
        const [end] = (await unaryOutcome(client.unary({ value }))).slice(-1)
        if (end !== 'ok') failed.push(String(end))
      })
      expect(failed).toEqual([])
      expect(served.sort()).toEqual(names.sort())
    },
  )

  test.runIf(withNginx).each([
    ['/gone', 'unavailable', /HTTP 502/],
    ['/forbidden', 'permission_denied', /HTTP 403/],
  ])('returns an error page as a status, at %s', async (path, code, text) => {
    const error: ConnectError = await errorOf((await open('plain', { path })).unary({}))
    expect({ code: codeName(error), message: error.rawMessage }).toEqual({
      code: code,
      message: expect.stringMatching(text),
    })
  })

  test.runIf(withNginx)('ends a stream without data', async () => {
    const client = await open('plain', { directives: 'grpc_read_timeout 400ms;' })
    expect(await outcomeOf(client.serverStream({ value: 'wait' }))).toEqual(['w', 'internal'])
  })

  test.runIf(withNginx)('ends open streams when it stops', async () => {
    const stream = (await open()).serverStream({ value: 'wait' })
    expect((await stream.next()).value?.value).toBe('w')
    await proxy?.close()
    proxy = undefined
    expect(await outcomeOf(stream)).toEqual(['unavailable'])
  })
})
