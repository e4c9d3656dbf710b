/**
 * What a service or a network can do wrong: each gives a typed error within its time, and a client that goes on.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { FetchLike } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHttpClient, type HttpError, isHttpError } from './index.ts'
import { rejection, testOptions } from './test/fixtures.ts'
import { deadUrl } from './test/service.ts'
import { failWith, setUp } from './test/set-up.ts'

describe('answers that do not come, or not whole', () => {
  test('never answers', async () => {
    const { service, client, clock } = await setUp({ maxRepeats: 0 })
    service.reply(() => undefined)
    const sent = rejection(client.request({ method: 'GET', path: '/x' }))
    await service.arrived(1)
    await clock.advance(29_999)
    expect(clock.pendingTimers).toBe(1)
    await clock.advance(1)
    const error = await sent
    expect(isHttpError(error, 'HTTP_TIMEOUT') && error.details).toEqual({
      method: 'GET',
      path: '/x',
      timeoutMs: 30_000,
      phase: 'headers',
    })
    expect(clock.pendingTimers).toBe(0)
  })

  test('answers byte by byte: the limit is for the whole answer', async () => {
    const { service, client, clock } = await setUp({ maxRepeats: 0, timeoutMs: 5000 })
    let sentBytes = 0
    service.reply((response) => {
      const drip = (): void => {
        sentBytes += 1
        response.write('{', () => clock.setTimer(drip, 100))
      }
      drip()
    })
    const sent = rejection(client.request({ method: 'GET', path: '/x' }))
    await service.arrived(1)
    let error: unknown
    void sent.then((caught) => {
      error = caught
    })
    while (error === undefined) {
      await clock.advance(100)
      await new Promise(setImmediate)
    }
    expect(isHttpError(error, 'HTTP_TIMEOUT')).toBe(true)
    expect(sentBytes).toBeGreaterThan(10)
  })

  test('closes before it answers', async () => {
    const error = await failWith((response) => response.destroy())
    expect(error.code).toBe('HTTP_NO_ANSWER')
    expect(error).toMatchObject({ retryable: true, details: { phase: 'headers' } })
  })

  test('closes in the middle', async () => {
    const error = await failWith((response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"half":', () => response.destroy())
    })
    expect(error.code).toBe('HTTP_NO_ANSWER')
    expect(error).toMatchObject({ retryable: true, details: { phase: 'body' } })
  })

  test('sends 10 MB', async () => {
    const error = await failWith((response) => response.end(Buffer.alloc(10_000_000, 'x')))
    expect(error).toMatchObject({ code: 'HTTP_TOO_LARGE', retryable: false })
    expect(error.details).toMatchObject({ maxResponseBytes: 8 * 1024 * 1024 })
  })

  test('sends without end', async () => {
    const error = await failWith((response) => {
      const pour = (): void => {
        while (response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    expect(error.code).toBe('HTTP_TOO_LARGE')
  })

  test('sends exactly what is allowed, and one byte more', async () => {
    const { service, client } = await setUp({ maxResponseBytes: 1000 })
    service.reply({ text: 'x'.repeat(1000) })
    expect((await client.request({ method: 'GET', path: '/x' })).bytes).toHaveLength(1000)
    service.reply({ text: 'x'.repeat(1001) })
    expect(
      isHttpError(await rejection(client.request({ method: 'GET', path: '/x' })), 'HTTP_TOO_LARGE'),
    ).toBe(true)
  })

  test('a small answer that unpacks to a large one', async () => {
    const packed = gzipSync(Buffer.alloc(20_000_000))
    const error = await failWith((response) => {
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': String(packed.length) })
        .end(packed)
    })
    expect(error.code).toBe('HTTP_TOO_LARGE')
  })

  test.each([
    [
      'is too large',
      (write: (data: Buffer, then: () => void) => void) => write(Buffer.alloc(10_000_000), () => {}),
    ],
    [
      'breaks off',
      (write: (data: Buffer, then: () => void) => void, end: () => void) => write(Buffer.from('<h'), end),
    ],
  ])('an error page that %s keeps its status', async (_, behave) => {
    const error = await failWith((response) => {
      response.writeHead(401, { 'content-length': '20000000' })
      behave(
        (data, then) => response.write(data, then),
        () => response.destroy(),
      )
    })
    expect(error).toMatchObject({
      code: 'HTTP_UNAUTHORIZED',
      details: { status: 401, serviceCode: undefined },
    })
  })

  test('an error page that never ends keeps its status', async () => {
    const clock = createVirtualClock()
    const gotHeaders: FetchLike = async (url, init) => {
      const response = await fetch(url, init)
      // The body is being read by then: time may pass.
      setTimeout(() => void clock.advance(30_000), 0)
      return response
    }
    const { service, client } = await setUp({ clock, fetch: gotHeaders, maxRepeats: 0 })
    service.reply((response) => response.writeHead(403).write('<html>'))
    const error = await rejection(client.request({ method: 'GET', path: '/x' }))
    expect(isHttpError(error, 'HTTP_FORBIDDEN') && error.details.serviceCode).toBe(undefined)
    expect(clock.pendingTimers).toBe(0)
  })
})

/** A server that speaks no HTTP. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('no service', () => {
  const failAt = async (url: string): Promise<HttpError> => {
    const error = await rejection(
      createHttpClient(testOptions(url, { maxRepeats: 0 })).request({ method: 'GET', path: '/x' }),
    )
    if (!isHttpError(error)) throw error
    return error
  }

  test('nobody listens: the request never left', async () => {
    const error = await failAt(await deadUrl())
    expect(error).toMatchObject({
      code: 'HTTP_NOT_SENT',
      retryable: true,
      details: { reason: 'ECONNREFUSED' },
    })
  })

  test('no such host: the request never left', async () => {
    const error = await failAt('https://no-such-host.invalid')
    expect(error.code).toBe('HTTP_NOT_SENT')
  })

  test('a server that speaks no TLS', async () => {
    const url = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect((await failAt(url.replace('http:', 'https:'))).code).toBe('HTTP_NO_ANSWER')
  })

  test.each([
    ['accepts and closes', (socket: Socket) => socket.destroy()],
    ['talks nonsense', (socket: Socket) => socket.end('hello?\r\n\r\n')],
    ['breaks off in the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: ')],
    [
      'repeats content-length',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    ],
  ])('one that %s: whether it took effect is unknown', async (_, behave) => {
    const url = await rawServer((socket) => socket.once('data', () => behave(socket)))
    const error = await failAt(url)
    expect(error.code).toBe('HTTP_NO_ANSWER')
    expect(error).not.toHaveProperty('cause')
  })
})

describe('the caller stops', () => {
  test('before: nothing is sent', async () => {
    const { service, client } = await setUp()
    const signal = AbortSignal.abort('enough')
    expect(await rejection(client.request({ method: 'GET', path: '/x', signal }))).toBe('enough')
    expect(service.received).toHaveLength(0)
  })

  test('while the body arrives', async () => {
    const { service, client, clock } = await setUp()
    const controller = new AbortController()
    service.reply((response) => response.write('{', () => controller.abort('enough')))
    expect(await rejection(client.request({ method: 'GET', path: '/x', signal: controller.signal }))).toBe(
      'enough',
    )
    expect(clock.pendingTimers).toBe(0)
  })

  test('while a repeat waits', async () => {
    const controller = new AbortController()
    const { service, client, clock } = await setUp({
      observer: { onAttemptEnd: () => setTimeout(() => controller.abort('enough'), 0) },
    })
    service.reply({ status: 503 })
    expect(await rejection(client.request({ method: 'GET', path: '/x', signal: controller.signal }))).toBe(
      'enough',
    )
    expect(service.received).toHaveLength(1)
    expect(clock.pendingTimers).toBe(0)
  })
})
