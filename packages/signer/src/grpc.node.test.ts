/** Clients of grpc-js with the signing interceptor, against the simulator and against a raw server. */
import { once } from 'node:events'
import { constants } from 'node:http2'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Secret } from '@brokerwire/core'
import { TradeSubscribeRequest, TradeSubscribeResponse } from '@brokerwire/protos/protobufjs/trade'
import { startSimulator } from '@brokerwire/simulator'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { GrpcSigningOptions } from './grpc/request-signer.ts'
import { createGrpcSigningInterceptor } from './grpc.ts'
import { createSigner, createVerifier, isSignerError } from './index.ts'
import { createSyncSigner } from './sync.ts'

const CREDENTIALS = { appKey: 'key', appSecret: 'secret' }
const SUBSCRIBE = '/grpc.trade.event.EventService/Subscribe'
const PROTOS = join(dirname(fileURLToPath(import.meta.resolve('@brokerwire/protos/package.json'))), 'proto')

let server: GrpcServer
beforeAll(async () => {
  server = await startGrpcServer()
})
afterAll(() => server.close())

/** A client of protobufjs code, and its calls. */
function openClient(url: string, options: GrpcSigningOptions, others: readonly grpc.Interceptor[] = []) {
  const interceptors = [...others, createGrpcSigningInterceptor({ grpc, ...options })]
  const client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure(), { interceptors })
  return {
    subscribe: (
      request: TradeSubscribeRequest,
      metadata = new grpc.Metadata(),
      callOptions: grpc.CallOptions = {},
    ) =>
      client.makeServerStreamRequest(
        SUBSCRIBE,
        (message: TradeSubscribeRequest) => Buffer.from(TradeSubscribeRequest.encode(message).finish()),
        TradeSubscribeResponse.decode,
        request,
        metadata,
        callOptions,
      ),
    client,
    [Symbol.dispose]: () => client.close(),
  }
}

const request = (account = 'A1') =>
  TradeSubscribeRequest.create({ subscribeType: 1, timestamp: Date.now(), accounts: [account] })

/** The error of a call. */
async function failure(
  call: grpc.ClientReadableStream<unknown>,
): Promise<grpc.ServiceError & { cause?: unknown }> {
  const [error] = await once(call, 'error')
  return error
}

/** Verifies the signature of the request that the raw server received. */
async function verify({ headers, body }: { headers: Readonly<Record<string, unknown>>; body: Buffer }) {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-'))
  const verifier = createVerifier({ secretFor: () => CREDENTIALS.appSecret })
  return await verifier.verifyStream({
    headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    requestBytes: body.subarray(5),
  })
}

describe('a client of grpc-js receives an order event from the simulator', () => {
  test('with the static code of protobufjs', async () => {
    await using sim = await startSimulator({ environment: 'sandbox' })
    using client = openClient(sim.eventsUrl, { signer: createSigner(sim.credentials) })
    const call = client.subscribe(request(String(sim.accounts[0])))
    const codes: number[] = []
    for await (const message of call) {
      codes.push(message.eventType)
      if (codes.length === 1) sim.placeOrder({ symbol: 'AAPL', quantity: 100 })
      else if (message.eventType === 1024) break
    }
    expect(codes[0]).toBe(0)
    expect(codes.at(-1)).toBe(1024)
  })

  test('with proto-loader, a synchronous signer and the client of the service', async () => {
    await using sim = await startSimulator({ environment: 'sandbox' })
    const definition = loadSync('grpc/trade/event/events.proto', {
      includeDirs: [PROTOS],
      longs: String,
      defaults: true,
    })
    const Service = grpc.makeClientConstructor(
      definition['grpc.trade.event.EventService'] as grpc.ServiceDefinition,
      'EventService',
    )
    const signer = createSyncSigner(sim.credentials)
    const client = new Service(new URL(sim.eventsUrl).host, grpc.credentials.createInsecure(), {
      interceptors: [createGrpcSigningInterceptor({ grpc, signer })],
    })
    const call = client.Subscribe?.({
      subscribeType: 1,
      timestamp: String(Date.now()),
      accounts: sim.accounts,
    })
    const codes: number[] = []
    for await (const { eventType } of call as AsyncIterable<{ eventType: number }>) {
      codes.push(eventType)
      if (codes.length === 1) sim.placeOrder({ symbol: 'AAPL', quantity: 100 })
      else if (eventType === 1024) break
    }
    client.close()
    expect(codes[0]).toBe(0)
    expect(codes.at(-1)).toBe(1024)
  })
})

