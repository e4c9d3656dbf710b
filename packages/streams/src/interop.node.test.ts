/** Streams against servers of other gRPC implementations, whose framing, resets and trailers differ from the simulator's. */

import { createSigner } from '@brokerwire/signer'
import { afterEach, describe, expect, test } from 'vitest'
import { createStreams, type Streams, type StreamsOptions } from './create-streams.ts'
import { isStreamsError } from './streams-error.ts'
import { startGrpcJsServer } from './test/interop/grpc-js-server.ts'
import { GRPCIO_INSTALL, hasGrpcio, startGrpcioServer } from './test/interop/grpcio-server.ts'
import type { InteropServer } from './test/interop/interop-server.ts'
import { take, takeLabels } from './test/take.ts'

const CREDENTIALS = { appKey: 'interop-key', appSecret: 'interop-secret' }
/** In CI a missing server is a failure. */
const withGrpcio = process.env.CI !== undefined || hasGrpcio()
if (!withGrpcio) process.stdout.write(`skipped: streams from Python's grpcio: ${GRPCIO_INSTALL}\n`)

let server: InteropServer | undefined
let streams: Streams | undefined
afterEach(async () => {
  await streams?.close()
  await server?.close()
})

describe.each([
  { name: 'grpc-js', start: startGrpcJsServer, runs: true },
  { name: 'grpcio', start: startGrpcioServer, runs: withGrpcio },
])('a server on $name', ({ start, runs }) => {
  const open = async (options: Partial<StreamsOptions> = {}): Promise<Streams> => {
    server = await start(CREDENTIALS)
    streams = createStreams({
      signer: createSigner(CREDENTIALS),
      eventsUrl: server.url,
      moduleEventsUrl: server.url,
      ...options,
    })
    return streams
  }

  test.runIf(runs)('delivers trade events, and reconnects after a status', async () => {
    const stream = (await open()).tradeEvents({ accounts: ['A1'] })
    const labels = await takeLabels(stream, 10)
    expect(labels).toEqual([
      'subscribed',
      'r1',
      'r2',
      'r3',
      'reconnecting',
      'subscribed',
      'gap',
      'r4',
      'r5',
      'r6',
    ])
  })

  test.runIf(runs)('resumes module events after the last position', async () => {
    const stream = (await open()).moduleEvents({ modules: ['application'] })
    const items = await take(stream, 10)
    expect(items.map((item) => (item.type === 'event' ? item.id : item.kind))).toEqual([
      'subscribed',
      'm1',
      'm2',
      'm3',
      'reconnecting',
      'subscribed',
      'resumed',
      'm4',
      'm5',
      'm6',
    ])
    expect(items[4]).toMatchObject({ reason: 'status', status: 'unavailable', message: 'try again later' })
  })

  test.runIf(runs)('rejects a wrong secret twice', async () => {
    const signer = createSigner({ ...CREDENTIALS, appSecret: 'another' })
    const failing = take((await open({ signer })).tradeEvents({ accounts: ['A1'] }), 3)
    await expect(failing).rejects.toSatisfy((error) => isStreamsError(error, 'STREAM_AUTH_REJECTED'))
  })

  test.runIf(runs)('delivers a payload of 4 MiB', async () => {
    const length = 4 * 1024 * 1024
    const [, item] = await take((await open()).tradeEvents({ accounts: [`large:${length}`] }), 2)
    expect(item).toMatchObject({ requestId: 'large' })
    expect(item?.type === 'event' ? item.payload.length : 0).toBe(length)
  })
})
