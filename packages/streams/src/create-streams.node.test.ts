/** Options of `createStreams`: an error names an invalid option before anything is opened, and never shows its value. */
import { TradeEventType } from '@brokerwire/protos'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { startGrpcServer } from '@brokerwire/testing/grpc-server'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { describe, expect, test } from 'vitest'
import { createSubscriptionBudget } from './budget.ts'
import { createStreams, type StreamsOptions } from './create-streams.ts'
import { isStreamsError, StreamsError } from './streams-error.ts'
import { grpcConnections } from './subscription/connection.ts'
import { IDENTITY } from './test/context.ts'
import { testSigner, tradeFrame } from './test/frames.ts'
import { take } from './test/take.ts'
import { testTokens } from './test/tokens.ts'

const URL = 'http://127.0.0.1:1'

function optionOf(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    if (!isStreamsError(error, 'STREAM_OPTION_INVALID')) throw error
    expect(error.message).not.toContain('hidden-value')
    return error.details.option
  }
}

/** Tokens for the service of {@link IDENTITY} alone. */
const SERVICE_TOKENS = { ...testTokens(() => 'the-token-0000000'), origin: IDENTITY.baseUrl }

/** Creates streams with options that the compiler would reject. */
const open = (change: object) =>
  createStreams({ signer: testSigner(), eventsUrl: URL, moduleEventsUrl: URL, ...change })

describe('the error of an invalid option', () => {
  test.each<[string, Record<string, unknown>]>([
    ['signer', { signer: undefined }],
    ['signer', { signer: { appKey: 'hidden-value' } }],
    ['eventsUrl', { eventsUrl: 'hidden-value' }],
    ['eventsUrl', { eventsUrl: 'ftp://hidden-value' }],
    ['eventsUrl', { eventsUrl: 'https://user:hidden-value@host' }],
    ['eventsUrl', { eventsUrl: 'https://host/?token=hidden-value' }],
    ['eventsUrl', { eventsUrl: 'https://host/hidden-value' }],
    ['eventsUrl', { eventsUrl: 'http://0.0.0.0' }],
    ['eventsUrl', { eventsUrl: 'http://hidden-value.example' }],
    ['eventsUrl', { eventsUrl: 'https://host\\hidden-value' }],
    ['eventsUrl', { eventsUrl: 'https://ho\tst' }],
    ['moduleEventsUrl', { moduleEventsUrl: 5 }],
    ['moduleEventsUrl', { moduleEventsUrl: 'http://0.0.0.0' }],
    [
      'connection.allowInsecure',
      { moduleEventsUrl: 'http://host.example', connection: { allowInsecure: true } },
    ],
    ['allowInsecure', { allowInsecure: 'hidden-value' }],
    ['identity', { store: createFailingStore() }],
    ['identity.region', { store: createFailingStore(), identity: { ...IDENTITY, region: '' } }],
    ['moduleEventsUrl', { identity: IDENTITY, moduleEventsUrl: 'https://other.test' }],
    ['accessTokens', { accessTokens: 'hidden-value' }],
    ['accessTokens.reportRejected', { accessTokens: { get: () => {} } }],
    ['identity', { accessTokens: SERVICE_TOKENS }],
    ['identity', { accessTokens: SERVICE_TOKENS, identity: { ...IDENTITY, baseUrl: 'https://other.test' } }],
    ['onClockSkew', { onClockSkew: true }],
    ['random', { random: 4 }],
    ['transports.trade', { transports: { trade: {} } }],
    ['transports.module', { transports: { module: 'hidden-value' } }],
    ['connection', { connection: 'hidden-value' }],
    ['connection.keepAlive.intervalMs', { connection: { keepAlive: { intervalMs: 0 } } }],
    ['connection.readMaxBytes', { connection: { readMaxBytes: 1.5 } }],
    ['supervision', { supervision: 3 }],
    ['supervision.backoffBaseMs', { supervision: { backoffBaseMs: -1 } }],
    ['supervision.maxAttempts', { supervision: { maxAttempts: 0 } }],
    ['supervision.maxHeartbeatTimeoutMs', { supervision: { maxHeartbeatTimeoutMs: 1000 } }],
    ['supervision.onCursorRejected', { supervision: { onCursorRejected: 'shrug' } }],
    ['buffer', { buffer: 9 }],
    ['buffer.maxItems', { buffer: { maxItems: 0 } }],
    ['maxIdBytes', { maxIdBytes: 1 }],
    // In UTF-8 such an id could be longer than all stored ids together may be.
    ['maxIdBytes', { maxIdBytes: 512 * 1024 + 1 }],
  ])('names %s', (option, change) => {
    const options = { signer: testSigner(), eventsUrl: URL, ...change } as unknown as StreamsOptions
    expect(optionOf(() => createStreams(options))).toBe(option)
  })

  test('names allowInsecure for http: to a host other than loopback', () => {
    const addresses = { eventsUrl: 'http://host.example', moduleEventsUrl: 'http://0.0.0.0' }
    expect(() => createStreams({ signer: testSigner(), ...addresses })).toThrow('allowInsecure: true')
    expect(() => createStreams({ signer: testSigner(), ...addresses, allowInsecure: true })).not.toThrow()
  })

  test.each<[string, string, () => unknown]>([
    ['eventsUrll', 'eventsUrl', () => createStreams({ signer: testSigner(), eventsUrll: URL } as never)],
    [
      'transports.trades',
      'trade',
      () => createStreams({ signer: testSigner(), transports: { trades: 1 } } as never),
    ],
    ['supervision.maxAttempt', 'maxAttempts', () => open({ supervision: { maxAttempt: 1 } })],
    ['buffer.maxitems', 'maxItems', () => open({ buffer: { maxitems: 1 } })],
    [
      'connection.keepAlive.interval',
      'intervalMs',
      () => open({ connection: { keepAlive: { interval: 1 } as never } }),
    ],
    ['account', 'accounts', () => open({}).tradeEvents({ account: 'A1' } as never)],
    ['module', 'modules', () => open({}).moduleEvents({ module: 'account' } as never)],
    [
      'maxitem',
      'maxItems',
      () =>
        open({})
          .tradeEvents({ accounts: ['A'] })
          .batches({ maxitem: 1 } as never),
    ],
    ['maxi', 'max', () => createSubscriptionBudget({ maxi: 1 } as never)],
  ])('names the unknown option %s and suggests %s', (given, known, make) => {
    expect(optionOf(make)).toBe(given)
    expect(make).toThrow(`unknown option "${given}". Did you mean "${known}"?`)
  })

  test('names options that are not an object', () => {
    expect(optionOf(() => createStreams(undefined as never))).toBe('options')
    expect(optionOf(() => createSubscriptionBudget({ max: 0 }))).toBe('max')
  })

  test('names the missing origin of a stream', () => {
    const streams = createStreams({ signer: testSigner() })
    expect(optionOf(() => streams.tradeEvents({ accounts: ['A'] }))).toBe('eventsUrl')
    expect(optionOf(() => streams.positionEvents({ accounts: ['A'] }))).toBe('eventsUrl')
    expect(optionOf(() => streams.moduleEvents({ modules: ['account'] }))).toBe('moduleEventsUrl')
  })
})

