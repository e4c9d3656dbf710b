/** Generated clients over connect-node with the signing interceptor, against the simulator and against a raw server. */
import { Secret } from '@brokerwire/core'
import {
  TradeEventService,
  type TradeSubscribeRequest,
  TradeSubscribeRequestSchema,
} from '@brokerwire/protos'
import { startSimulator } from '@brokerwire/simulator'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSigningInterceptor, type GrpcSigningOptions } from './connect.ts'
import { createSigner, createVerifier, isSignerError } from './index.ts'
import { createSyncSigner } from './sync.ts'

const CREDENTIALS = { appKey: 'key', appSecret: 'secret' }

let server: GrpcServer
beforeAll(async () => {
  server = await startGrpcServer()
})
afterAll(() => server.close())

const transportTo = (baseUrl: string, options: GrpcSigningOptions, others: readonly Interceptor[] = []) =>
  createGrpcTransport({ baseUrl, interceptors: [...others, createSigningInterceptor(options)] })

type Request = MessageInitShape<typeof TradeSubscribeRequestSchema>
const request = (): Request => ({ subscribeType: 1, timestamp: BigInt(Date.now()), accounts: ['A1', '账户'] })

async function readAll(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}

/** Subscribes over a transport to the raw server. Returns the call that it received. */
async function subscribe(transport: Transport, message: Request = request()): Promise<GrpcServerCall> {
  const controller = new AbortController()
  const { signal } = controller
  const messages = createClient(TradeEventService, transport).subscribe(message, { signal })
  const ended = readAll(messages).catch(() => {})
  const call = await server.call()
  controller.abort()
  await ended
  return call
}

/** Subscribes over a transport. Returns the error of the call. */
async function failure(transport: Transport, headers: Record<string, string> = {}): Promise<ConnectError> {
  const messages = createClient(TradeEventService, transport).subscribe(request(), { headers })
  return await readAll(messages).then(
    () => expect.fail('the call did not fail'),
    (error) => ConnectError.from(error),
  )
}

async function verify({ headers, body }: GrpcServerCall) {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-'))
  const verifier = createVerifier({ secretFor: () => CREDENTIALS.appSecret })
  return await verifier.verifyStream({
    headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    requestBytes: body.subarray(5),
  })
}

test('a generated client over connect-node receives an order event from the simulator', async () => {
  await using sim = await startSimulator({ environment: 'sandbox' })
  const transport = transportTo(sim.eventsUrl, { signer: createSigner(sim.credentials) })
  const messages = createClient(TradeEventService, transport).subscribe({
    subscribeType: 1,
    timestamp: BigInt(Date.now()),
    accounts: sim.accounts.map(String),
  })
  const codes: number[] = []
  for await (const { eventType } of messages) {
    const code: number = eventType
    codes.push(code)
    if (codes.length === 1) sim.placeOrder({ symbol: 'AAPL', quantity: 100 })
    else if (code === 1024) break
  }
  expect(codes[0]).toBe(0)
  expect(codes.at(-1)).toBe(1024)
})

