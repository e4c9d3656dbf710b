/** `subscribe`: the server receives exactly the bytes that were signed. */
import { getEventListeners } from 'node:events'

import { ModuleEventService, TradeEventService, TradeEventType } from '@brokerwire/protos'
import { createVerifier } from '@brokerwire/signer'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moduleRequest } from '../module-stream.ts'
import { APP_KEY, APP_SECRET, testSigner, tradeFrame } from '../test/frames.ts'
import { tradeRequest } from '../trade-stream.ts'
import { grpcConnections } from './connection.ts'
import { subscribe } from './subscribe.ts'

const HTTP2_CANCEL = 8

let server: GrpcServer
beforeAll(async () => {
  server = await startGrpcServer()
})
afterAll(() => server.close())

/** The single message of a raw gRPC body, parsed without protobuf-es and Connect. */
function messageOf(body: Buffer): Buffer {
  expect(body.readUInt8(0)).toBe(0)
  expect(body.readUInt32BE(1)).toBe(body.length - 5)
  return body.subarray(5)
}

async function verify(call: GrpcServerCall) {
  const verifier = createVerifier({ secretFor: (appKey) => (appKey === APP_KEY ? APP_SECRET : undefined) })
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(call.headers)) {
    if (name.startsWith('x-')) headers[name] = String(value)
  }
  return verifier.verifyStream({ headers, requestBytes: messageOf(call.body) })
}

describe('the signature of a subscription', () => {
  test.each([
    { name: 'one account', accounts: ['A1'], payload: '' },
    { name: 'characters beyond ASCII', accounts: ['账户'], payload: '中 &=<>' },
    { name: '1,000 accounts', accounts: Array.from({ length: 1000 }, (_, n) => `ACCOUNT-${n}`), payload: '' },
  ])('covers the raw body of a trade subscription: $name', async ({ accounts, payload }) => {
    const connection = grpcConnections()(server.url)
    const controller = new AbortController()
    const message = tradeRequest({ subscribeType: 1, accounts, payload }, 1_764_157_239_726)
    const opening = subscribe({
      method: TradeEventService.method.subscribe,
      message,
      transport: connection.transport,
      signer: testSigner(),
      signal: controller.signal,
    })
    const call = await server.call()
    await opening
    expect(call.path).toBe('/grpc.trade.event.EventService/Subscribe')
    expect(await verify(call)).toEqual({ ok: true, appKey: APP_KEY })
    controller.abort()
    connection.close()
  })

  test('covers the raw body of a module subscription with cursors', async () => {
    const connection = grpcConnections()(server.url)
    const controller = new AbortController()
    const cursors = new Map([['APPLICATION', 'opaque/+=']])
    const opening = subscribe({
      method: ModuleEventService.method.subscribe,
      message: moduleRequest(['APPLICATION', 'FUNDING'], cursors, '1764157239726'),
      transport: connection.transport,
      signer: testSigner(),
      signal: controller.signal,
    })
    const call = await server.call()
    await opening
    expect(call.path).toBe('/grpc.event.EventService/Subscribe')
    expect(await verify(call)).toEqual({ ok: true, appKey: APP_KEY })
    controller.abort()
    connection.close()
  })

  test('covers the raw body of any request', async () => {
    const connection = grpcConnections()(server.url)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 20 }),
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 0xff_ff_ff_ff }),
        fc.nat(),
        async (accounts, payload, subscribeType, nowMs) => {
          const controller = new AbortController()
          const opening = subscribe({
            method: TradeEventService.method.subscribe,
            message: tradeRequest({ subscribeType, accounts, payload }, nowMs),
            transport: connection.transport,
            signer: testSigner(),
            signal: controller.signal,
          })
          const call = await server.call()
          await opening
          expect(await verify(call)).toEqual({ ok: true, appKey: APP_KEY })
          controller.abort()
          await call.closed
        },
      ),
      { numRuns: 50 },
    )
    connection.close()
  }, 60_000)

  test('has a new nonce for each attempt, and its header names are in lower case', async () => {
    const connection = grpcConnections()(server.url)
    const seen: string[] = []
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const controller = new AbortController()
      const opening = subscribe({
        method: TradeEventService.method.subscribe,
        message: tradeRequest({ subscribeType: 1, accounts: ['A1'] }, 0),
        transport: connection.transport,
        signer: testSigner(),
        accessToken: 'a'.repeat(32),
        signal: controller.signal,
      })
      const call = await server.call()
      await opening
      expect(
        Object.keys(call.headers)
          .filter((name) => name.startsWith('x-'))
          .sort(),
      ).toEqual(
        [
          'x-access-token',
          'x-app-key',
          'x-signature',
          'x-signature-algorithm',
          'x-signature-nonce',
          'x-signature-version',
          'x-timestamp',
          'x-user-agent',
        ].filter((name) => name in call.headers),
      )
      expect(call.headers['x-access-token']).toBe('a'.repeat(32))
      expect(call.headers['x-app-secret']).toBeUndefined()
      seen.push(String(call.headers['x-signature-nonce']))
      controller.abort()
    }
    expect(new Set(seen).size).toBe(2)
    connection.close()
  })

  test('stays valid because an interceptor cannot change the frozen message', async () => {
    const changing: Interceptor = (next) => (request) => {
      if (!request.stream) return next(request)
      const { message } = request
      const changed = (async function* () {
        for await (const part of message) {
          ;(part as { payload?: string }).payload = 'changed'
          yield part
        }
      })()
      return next({ ...request, message: changed as never })
    }
    const transport = createGrpcTransport({ baseUrl: server.url, interceptors: [changing] })
    const before = server.calls.length
    const opening = subscribe({
      method: TradeEventService.method.subscribe,
      message: tradeRequest({ subscribeType: 1, accounts: ['A1'] }, 0),
      transport,
      signer: testSigner(),
      signal: new AbortController().signal,
    })
    await expect(opening).rejects.toThrow(ConnectError)
    expect(server.calls.length).toBe(before)
  })
})

