/** Mistakes of the caller: they are reported at once and never end the process. */
import { TradeEventService } from '@brokerwire/protos'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStreams } from '../create-streams.ts'
import { isStreamsError } from '../streams-error.ts'
import { testSigner } from '../test/frames.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
})
afterEach(() => server.close())

describe('a wrong option is named at once', () => {
  test.each([
    ['decoders', { decoders: 1 }],
    ['decoders', { decoders: {} }],
    ['interceptors[0]', { interceptors: [1] }],
    ['acceptCompression[0]', { acceptCompression: [{}] }],
    ['sendCompression', { sendCompression: 'gzip' }],
    ['tls', { tls: { key: 'SECRET no key', cert: 'no certificate' } }],
    ['tls', { tls: 'none' }],
  ])('%s', (option, options) => {
    const error: unknown = (() => {
      try {
        return createStreamTransport({ baseUrl: 'https://localhost', ...options } as never)
      } catch (cause) {
        return cause
      }
    })()
    if (!isStreamsError(error, 'STREAM_OPTION_INVALID')) throw new Error('another error')
    expect(error.details.option).toBe(option)
    expect(JSON.stringify(error) + String(error.stack)).not.toContain('SECRET')
  })

  test('signal', () => {
    const streams = createStreams({ signer: testSigner(), eventsUrl: server.url })
    const open = () => streams.tradeEvents({ accounts: ['A'], signal: 5 as never })
    expect(open).toThrow(expect.objectContaining({ details: expect.objectContaining({ option: 'signal' }) }))
  })
})

test('fails before a connection is opened if the map of decoders throws', async () => {
  const decoders = {
    get() {
      throw new Error('no decoder today')
    },
  }
  const transport = createStreamTransport({ baseUrl: server.url, decoders: decoders as never })
  const stream = createStreamClient(TradeEventService, transport).subscribe({})
  await expect(stream.next()).rejects.toThrow('no decoder today')
  transport.close()
  expect(server.calls).toEqual([])
})

test('fails with failed_precondition if createConnection returns no Duplex', async () => {
  const transport = createStreamTransport({
    baseUrl: server.url,
    createConnection: () => 'a socket' as never,
  })
  const stream = createStreamClient(TradeEventService, transport).subscribe({})
  await expect(stream.next()).rejects.toMatchObject({ code: Code.FailedPrecondition })
})

test('accepts 0 and Infinity as no deadline, and rejects NaN', async () => {
  const client = createStreamClient(TradeEventService, createStreamTransport({ baseUrl: server.url }))
  const stream = client.subscribe({}, { timeoutMs: Number.POSITIVE_INFINITY })
  const pending = stream.next()
  const call = await server.call()
  expect(call.headers['grpc-timeout']).toBeUndefined()
  await stream.return()
  await pending
  await expect(client.subscribe({}, { timeoutMs: Number.NaN }).next()).rejects.toMatchObject({
    code: Code.InvalidArgument,
  })
})

test('does not leak listeners if many streams use one signal', async () => {
  const warnings: string[] = []
  const onWarning = (warning: Error) => warnings.push(warning.name)
  process.on('warning', onWarning)
  const { signal } = new AbortController()
  const client = createStreamClient(TradeEventService, createStreamTransport({ baseUrl: server.url }))
  const streams = Array.from({ length: 20 }, () => client.subscribe({}, { signal }))
  const pending = streams.map((stream) => stream.next())
  for (const _ of streams) await server.call()
  for (const stream of streams) await stream.return()
  await Promise.all(pending)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})
