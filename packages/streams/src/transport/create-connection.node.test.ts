/** The option `createConnection`: its connections are used, and its failures are `unavailable`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import type { ServerCall, TestServer } from '@brokerwire/testing/http2-server'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { activeResources, leakedResources, until } from '../test/transport/active-resources.ts'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { codeName, errorOf, outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import type { CreateConnection, StreamTransportOptions } from './options.ts'

let harness: Harness
let server: TestServer
let transport: StreamTransport | undefined
let before: ReturnType<typeof activeResources>
beforeEach(async () => {
  before = activeResources()
  harness = createHarness('ours')
  server = await harness.server(answer)
})
afterEach(async () => {
  transport?.close()
  await harness.close()
  expect(await leakedResources(before)).toEqual([])
})

function answer(call: ServerCall): void {
  call.send(String(call.headers[':authority']))
  call.end()
}

function client(createConnection: CreateConnection, options: Partial<StreamTransportOptions> = {}) {
  const baseUrl = 'http://service.test:81'
  transport = createStreamTransport({ baseUrl, allowInsecure: true, createConnection, ...options })
  return createStreamClient(Echo, transport)
}

const toServer = (): Socket => connect(server.port, '127.0.0.1')
const connected = (): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = toServer()
    socket.once('connect', () => resolve(socket))
  })

describe('a connection of createConnection', () => {
  test.each<readonly [string, CreateConnection]>([
    ['not open yet', toServer],
    ['open', connected],
    ['a Duplex but not a socket', async () => wrapped(await connected())],
  ])('may be %s', async (_, createConnection) => {
    expect(await outcomeOf(client(createConnection).serverStream({}))).toEqual(['service.test:81', 'ok'])
  })

  test('can be a Unix socket', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'brokerwire-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const path = join(directory, 'service')
    await harness.server(answer, { path })
    const outcome = await outcomeOf(client(() => connect(path)).serverStream({}))
    expect(outcome).toEqual(['service.test:81', 'ok'])
  })

  test('is opened once for all calls, and again after it was lost', async () => {
    const urls: string[] = []
    const sockets: Socket[] = []
    const echo = client((url) => {
      urls.push(url.href)
      const socket = toServer()
      sockets.push(socket)
      return socket
    })
    await Promise.all([echo.unary({}), echo.unary({})])
    await echo.unary({})
    expect(urls).toEqual(['http://service.test:81/'])
    sockets[0]?.destroy()
    await echo.unary({})
    expect(urls).toHaveLength(2)
  })
})

describe('createConnection that fails', () => {
  test.each<readonly [string, CreateConnection]>([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('is unavailable with its cause if it %s', async (_, createConnection) => {
    const error = await errorOf(client(createConnection).unary({}))
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: 'createConnection failed' })
    expect(error.cause).toEqual(new Error('mine'))
  })

  test('is unavailable if its socket fails later', async () => {
    const error = await errorOf(client(() => connect(1, '127.0.0.1')).unary({}))
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: 'connect ECONNREFUSED 127.0.0.1:1' })
  })

  test('is unavailable if its socket is closed already', async () => {
    const createConnection = async () => {
      const socket = await connected()
      socket.destroy()
      return socket
    }
    expect(codeName(await errorOf(client(createConnection).unary({})))).toBe('unavailable')
  })

  test('is unavailable after connectTimeoutMs, and a later socket is closed', async () => {
    let late: ((socket: Socket) => void) | undefined
    let receivedSignal: AbortSignal | undefined
    const echo = client(
      (_, { signal }) => {
        receivedSignal = signal
        return new Promise<Socket>((resolve) => {
          late = resolve
        })
      },
      { connectTimeoutMs: 20 },
    )
    const error = await errorOf(echo.unary({}))
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: 'no connection within 20 ms' })
    expect(receivedSignal?.aborted).toBe(true)
    const socket = await connected()
    late?.(socket)
    expect(await until(() => socket.destroyed)).toBe(true)
  })

  test('leaves no connection after an abort or close() at any moment', async () => {
    for (let turns = 0; turns < 30; turns++) {
      for (const how of ['close', 'abort']) {
        const socket = await connected()
        const abort = new AbortController()
        const ended = client(async () => socket)
          .serverStream({}, { signal: abort.signal })
          .next()
          .catch(codeName)
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
        if (how === 'close') transport?.close()
        else abort.abort()
        await ended
        transport?.close()
        expect(await until(() => socket.destroyed), `${how} after ${turns} turns`).toBe(true)
      }
    }
  })

  test('cancels the opening connection after close()', async () => {
    let receivedSignal: AbortSignal | undefined
    const failing = errorOf(
      client((_, { signal }) => {
        receivedSignal = signal
        return new Promise<never>(() => {})
      }).unary({}),
    )
    await until(() => receivedSignal !== undefined)
    transport?.close()
    expect(codeName(await failing)).toBe('canceled')
    expect(receivedSignal?.aborted).toBe(true)
  })
})

/** A Duplex that is not a socket and passes on the same bytes. */
function wrapped(socket: Socket): Duplex {
  const duplex = new Duplex({
    read: () => {
      socket.resume()
    },
    write: (chunk, _encoding, done) => {
      socket.write(chunk, () => done())
    },
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk) => {
    if (!duplex.push(chunk)) socket.pause()
  })
  socket.on('end', () => duplex.push(null))
  socket.on('close', () => duplex.destroy())
  return duplex
}