describe('a request of a Connect client', () => {
  test.each([
    ['an asynchronous signer', createSigner(CREDENTIALS)],
    ['a synchronous signer', createSyncSigner(CREDENTIALS)],
  ])('has the bytes that %s signed', async (_, signer) => {
    const sent = create(TradeSubscribeRequestSchema, request())
    const call = await subscribe(transportTo(server.url, { signer }), sent)
    expect(await verify(call)).toEqual({ ok: true, appKey: 'key' })
    expect(call.body.subarray(5)).toEqual(Buffer.from(toBinary(TradeSubscribeRequestSchema, sent)))
    expect(call.headers['x-access-token']).toBeUndefined()
  })

  test('keeps unknown fields, which are signed too', async () => {
    const sent = create(TradeSubscribeRequestSchema, request())
    sent.$unknown = [{ no: 99, wireType: 0, data: Uint8Array.of(1) }]
    const call = await subscribe(transportTo(server.url, { signer: createSigner(CREDENTIALS) }), sent)
    expect(await verify(call)).toMatchObject({ ok: true })
    expect(call.body.subarray(5)).toEqual(Buffer.from(toBinary(TradeSubscribeRequestSchema, sent)))
  })

  test('can be changed by the caller at once', async () => {
    const sent = create(TradeSubscribeRequestSchema, request())
    const transport = transportTo(server.url, {
      signer: createSigner(CREDENTIALS),
      accessToken: () => {
        sent.accounts.push('A2')
        return undefined
      },
    })
    const call = await subscribe(transport, sent)
    expect(await verify(call)).toMatchObject({ ok: true })
    expect(Object.isFrozen(sent)).toBe(false)
  })

  test.each([
    ['a string', 'token-1'],
    ['a Secret', new Secret('token-1')],
    ['a function', () => 'token-1'],
    ['an asynchronous function', async () => new Secret('token-1')],
  ])('has the access token from %s', async (_, accessToken) => {
    const call = await subscribe(transportTo(server.url, { signer: createSigner(CREDENTIALS), accessToken }))
    expect(call.headers['x-access-token']).toBe('token-1')
  })

  test('is signed if another interceptor removes the header content-type', async () => {
    const remove: Interceptor = (next) => (call) => {
      call.header.delete('content-type')
      return next(call)
    }
    const call = await subscribe(transportTo(server.url, { signer: createSigner(CREDENTIALS) }, [remove]))
    expect(await verify(call)).toMatchObject({ ok: true })
  })

  test('is signed in a unary call', async () => {
    const transport = transportTo(server.url, { signer: createSigner(CREDENTIALS) })
    const method = { ...TradeEventService.method.subscribe, methodKind: 'unary' as const }
    const response = transport.unary(method as never, undefined, undefined, undefined, request() as never)
    const call = await server.call()
    expect(await verify(call)).toMatchObject({ ok: true })
    call.end(Code.Unavailable)
    await expect(response).rejects.toThrow(ConnectError)
  })
})

