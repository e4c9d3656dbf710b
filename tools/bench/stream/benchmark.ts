/**
 * Our transport and supervised streams, compared with connect-node, grpc-js and bare `node:http2`. The server
 * and each client are separate processes. Peers use their default settings. Rows with `1 MiB` show peers with
 * flow-control windows as large as those of our transport.
 */
import { type Goal, joined, type Options, type Results } from '../benchmark.ts'
import { withPrograms } from '../programs.ts'
import { measureLatency, measureMemory } from './paced.ts'
import { startServer } from './runs.ts'
import { measureThroughput, THROUGHPUT_PARTS } from './throughput.ts'

const LATENCY = 'latency.supervised'
const MEMORY = 'rss.supervised'

export const runs = 2
export const parts = [...THROUGHPUT_PARTS.map(({ name }) => name), LATENCY, MEMORY]

const throughputGoals = THROUGHPUT_PARTS.flatMap(({ shape, comparison }) =>
  comparison.ratios.map(([key, , , goal]): [string, Goal] => [`${shape}.${key}`, goal]),
)
export const goals: Readonly<Record<string, Goal>> = {
  ...Object.fromEntries(throughputGoals),
  'latency.p50.vs_grpc_js': { atMost: 1.1 },
  'latency.supervised.p50.vs_transport': { atMost: 1.15 },
  'rss.vs_connect_node': { atMost: 1.3 },
  'rss.supervised.vs_connect_node': { atMost: 1.3 },
}

export function run({ quick, includes }: Options): Promise<Results> {
  return withPrograms(async (start) => {
    const open = await startServer(start)
    const throughput = THROUGHPUT_PARTS.filter(({ name }) => includes(name))
    const results = [
      ...(throughput.length > 0 ? [await measureThroughput(open, throughput, quick)] : []),
      ...(includes(LATENCY) ? [await measureLatency(open, quick)] : []),
      ...(includes(MEMORY) ? [await measureMemory(open, quick)] : []),
    ]
    return joined(results)
  })
}
