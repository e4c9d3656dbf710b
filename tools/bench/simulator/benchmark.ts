/**
 * Start of the simulator compared with a bare `http2` server, and delivery to 2,000 open streams compared
 * with a bare connect-node server that sends the same frames to the same clients.
 */
import { EventEmitter, once } from 'node:events'
import { TradeEventService, TradeSubscribeRequestSchema } from '@brokerwire/protos/trade'
import { createSigner } from '@brokerwire/signer'
import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
import type { Child } from '@brokerwire/testing/child'
import { create, toBinary } from '@bufbuild/protobuf'
import { interleave, joined, median, type Options, type Results, ratioByRound } from '../benchmark.ts'
import { withPrograms } from '../programs.ts'
import type { ServerCommands } from './server-process.ts'

/** Number of frames that each stream gets in a round. */
const FRAMES = 50

export const parts = ['start', 'deliver']
export const goals = {
  'simulator.deliver.vs_connect_node': { atLeast: 0.5 },
  'simulator.rss_mib': { atMost: 512 },
}

const PROGRAM = new URL('server-process.ts', import.meta.url)

function measureStart(quick: boolean): Promise<Results> {
  return withPrograms(async (start) => {
    const program = await start<ServerCommands>(PROGRAM)
    const { simulator, bare } = await program.call('measureStart', quick ? 20 : 200)
    const rows = [
      ['start', 'ms'],
      ['simulator', simulator.toFixed(2)],
      ['http2 server', bare.toFixed(2)],
    ]
    return {
      tables: [rows],
      ratios: { 'simulator.start.vs_bare_http2': Number((simulator / bare).toFixed(1)) },
    }
  })
}

const CONNECTIONS = 20

interface Streams {
  readonly server: Child<ServerCommands>
  /**
   * Measures a round.
   *
   * @returns Messages per second.
   */
  deliver(framesPerStream: number): Promise<number>
}

/** Resolves when every stream has received its first message. */
async function openStreams(
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

function measureDelivery(quick: boolean): Promise<Results> {
  return withPrograms(async (start) => {
    const open = async (kind: 'simulator' | 'connect-node') => {
      const server = await start<ServerCommands>(PROGRAM)
      return openStreams(server, kind, quick ? 200 : 2000)
    }
    const streams = { simulator: await open('simulator'), 'connect-node': await open('connect-node') }
    const rounds = await interleave(streams, quick ? 3 : 7, (each) => each.deliver(FRAMES))
    const rss = await streams.simulator.server.call('rss')
    const rows = Object.entries(rounds).map(([name, rates]) => [name, Math.round(median(rates)).toString()])
    return {
      tables: [[['delivery', 'messages/s'], ...rows]],
      ratios: {
        'simulator.deliver.vs_connect_node': ratioByRound(rounds, 'simulator', 'connect-node'),
        'simulator.rss_mib': Math.round(rss / 2 ** 20),
      },
    }
  })
}

export async function run({ quick, includes }: Options): Promise<Results> {
  const results = [
    ...(includes('start') ? [await measureStart(quick)] : []),
    ...(includes('deliver') ? [await measureDelivery(quick)] : []),
  ]
  return joined(results)
}