describe('a request of grpc-js', () => {
  test.each([
    ['an asynchronous signer', createSigner(CREDENTIALS)],
    ['a synchronous signer', createSyncSigner(CREDENTIALS)],
  ])('has the bytes that %s signed', async (_, signer) => {
    using client = openClient(server.url, { signer })
    const sent = request('账户')
    const call = client.subscribe(sent)
    const received = await server.call()
    expect(await verify(received)).toEqual({ ok: true, appKey: 'key' })
    expect(received.body.subarray(5)).toEqual(Buffer.from(TradeSubscribeRequest.encode(sent).finish()))
    expect(received.headers['x-access-token']).toBeUndefined()
    call.on('error', () => {})
    call.cancel()
  })

  test.each([
    ['a string', 'token-1'],
    ['a Secret', new Secret('token-1')],
    ['a function', () => 'token-1'],
    ['an asynchronous function', async () => new Secret('token-1')],
  ])('has the access token from %s', async (_, accessToken) => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS), accessToken })
    const call = client.subscribe(request()).on('error', () => {})
    expect((await server.call()).headers['x-access-token']).toBe('token-1')
    call.cancel()
  })

  test('knows its peer after it was sent, and is cancelled at the server', async () => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const call = client.subscribe(request()).on('error', () => {})
    expect(call.getPeer()).toBe('')
    const { closed } = await server.call()
    await expect.poll(() => call.getPeer()).toBe(new URL(server.url).host)
    call.cancel()
    expect(await closed).toBe(constants.NGHTTP2_CANCEL)
  })

  test('has its own signature, even if calls share metadata', async () => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const metadata = new grpc.Metadata()
    metadata.set('x-own', 'kept')
    const calls = [client.subscribe(request(), metadata), client.subscribe(request('A2'), metadata)]
    const received = [await server.call(), await server.call()]
    for (const call of received) {
      expect(await verify({ ...call, headers: { ...call.headers, 'x-own': undefined } })).toMatchObject({
        ok: true,
      })
      expect(call.headers['x-own']).toBe('kept')
    }
    expect(Object.keys(metadata.getMap())).toEqual(['x-own'])
    for (const call of calls) call.on('error', () => {}).cancel()
  })
})

describe('a call of grpc-js fails and sends nothing', () => {
  test.each([
    ['token\n', 'without white space at its ends; received text with a line end at its end'],
    ['token ', 'without white space at its ends; received text with white space at its end'],
    ['line\nbreak', 'a non-empty string or a Secret of visible ASCII, or undefined'],
    ['', 'a non-empty string or a Secret of visible ASCII, or undefined; received an empty string'],
  ])('if the access token is %j, without showing it', async (token, expected) => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS), accessToken: () => token })
    const before = server.calls.length
    const error = await failure(client.subscribe(request()))
    expect(error.code).toBe(grpc.status.UNAUTHENTICATED)
    expect(error.details).toBe(`signing the request failed: accessToken() must be ${expected}`)
    expect(isSignerError(error.cause, 'SIGNER_OPTION_INVALID')).toBe(true)
    expect(server.calls.length).toBe(before)
  })

  test.each([
    ['rejects', (cause: unknown) => Promise.reject(cause)],
    [
      'throws',
      (cause: unknown) => {
        throw cause
      },
    ],
  ])('if accessToken() %s', async (_, accessToken) => {
    const cause = new Error('no network')
    using client = openClient(server.url, {
      signer: createSigner(CREDENTIALS),
      accessToken: () => accessToken(cause),
    })
    const error = await failure(client.subscribe(request()))
    expect(error).toMatchObject({ code: grpc.status.UNAUTHENTICATED, cause })
    expect(error.details).toBe('signing the request failed: no network')
  })

  test('if accessToken() rejects with a string', async () => {
    const accessToken = () => Promise.reject('no network')
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS), accessToken })
    const error = await failure(client.subscribe(request()))
    expect(error.details).toBe('signing the request failed: no network')
    expect(error.cause).toBe('no network')
  })

  test('if the message cannot be serialized', async () => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const cause = new Error('accounts is required')
    const call = client.client.makeServerStreamRequest(
      SUBSCRIBE,
      () => {
        throw cause
      },
      TradeSubscribeResponse.decode,
      {},
    )
    const error = await failure(call)
    expect(error).toMatchObject({ code: grpc.status.INTERNAL, cause })
    expect(error.details).toBe('serializing the request failed: accounts is required')
  })

  test.each<[change: string, (accounts: string[]) => void]>([
    ['longer', (accounts) => accounts.push('A2')],
    ['shorter', (accounts) => accounts.pop()],
    ['another of the same length', (accounts) => accounts.splice(0, 1, 'A2')],
  ])('if the message becomes %s while it is signed', async (_, change) => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const message = request()
    const call = client.subscribe(message)
    change(message.accounts)
    const error = await failure(call)
    expect(error.code).toBe(grpc.status.INTERNAL)
    expect(error.details).toBe('the message must not change while it is signed: pass a copy')
    expect(error.cause).toMatchObject({
      code: 'SIGNER_MESSAGE_CHANGED',
      details: { field: 'message', expected: 'unchanged' },
    })
  })

  test('if the metadata has the app secret', async () => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const metadata = new grpc.Metadata()
    metadata.set('x-app-secret', 'secret')
    const error = await failure(client.subscribe(request(), metadata))
    expect(error.code).toBe(grpc.status.INTERNAL)
    expect(error.details).toBe('x-app-secret must not be sent: remove it from the metadata')
    expect(error.cause).toMatchObject({
      code: 'SIGNER_HEADER_FORBIDDEN',
      details: { field: 'x-app-secret', expected: 'absent' },
    })
  })

  test('if the method streams requests', async () => {
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const call = client.client.makeBidiStreamRequest(
      SUBSCRIBE,
      () => Buffer.alloc(0),
      () => ({}),
    )
    const error = await failure(call as never)
    expect(error.code).toBe(grpc.status.UNIMPLEMENTED)
    expect(error.details).toContain(
      `unary or server streaming, because a signature covers one message; received ${SUBSCRIBE}`,
    )
    expect(error.cause).toMatchObject({
      code: 'SIGNER_METHOD_UNSUPPORTED',
      details: { field: 'method', expected: 'unary or server streaming' },
    })
  })

  test('if it is cancelled before the token is there, which aborts the signal', async () => {
    let given: { readonly aborted: boolean } | undefined
    const accessToken: GrpcSigningOptions['accessToken'] = ({ signal }) => {
      given = signal
      return new Promise(() => {})
    }
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS), accessToken })
    const call = client.subscribe(request())
    await expect.poll(() => given).toBeDefined()
    call.cancel()
    expect((await failure(call)).code).toBe(grpc.status.CANCELLED)
    expect(given?.aborted).toBe(true)
  })

  test('if it is cancelled, also when the token arrives later', async () => {
    let arrive: (token: string) => void = () => {}
    const token = new Promise<string>((resolve) => {
      arrive = resolve
    })
    const accessToken = vi.fn<() => Promise<string> | string>(() => 'token-2').mockReturnValueOnce(token)
    using client = openClient(server.url, { signer: createSigner(CREDENTIALS), accessToken })
    const before = server.calls.length
    const call = client.subscribe(request())
    await expect.poll(() => accessToken.mock.calls.length).toBe(1)
    call.cancel()
    const error = await failure(call)
    expect(error.code).toBe(grpc.status.CANCELLED)
    expect(error.metadata).toBeInstanceOf(grpc.Metadata)
    arrive('token-1')
    // The next call arrives after the first one would have.
    const next = client.subscribe(request()).on('error', () => {})
    expect((await server.call()).headers['x-access-token']).toBe('token-2')
    expect(server.calls.length).toBe(before + 1)
    next.cancel()
  })

  test('if its deadline is exceeded before the token is there', async () => {
    using client = openClient(server.url, {
      signer: createSigner(CREDENTIALS),
      accessToken: () => new Promise(() => {}),
    })
    const call = client.subscribe(request(), new grpc.Metadata(), { deadline: Date.now() + 20 })
    const error = await failure(call)
    expect(error.code).toBe(grpc.status.DEADLINE_EXCEEDED)
    expect(error.details).toBe('the deadline was exceeded before the request was signed')
  })

  test('if the client was closed while the request was signed', async () => {
    const client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
    const call = client.subscribe(request())
    client.client.close()
    expect(await failure(call)).toMatchObject({
      code: grpc.status.INTERNAL,
      details: 'Channel has been shut down',
    })
  })
})

