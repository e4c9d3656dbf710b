import { X509Certificate } from 'node:crypto'
import { connect } from 'node:http2'
import { get } from 'node:https'
import { createVirtualClock } from '@brokerwire/core/testing'
import { endOf, openTradeStream, take, usableToken } from '@brokerwire/testing/signed-client'
import { compressionGzip } from '@connectrpc/connect-node'
import { describe, expect, it } from 'vitest'
import { createSelfSignedCertificate, isSimulatorError, startSimulator, startTcpProxy } from './index.ts'

describe('the stream signature', () => {
  it('covers the decompressed message', async () => {
    await using sim = await startSimulator()
    const stream = await openTradeStream(sim, {}, { compression: compressionGzip })
    expect((await take(stream, 1)).map(({ eventType }) => eventType)).toEqual([0])
    stream.abort.abort()
  })

  it('is rejected with the reason, in an AuthError frame', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock })
    const cases: readonly (readonly [string, string, string])[] = [
      ['x-signature', 'AAAA', 'UNAUTHORIZED'],
      ['x-timestamp', '2001-01-01T00:00:00Z', 'ILLEGAL_TIMESTAMP'],
      ['x-signature-algorithm', 'HMAC-MD5', 'SIGNATURE_ALGORITHM_NOT_SUPPORTED'],
      ['x-app-key', 'somebody', 'UNAUTHORIZED'],
      ['x-signature-nonce', '123e4567-e89b-42d3-a456-426614174000', 'x-signature-nonce'],
      ['x-app-secret', 'never', 'UNAUTHORIZED: x-app-secret must not be sent'],
    ]
    for (const [name, value, cause] of cases) {
      const stream = await openTradeStream(sim, {}, { headers: { [name]: value } })
      const [frame, end] = await take(stream, 2)
      expect(frame).toMatchObject({ eventType: 2, payload: expect.stringContaining(cause) })
      expect(end).toBeUndefined()
    }
    expect(sim.requests().map(({ errorCode }) => errorCode)).toEqual([
      'UNAUTHORIZED',
      'ILLEGAL_TIMESTAMP',
      'SIGNATURE_ALGORITHM_NOT_SUPPORTED',
      'UNAUTHORIZED',
      'UNAUTHORIZED',
      'UNAUTHORIZED',
    ])
  })

  it('may need an access token in addition', async () => {
    await using sim = await startSimulator({ streamAccessToken: 'required' })
    const without = await openTradeStream(sim)
    expect((await take(without, 2)).map(({ eventType }) => eventType)).toEqual([2])
    const token = await usableToken(sim)
    const stream = await openTradeStream(sim, {}, { headers: { 'x-access-token': token } })
    expect((await take(stream, 1)).map(({ eventType }) => eventType)).toEqual([0])
    stream.abort.abort()
  })

  it('has a Date in the response, so that a client can correct its clock', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator({ clock })
    const session = connect(sim.eventsUrl)
    session.on('error', () => undefined)
    const request = session.request({
      ':method': 'POST',
      ':path': '/grpc.trade.event.EventService/Subscribe',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    request.end(Buffer.alloc(5))
    const headers = await new Promise<Record<string, unknown>>((resolve) => request.once('response', resolve))
    expect(Date.parse(String(headers.date))).toBe(clock.now())
    expect(headers['x-request-id']).toEqual(expect.any(String))
    session.destroy()
  })
})

