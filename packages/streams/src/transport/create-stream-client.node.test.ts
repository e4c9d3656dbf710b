/** Streams of `createStreamClient` over this transport, with an interceptor, and over the transport of connect-node. */
import { getEventListeners } from 'node:events'
import { TradeEventService } from '@brokerwire/protos'
import { type GrpcServer, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tradeFrame } from '../test/frames.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport } from './create-stream-transport.ts'

const HTTP2_CANCEL = 8

let server: GrpcServer
beforeEach(async () => {
  server = await startGrpcServer()
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

  test('returns an error status that was received before the first read', async () => {
    const stream = client().subscribe({})
    const call = await server.call()
    call.stream.destroy()
    await call.closed
    await expect(stream.next()).rejects.toHaveProperty('code')
  })

  test("removes its listener from the caller's signal at the end", async () => {
    const { signal } = new AbortController()
    const end = client().subscribe({}, { signal }).next()
    const call = await server.call()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    call.end()
    expect(await end).toMatchObject({ done: true })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('ends the call if onHeader throws', async () => {
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
