/** Measurements at a fixed rate: latency of single messages, and resident memory. */
import { interleave, median, medians, percentile, type Results, ratioOf } from '../benchmark.ts'
import type { Client, OpenClient } from './runs.ts'

const LATENCY_CASES = ['transport', 'supervised', 'connect-node', 'grpc-js'] as const

/** Measures the time from the server's write of a single message until the consumer has the message. */
export async function measureLatency(open: OpenClient, quick: boolean): Promise<Results> {
  const plan = { kind: 'single', messages: quick ? 100 : 300, intervalMs: 2 } as const
  const clients: Record<string, Client> = {}
  for (const name of LATENCY_CASES) clients[name] = await open(name, 'latency')
  const p50 = await interleave(clients, quick ? 3 : 6, async (client) =>
    percentile((await client.run(plan)).latencies, 50),
  )
  for (const client of Object.values(clients)) await client.end()
  return {
    tables: [medians('latency of a single message', 'p50 µs', p50, 0)],
    ratios: {
      'latency.p50.vs_grpc_js': ratioOf(p50, 'transport', 'grpc-js'),
      'latency.supervised.p50.vs_transport': ratioOf(p50, 'supervised', 'transport'),
    },
  }
}

const MEMORY_CASES = ['transport', 'supervised', 'connect-node', 'grpc-js', 'raw node:http2'] as const
const PER_SECOND = 20_000

/**
 * Measures resident memory. All clients receive the same number of messages per second, each in a new
 * process.
 */
export async function measureMemory(open: OpenClient, quick: boolean): Promise<Results> {
  const messages = PER_SECOND * (quick ? 1.5 : 3)
  const samples: Record<string, number[]> = {}
  const rows: string[][] = []
  for (const name of MEMORY_CASES) {
    const client = await open(name, 'count')
    const { rssSamples, seconds } = await client.run({
      kind: 'paced',
      perSecond: PER_SECOND,
      messages,
      intervalMs: 4,
    })
    await client.end()
    // Uses the second half of the samples, because the first half contains the start of the client.
    const rss = rssSamples.slice(Math.floor(rssSamples.length / 2))
    samples[name] = rss
    rows.push([name, Math.round(messages / seconds).toLocaleString('en'), (median(rss) / 2 ** 20).toFixed(0)])
  }
  return {
    tables: [[[`memory at ${PER_SECOND.toLocaleString('en')} messages/s`, 'reached', 'RSS MiB'], ...rows]],
    ratios: {
      'rss.vs_connect_node': ratioOf(samples, 'transport', 'connect-node'),
      'rss.supervised.vs_connect_node': ratioOf(samples, 'supervised', 'connect-node'),
    },
  }
}