test.each([
  ['the status OK', 0],
  ['an error', Code.Unavailable],
])('a subscription leaves no listener on the signal of the caller after %s', async (_, status) => {
  const connection = grpcConnections()(server.url)
  const { signal } = new AbortController()
  const opening = subscribe({
    method: TradeEventService.method.subscribe,
    message: tradeRequest({ subscribeType: 1, accounts: ['A1'] }, 0),
    transport: connection.transport,
    signer: testSigner(),
    signal,
  })
  const call = await server.call()
  const subscription = await opening
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  call.end(status)
  await subscription.next().catch(() => {})
  expect(getEventListeners(signal, 'abort')).toEqual([])
  connection.close()
})

describe('cancelling a subscription', () => {
  test('resets the stream at once', async () => {
    const connection = grpcConnections()(server.url)
    const opening = subscribe({
      method: TradeEventService.method.subscribe,
      message: tradeRequest({ subscribeType: 1, accounts: ['A1'] }, 0),
      transport: connection.transport,
      signer: testSigner(),
      signal: new AbortController().signal,
    })
    const call = await server.call()
    const subscription = await opening
    call.send(tradeFrame(TradeEventType.SubscribeSuccess))
    await subscription.next()
    subscription.cancel()
    expect(await call.closed).toBe(HTTP2_CANCEL)
    await expect(subscription.next()).rejects.toMatchObject({ code: Code.Canceled })
    connection.close()
  })

  test('sends nothing if the signal was aborted before the signature', async () => {
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    const connection = grpcConnections()(server.url)
    const before = server.calls.length
    await expect(
      subscribe({
        method: TradeEventService.method.subscribe,
        message: tradeRequest({ subscribeType: 1, accounts: ['A1'] }, 0),
        transport: connection.transport,
        signer: testSigner(),
        signal: controller.signal,
      }),
    ).rejects.toThrow('enough')
    expect(server.calls.length).toBe(before)
    connection.close()
  })
})