test('a unary call is signed and returns its response', async () => {
  using client = openClient(server.url, { signer: createSigner(CREDENTIALS) })
  const response = new Promise((resolve, reject) => {
    client.client.makeUnaryRequest(
      '/test.Service/Unary',
      (text: string) => Buffer.from(text),
      String,
      'the request',
      (error, value) => (error === null ? resolve(value) : reject(error)),
    )
  })
  const call = await server.call()
  expect(await verify(call)).toMatchObject({ ok: true })
  call.send(Buffer.from('the response'))
  call.end(0)
  expect(await response).toBe('the response')
})

describe('the options', () => {
  test.each([
    [undefined, 'grpc must be the module'],
    [{ signer: createSigner(CREDENTIALS) }, 'grpc must be the module'],
    [
      { grpc: { InterceptingCall: grpc.InterceptingCall }, signer: createSigner(CREDENTIALS) },
      'grpc must be the module',
    ],
    [{ grpc, signer: {} }, 'signer.signStream must be a function'],
    [{ grpc, signer: createSigner(CREDENTIALS), accessToken: '' }, 'accessToken must be'],
    [
      { grpc, signer: createSigner(CREDENTIALS), accessToken: new Secret('token\n') },
      'accessToken must be without white space at its ends; received text with a line end at its end',
    ],
    [{ grpc, signer: createSigner(CREDENTIALS), token: 'x' }, 'token'],
  ])('%# are rejected', (options, message) => {
    expect(() => createGrpcSigningInterceptor(options as never)).toThrow(
      expect.objectContaining({
        code: 'SIGNER_OPTION_INVALID',
        message: expect.stringContaining(message),
      }),
    )
  })

  test('may name the two classes instead of the module', () => {
    const { InterceptingCall, Metadata } = grpc
    const signer = createSigner(CREDENTIALS)
    const interceptor: grpc.Interceptor = createGrpcSigningInterceptor({
      grpc: { InterceptingCall, Metadata },
      signer,
    })
    expect(interceptor).toBeTypeOf('function')
  })
})
