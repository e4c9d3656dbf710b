/** Many open streams of one server, and the messages that they have received. */
import { EventEmitter, once } from 'node:events'
import { TradeEventService, TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { createSigner } from '@brokerwire/signer'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import type { Child } from '@brokerwire/testing/child'
import { create, toBinary } from '@bufbuild/protobuf'
import type { ServerCommands } from './server-process.ts'

const CONNECTIONS = 20

export interface Streams {
  readonly server: Child<ServerCommands>
  /** Messages a second of one round. */
  deliver(framesPerStream: number): Promise<number>
}

/** Resolves when every stream has received its first message. */
export async function openStreams(
  server: Child<ServerCommands>,
  kind: 'simulator' | 'connect-node',
  count: number,
): Promise<Streams> {
  const { url, appKey, appSecret, account } = await server.call('start', kind)
  const signer = createSigner({ appKey, appSecret })
  const clients = Array.from({ length: CONNECTIONS }, () =>
    createStreamClient(TradeEventService, createStreamTransport({ baseUrl: url })),
  )
  const events = new EventEmitter()
  let messages = 0
  let wanted = count
  const reached = once(events, 'reached')
  const receive = async (stream: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of stream) {
      messages += 1
      if (messages === wanted) events.emit('reached')
    }
  }
  const request = create(TradeSubscribeRequestSchema, { subscribeType: 1, accounts: [account] })
  const bytes = toBinary(TradeSubscribeRequestSchema, request)
  for (let index = 0; index < count; index += 1) {
    const { headers } = await signer.signStream(bytes)
    const stream = clients[index % CONNECTIONS]?.subscribe(request, { headers: { ...headers } })
    // Streams end with an error when the server is killed.
    if (stream !== undefined) receive(stream).catch((error: unknown) => events.emit('error', error))
  }
  await reached
  events.on('error', () => {})
  return {
    server,
    async deliver(framesPerStream) {
      wanted = messages + framesPerStream * count
      const start = performance.now()
      const delivered = once(events, 'reached')
      await Promise.all([server.call('send', framesPerStream), delivered])
      return (framesPerStream * count * 1000) / (performance.now() - start)
    },
  }
}
