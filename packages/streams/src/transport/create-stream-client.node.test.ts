/** A call that is left is over on the server too, over our transport and over connect-node's. */
import { TradeEventService } from '@brokerwire/protos'
import { Code } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tradeFrame } from '../test/frames.ts'
import { type RawServer, startRawServer } from '../test/raw-server.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'

const HTTP2_CANCEL = 8

let server: RawServer
beforeEach(async () => {
  server = await startRawServer()
})
afterEach(() => server.close())

const passing = (next: (request: never) => Promise<unknown>) => (request: never) => next(request)

describe.each([
  ['ours', (baseUrl: string) => createStreamTransport({ baseUrl })],
  [
    'ours with an interceptor',
    (baseUrl: string) => createStreamTransport({ baseUrl, interceptors: [passing as never] }),
  ],
  ['connect-node', (baseUrl: string) => createGrpcTransport({ baseUrl })],
])('over %s', (_, transport) => {
  const client = () => createStreamClient(TradeEventService, transport(server.url))

  test('headers and trailers are told, the trailers at the end alone', async () => {
    const told: string[] = []
    const options = {
      onHeader: (header: Headers) => told.push(`header ${header.get('content-type')}`),
      onTrailer: (trailer: Headers) => told.push(`trailer ${trailer.get('grpc-status')}`),
    }
    const stream = client().subscribe({}, options)
    const first = stream.next()
    const call = await server.call()
    call.send(tradeFrame(1024))
    expect((await first).done).toBe(false)
    expect(told).toEqual(['header application/grpc'])
    call.end()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(told).toEqual(['header application/grpc', 'trailer 0'])
  })

  test('an error is thrown once; afterwards the stream is at its end', async () => {
    const stream = client().subscribe({}, { onTrailer: () => expect.unreachable() })
    const first = stream.next()
    const call = await server.call()
    call.send(tradeFrame(1024))
    await first
    call.end(Code.NotFound, 'gone')
    await expect(stream.next()).rejects.toMatchObject({ code: Code.NotFound, rawMessage: 'gone' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a refusal that came before anybody asked is heard by who asks', async () => {
    const stream = client().subscribe({})
    const call = await server.call()
    call.stream.destroy()
    await call.closed
    await expect(stream.next()).rejects.toHaveProperty('code')
  })

  test("the caller's signal ends the call with an error, and is let go of at the end", async () => {
    const controller = new AbortController()
    let listeners = 0
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    const ended = client().subscribe({}, { signal })
    const end = ended.next()
    ;(await server.call()).end()
    expect(await end).toMatchObject({ done: true })
    expect(listeners).toBe(0)

    const aborted = client().subscribe({}, { signal })
    const pending = aborted.next()
    const call = await server.call()
    controller.abort()
    await expect(pending).rejects.toMatchObject({ code: Code.Canceled })
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })

  test('a hook that throws ends the call', async () => {
    const stream = client().subscribe(
      {},
      {
        onHeader: () => {
          throw new Error('from the hook')
        },
      },
    )
    const first = stream.next()
    const call = await server.call()
    call.send(tradeFrame(1024))
    await expect(first).rejects.toThrow('from the hook')
    expect(await call.closed).toBe(HTTP2_CANCEL)
  })
})
