/**
 * Start of the simulator beside a bare `http2` server, and delivery to 2,000 open streams beside a bare connect-node server
 * that sends the same frames to the same clients.
 */
import { interleave, joined, median, type Options, type Results, ratioByRound } from '../benchmark.ts'
import { withPrograms } from '../programs.ts'
import type { ServerCommands } from './server-process.ts'
import { openStreams } from './streams.ts'

/** Frames to each stream in a round. */
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
