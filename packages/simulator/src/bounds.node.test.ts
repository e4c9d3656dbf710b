/** The memory that a client can make the simulator use is bounded. */
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sendSigned } from '@brokerwire/testing/signed-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from './index.ts'
import { listen } from './listen.ts'
import { createBodyReceiver, MAX_HEAD_BYTES } from './receive-body.ts'
import { createClientTokenRepository } from './tokens/client-token-repository.ts'
import { createUsedNonces } from './used-nonces.ts'

const MIB = 1024 * 1024

describe('received bodies', () => {
  const source = () => {
    const incoming = new PassThrough({ highWaterMark: 256 * MIB })
    return { incoming, exchange: incoming }
  }

  it('are copied into one buffer, whatever their chunks', async () => {
    const receive = createBodyReceiver({ maxRequestBytes: 100 })
    const one = source()
    const body = receive(one)
    for (const byte of 'hello') one.incoming.write(byte)
    one.incoming.end()
    expect(Buffer.from((await body) as Uint8Array).toString()).toBe('hello')
  })

  it('have a common memory limit, and are released with their exchange', async () => {
    const receive = createBodyReceiver({ maxRequestBytes: 40 * MIB })
    const send = (bytes: number) => {
      const one = source()
      const body = receive(one)
      one.incoming.write(Buffer.alloc(bytes))
      return { ...one, body }
    }
    const held = Array.from({ length: 4 }, () => send(35 * MIB))
    const refused = send(35 * MIB)
    expect(await refused.body).toBe('busy')
    for (const { incoming, body } of held) {
      incoming.destroy()
      expect(await body).toBe('gone')
    }
    const next = send(35 * MIB)
    next.incoming.end()
    expect((await next.body).length).toBe(35 * MIB)
  })

  it('that never end count with their heads', async () => {
    const receive = createBodyReceiver({ maxRequestBytes: 1 })
    const waiting = Array.from({ length: (128 * MIB) / MAX_HEAD_BYTES }, () => {
      const one = source()
      return { ...one, body: receive(one) }
    })
    expect(await receive(source())).toBe('busy')
    for (const { incoming } of waiting) incoming.destroy()
    await Promise.all(waiting.map(({ body }) => body))
    const one = source()
    one.incoming.end()
    expect(await receive(one)).toEqual(Buffer.alloc(0))
  })
})

describe('requests over HTTP', () => {
  it('get a response even if the body is far beyond the limit, and the connection stays open until then', async () => {
    await using sim = await startSimulator()
    const { status, json } = await sendSigned(sim, {
      path: '/auth/tokens/create',
      json: { token: 'x'.repeat(5_000_000) },
    })
    expect({ status, error_code: json.error_code }).toEqual({ status: 417, error_code: 'INVALID_PARAMETER' })
  })
})

describe('requests over HTTP/2', () => {
  const call = async (url: string, headers: Record<string, string | string[]>) => {
    const session = connectHttp2(url)
    onTestFinished(() => session.destroy())
    session.on('error', () => undefined)
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.trade.event.EventService/Subscribe',
      'content-type': 'application/grpc',
      ...headers,
    })
    stream.on('error', () => undefined)
    stream.end(Buffer.alloc(5))
    stream.resume()
    return new Promise<unknown>((resolve) => {
      stream.once('response', (head) => resolve(head[':status']))
      stream.once('close', () => resolve('closed'))
    })
  }

  it.each([
    ['many fields', { a: Array.from({ length: 1000 }, () => 'x') }],
    ['large fields', { a: 'x'.repeat(70_000) }],
  ])('a head with %s is rejected, and the next request is served', async (_, headers) => {
    await using sim = await startSimulator()
    expect(await call(sim.eventsUrl, headers)).not.toBe(200)
    expect(await call(sim.eventsUrl, {})).toBe(200)
  })
})

describe('connections', () => {
  it('of a listener are limited', async () => {
    const server = createServer()
    const listener = await listen(server, 0, 'port')
    onTestFinished(() => listener.close())
    expect(server.maxConnections).toBe(1000)
    server.maxConnections = 2
    const sockets = Array.from({ length: 3 }, () => connect(listener.port, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => undefined)
    const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))
    await Promise.race(sockets.map(closed))
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBe(2)
    for (const socket of sockets) socket.destroy()
  })
})

describe('client token pairs', () => {
  const book = () =>
    createClientTokenRepository({
      accessLifetimeMs: 1000,
      refreshLifetimeMs: 2000,
      onChange: () => undefined,
    })

  it('are dropped beyond ten thousand, the oldest first; a refreshed one counts as new', () => {
    const pairs = book()
    const first = pairs.create('app', 'first', 0)
    const second = pairs.create('app', 'second', 0)
    const renewed = pairs.refresh('app', first.refreshToken, 1)
    for (let user = 0; user < 9_999; user += 1) pairs.create('app', `${user}`, 1)
    expect(pairs.size).toBe(10_000)
    expect(pairs.isLive(second.accessToken, 1)).toBe(false)
    expect(pairs.refresh('app', second.refreshToken, 1)).toBeUndefined()
    expect(pairs.isLive(renewed?.accessToken ?? '', 1)).toBe(true)
  })

  it('use the same memory whatever the name of a user', () => {
    const pairs = book()
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const heldBytes = (): number => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = heldBytes()
    for (let user = 0; user < 100; user += 1) pairs.create('app', `${user}`.padEnd(MIB, 'x'), 0)
    expect(heldBytes() - before).toBeLessThan(20 * MIB)
    expect(pairs.end('7'.padEnd(MIB, 'x'))).toBe(true)
    expect(pairs.end('7'.padEnd(MIB, 'y'))).toBe(false)
  })
})

describe('used nonces', () => {
  it('of five hundred requests a second are all stored, within 16 MiB', () => {
    const memory = createUsedNonces()
    const at = (n: number) => ({
      appKey: 'app',
      nonce: `${n}`,
      key: `app ${n}`,
      nowMs: n * 2,
      expiresAtMs: n * 2 + 360_000,
    })
    for (let n = 0; n < 500 * 360; n += 1) if (memory.remember(at(n)) !== 'new') expect.fail(`number ${n}`)
    expect(memory.bytes).toBeLessThanOrEqual(16 * MIB)
    expect(memory.remember({ ...at(0), nowMs: 359_998 })).toBe('seen')
  })
})