describe('the default connections', () => {
  test('reject http: to a host other than loopback without allowInsecure', () => {
    const url = 'http://host.example'
    expect(optionOf(() => grpcConnections()(url))).toBe('baseUrl')
    expect(optionOf(() => grpcConnections()('https://host\\hidden-value'))).toBe('baseUrl')
    expect(() => grpcConnections({ allowInsecure: true })(url).close()).not.toThrow()
  })
})

describe('transports', () => {
  test('closes a connection after its call was cancelled', async () => {
    const server = await startGrpcServer()
    const steps: string[] = []
    const streams = createStreams({
      signer: testSigner(),
      eventsUrl: server.url,
      transports: {
        trade: () => ({
          transport: {
            unary: () => Promise.reject(new Error('not used')),
            stream: (_method, signal) => {
              signal?.addEventListener('abort', () => steps.push('cancelled'))
              return new Promise(() => {})
            },
          },
          close: () => steps.push('closed'),
        }),
      },
    })
    const stream = streams.tradeEvents({ accounts: ['A1'], signal: AbortSignal.timeout(50) })
    await expect(stream.next()).rejects.toThrow()
    expect(steps).toEqual(['cancelled', 'closed'])
    await server.close()
  })

  test('uses a Connect transport of the caller without an origin', async () => {
    const server = await startGrpcServer()
    const transport = createGrpcTransport({ baseUrl: server.url })
    const streams = createStreams({ signer: testSigner(), transports: { trade: transport } })
    const stream = streams.positionEvents({ accounts: ['A'] })
    const first = take(stream, 1)
    const call = await server.call()
    call.send(tradeFrame(TradeEventType.SubscribeSuccess))
    expect(await first).toMatchObject([{ kind: 'subscribed' }])
    await stream.return()
    expect(await call.closed).toBe(8)
    await server.close()
  })

  test('sends no token of a provider with an origin over a Connect transport, because its address is unknown', async () => {
    const server = await startGrpcServer()
    const transport = createGrpcTransport({ baseUrl: server.url })
    const transports = { trade: transport, module: grpcConnections() }
    const tokensSent: unknown[] = []
    for (const accessTokens of [SERVICE_TOKENS, testTokens(() => 'the-token-0000000')]) {
      const options = { signer: testSigner(), identity: IDENTITY, accessTokens, transports }
      const stream = createStreams(options).tradeEvents({ accounts: ['A'] })
      const pending = stream.next()
      tokensSent.push((await server.call()).headers['x-access-token'])
      await stream.return()
      await pending
    }
    expect(tokensSent).toEqual([undefined, 'the-token-0000000'])
    await server.close()
  })

  test('calls a connection factory for each attempt, and closes each connection', async () => {
    const server = await startGrpcServer()
    const openedUrls: string[] = []
    let closed = 0
    const streams = createStreams({
      signer: testSigner(),
      eventsUrl: `${server.url}/`,
      transports: {
        trade: (baseUrl) => {
          openedUrls.push(baseUrl)
          return {
            transport: createGrpcTransport({ baseUrl }),
            close: () => {
              closed += 1
            },
          }
        },
      },
    })
    const stream = streams.tradeEvents({ accounts: ['A'] })
    const items = take(stream, 3)
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const call = await server.call()
      call.send(tradeFrame(TradeEventType.SubscribeSuccess))
      if (attempt === 0) call.end()
    }
    await items
    expect({ openedUrls, closed }).toEqual({ openedUrls: [server.url, server.url], closed: 1 })
    await stream.return()
    expect(closed).toBe(2)
    await server.close()
  })
})