describe('a call fails and sends nothing', () => {
  const signer = createSigner(CREDENTIALS)

  test.each(['client_streaming', 'bidi_streaming'] as const)('if the method is %s', async (methodKind) => {
    const before = server.calls.length
    const transport = transportTo(server.url, { signer })
    const method = { ...TradeEventService.method.subscribe, methodKind }
    const messages = (async function* () {
      yield request()
    })()
    const error = await transport
      .stream(method as never, undefined, undefined, undefined, messages as never)
      .then(() => undefined, ConnectError.from)
    expect(error?.code).toBe(Code.Unimplemented)
    expect(error?.rawMessage).toBe(
      `the method must be unary or server streaming, because a signature covers one message; received ${methodKind}`,
    )
    expect(error?.cause).toMatchObject({
      code: 'SIGNER_METHOD_UNSUPPORTED',
      details: { field: 'method', expected: 'unary or server streaming' },
    })
    expect(server.calls.length).toBe(before)
  })

  test('if the transport sends JSON', async () => {
    const interceptors = [createSigningInterceptor({ signer })]
    const error = await failure(
      createGrpcTransport({ baseUrl: server.url, useBinaryFormat: false, interceptors }),
    )
    expect(error).toMatchObject({
      code: Code.Unimplemented,
      rawMessage: 'the transport must send the binary format; received JSON. Remove useBinaryFormat: false',
    })
    expect(error.cause).toMatchObject({
      code: 'SIGNER_METHOD_UNSUPPORTED',
      details: { field: 'useBinaryFormat', expected: 'true' },
    })
  })

  test.each([
    ['token\n', 'without white space at its ends; received text with a line end at its end'],
    ['token ', 'without white space at its ends; received text with white space at its end'],
    ['line\nbreak', 'a non-empty string or a Secret of visible ASCII, or undefined'],
    ['', 'a non-empty string or a Secret of visible ASCII, or undefined; received an empty string'],
  ])('if the access token is %j, without showing it', async (token, expected) => {
    const before = server.calls.length
    const error = await failure(transportTo(server.url, { signer, accessToken: () => token }))
    expect(error.code).toBe(Code.Unauthenticated)
    expect(error.rawMessage).toBe(`signing the request failed: accessToken() must be ${expected}`)
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
    const cause = new ConnectError('no network', Code.Unavailable)
    const error = await failure(transportTo(server.url, { signer, accessToken: () => accessToken(cause) }))
    expect(error.code).toBe(Code.Unauthenticated)
    expect(error.rawMessage).toBe('signing the request failed: [unavailable] no network')
    expect(error.cause).toBe(cause)
  })

  test('if accessToken() rejects with a string', async () => {
    const error = await failure(
      transportTo(server.url, { signer, accessToken: () => Promise.reject('no network') }),
    )
    expect(error.rawMessage).toBe('signing the request failed: no network')
    expect(error.cause).toBe('no network')
  })

  test.each([
    ['it is cancelled', Code.Canceled, (stop: AbortController) => ({ signal: stop.signal })],
    ['its deadline is exceeded', Code.DeadlineExceeded, () => ({ timeoutMs: 20 })],
  ])('if %s before the token is there, which aborts the signal', async (_, code, optionsOf) => {
    const stop = new AbortController()
    let given: { readonly aborted: boolean } | undefined
    const accessToken: GrpcSigningOptions['accessToken'] = ({ signal }) => {
      given = signal
      stop.abort()
      return new Promise(() => {})
    }
    const client = createClient(TradeEventService, transportTo(server.url, { signer, accessToken }))
    const error = await readAll(client.subscribe(request(), optionsOf(stop))).catch(ConnectError.from)
    expect(error?.code).toBe(code)
    expect(given?.aborted).toBe(true)
  })

  test('if the message cannot be serialized', async () => {
    const sent = create(TradeSubscribeRequestSchema, request())
    sent.subscribeType = 1.5
    const messages = createClient(TradeEventService, transportTo(server.url, { signer })).subscribe(sent)
    const error = await readAll(messages).catch(ConnectError.from)
    expect(error?.code).toBe(Code.Internal)
    expect(error?.rawMessage).toMatch(/^serializing the request failed: .*1\.5/)
    expect(error?.cause).toBeInstanceOf(Error)
  })

  test.each([0, 2])('if a request has %i messages', async (count) => {
    const transport = transportTo(server.url, { signer })
    const messages = (async function* () {
      for (let index = 0; index < count; index += 1) yield request()
    })()
    const { subscribe } = TradeEventService.method
    const error = await transport
      .stream(subscribe, undefined, undefined, undefined, messages)
      .then(() => undefined, ConnectError.from)
    expect(error).toMatchObject({
      code: Code.Internal,
      rawMessage: `messages must be one; received ${count}`,
    })
    expect(error?.cause).toMatchObject({
      code: 'SIGNER_INPUT_INVALID',
      details: { field: 'messages', expected: 'one' },
    })
  })

  test('if the request has the app secret', async () => {
    const error = await failure(transportTo(server.url, { signer }), { 'x-app-secret': 'secret' })
    expect(error.code).toBe(Code.Internal)
    expect(error.rawMessage).toBe('x-app-secret must not be sent: remove the header')
    expect(error.cause).toMatchObject({
      code: 'SIGNER_HEADER_FORBIDDEN',
      details: { field: 'x-app-secret', expected: 'absent' },
    })
    expect(error.message).not.toContain('secret"')
  })

  test('if a later interceptor changes the message', async () => {
    const change: Interceptor = (next) => async (call) => {
      if (!call.stream) return await next(call)
      const message = (async function* () {
        for await (const part of call.message) {
          ;(part as TradeSubscribeRequest).payload = 'changed'
          yield part
        }
      })()
      return await next({ ...call, message: message as never })
    }
    const interceptors = [createSigningInterceptor({ signer }), change]
    const error = await failure(createGrpcTransport({ baseUrl: server.url, interceptors }))
    expect(error.message).toMatch(/read only/)
  })
})

test.each([
  [undefined, 'options must be an object with signer'],
  [{ signer: {} }, 'signer.signStream must be a function'],
  [
    { signer: createSigner(CREDENTIALS), accessToken: 1 },
    'accessToken must be a non-empty string or a Secret of visible ASCII, or a function; received a number',
  ],
  [
    { signer: createSigner(CREDENTIALS), accessToken: new Secret('token\n') },
    'accessToken must be without white space at its ends; received text with a line end at its end',
  ],
  [{ signer: createSigner(CREDENTIALS), accesToken: 'x' }, 'accessToken'],
])('the options %# are rejected', (options, message) => {
  expect(() => createSigningInterceptor(options as never)).toThrow(
    expect.objectContaining({
      code: 'SIGNER_OPTION_INVALID',
      message: expect.stringContaining(message),
    }),
  )
})