describe('requests that are not subscriptions', () => {
  async function answerTo(body: Buffer, path = '/grpc.trade.event.EventService/Subscribe') {
    await using sim = await startSimulator({ maxRequestBytes: 1000 })
    const session = connect(sim.eventsUrl)
    session.on('error', () => undefined)
    const request = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' })
    request.on('error', () => undefined)
    const seen: { status: unknown; bytes: number; rstCode: number } = {
      status: undefined,
      bytes: 0,
      rstCode: 0,
    }
    request.once('response', (headers) => {
      seen.status = headers[':status']
    })
    request.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length
    })
    const closed = new Promise<void>((resolve) => request.once('close', () => resolve()))
    request.end(body)
    await closed
    seen.rstCode = request.rstCode ?? 0
    session.destroy()
    return seen
  }

  it('get a response, a reset or 404, and never crash the simulator', async () => {
    expect(await answerTo(Buffer.alloc(0))).toMatchObject({ status: 200 })
    expect(await answerTo(Buffer.alloc(3))).toMatchObject({ status: 200 })
    expect(await answerTo(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]))).toMatchObject({ status: 200 })
    expect(await answerTo(Buffer.from([1, 0, 0, 0, 1, 7]))).toMatchObject({ status: 200 })
    expect(await answerTo(Buffer.alloc(2000))).toMatchObject({ rstCode: 0x0b })
    expect(await answerTo(Buffer.alloc(5), '/grpc.event.EventService/Subscribe')).toMatchObject({
      status: 404,
    })
  })
})

describe('TLS', () => {
  it('serves HTTPS and HTTP/2 with the caller’s certificate', async () => {
    const tls = createSelfSignedCertificate()
    const certificate = new X509Certificate(tls.cert)
    expect(certificate.checkHost('localhost')).toBe('localhost')
    for (const address of ['127.0.0.1', '::1']) expect(certificate.checkIP(address)).toBe(address)
    expect(certificate.checkHost('example.com')).toBeUndefined()
    await using sim = await startSimulator({ tls })
    expect(sim.baseUrl.startsWith('https://127.0.0.1:')).toBe(true)
    const status = await new Promise((resolve, reject) => {
      get(`${sim.baseUrl}/healthz`, { ca: tls.cert, agent: false }, (incoming) => {
        incoming.resume()
        resolve(incoming.statusCode)
      }).once('error', reject)
    })
    expect(status).toBe(200)
    const stream = await openTradeStream(sim, {}, { ca: tls.cert })
    await take(stream, 1)
    const sent = sim.emitOrder()
    expect((await take(stream, 1)).map(({ payload }) => payload)).toEqual([sent.payload])
    const distrusting = await openTradeStream(sim)
    expect(await endOf(distrusting)).not.toBe('clean')
    stream.abort.abort()
  })
})

describe('the TCP proxy', () => {
  it('stops forwarding while the connection stays open, and resumes', async () => {
    await using sim = await startSimulator()
    await using proxy = await startTcpProxy({ target: sim.eventsUrl })
    const stream = await openTradeStream(sim, {}, { url: proxy.url })
    await take(stream, 1)
    proxy.stall('to-client')
    const before = proxy.forwardedBytes.toClient
    const sent = sim.emitOrder()
    const next = stream.messages.next()
    await expect.poll(() => sim.subscriptions().length).toBe(1)
    expect(proxy.forwardedBytes.toClient).toBe(before)
    expect(proxy.connections).toBe(1)
    proxy.resume()
    expect((await next).value?.payload).toBe(sent.payload)
    stream.abort.abort()
  })

  it('destroys connections on request, and idle ones', async () => {
    const clock = createVirtualClock()
    await using sim = await startSimulator()
    await using proxy = await startTcpProxy({ target: sim.eventsUrl, idleMs: 10_000, clock })
    const dropped = await openTradeStream(sim, {}, { url: proxy.url })
    await take(dropped, 1)
    expect(proxy.drop()).toBe(1)
    expect(await endOf(dropped)).not.toBe('clean')
    const idle = await openTradeStream(sim, {}, { url: proxy.url })
    await take(idle, 1)
    await clock.advance(10_000)
    expect(await endOf(idle)).not.toBe('clean')
    expect(proxy.connections).toBe(0)
  })

  it('rejects targets that it cannot reach', async () => {
    const odd = [
      'http://0.0.0.0:80',
      'https://h\\evil:1',
      'http://127.0.0.1:1/path',
      'http://127.0.0.1:\t1',
      'https://example.com:80',
    ]
    for (const target of ['', 'nowhere', 'http://127.0.0.1', ...odd]) {
      const error: unknown = await startTcpProxy({ target }).catch((reason: unknown) => reason)
      expect(isSimulatorError(error, 'SIMULATOR_OPTION_INVALID') && error.details.option).toBe('target')
    }
  })
})