test('the host of a notice has its port, also if it is the default one', async () => {
  const stream = () => Promise.reject(new ConnectError('no connection', Code.Unavailable))
  const transport = { stream, unary: stream } as Transport
  const eventsUrl = 'https://events-api.example.com'
  const streams = createStreams({ signer: testSigner(), eventsUrl, transports: { trade: transport } })
  const events = streams.tradeEvents({ accounts: ['A'] })
  expect((await events.next()).value).toMatchObject({
    kind: 'reconnecting',
    host: 'events-api.example.com:443',
  })
  await streams.close()
})

describe('the streams object', () => {
  test('ends all its streams when it is disposed', async () => {
    const server = await startGrpcServer()
    const streams = createStreams({ signer: testSigner(), eventsUrl: server.url })
    const open = [streams.tradeEvents({ accounts: ['A'] }), streams.positionEvents({ accounts: ['A'] })]
    const pending = open.map((stream) => stream.next())
    const calls = [await server.call(), await server.call()]
    await streams.close()
    expect(await Promise.all(pending)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    expect(await Promise.all(calls.map((call) => call.closed))).toEqual([8, 8])
    await server.close()
  })

  test('next() resolves at once after a stream failed at its start', async () => {
    const streams = createStreams({ signer: testSigner(), eventsUrl: 'http://127.0.0.1:9' })
    const stream = streams.tradeEvents({ accounts: ['A'], signal: AbortSignal.abort('enough') })
    expect(await stream.next().catch((reason: unknown) => reason)).toBe('enough')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('starts no stream after it was disposed, even one that was created before', async () => {
    const server = await startGrpcServer()
    const streams = createStreams({ signer: testSigner(), eventsUrl: server.url })
    const made = streams.tradeEvents({ accounts: ['A'] })
    await streams.close()
    for (const stream of [made, streams.positionEvents({ accounts: ['A'] })]) {
      const error = await stream.next().catch((caught: unknown) => caught)
      expect(isStreamsError(error, 'STREAM_CLOSED') && error.retryable).toBe(false)
      expect(await stream.next()).toEqual({ done: true, value: undefined })
    }
    expect(server.calls).toEqual([])
    await server.close()
  })
})

test('isStreamsError() recognizes an error of another copy of the package, but not of another package', () => {
  const error = new StreamsError('STREAM_BUDGET_EXCEEDED', 'x', { details: { max: 5 } })
  const copy = Object.assign(Object.create(null), { ...error, [Symbol.for('@brokerwire/error')]: 'streams' })
  expect(isStreamsError(copy, 'STREAM_BUDGET_EXCEEDED')).toBe(true)
  expect(isStreamsError(copy, 'STREAM_REFUSED')).toBe(false)
  expect(isStreamsError(Object.assign(copy, { [Symbol.for('@brokerwire/error')]: 'signer' }))).toBe(false)
  expect(error.name).toBe('StreamsError')
})
