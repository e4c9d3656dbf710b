/** How long a lone message takes from the server's write to the reader's hands. */
import { median, percentile, ratioOf, table } from '../figures.ts'
import { rotated } from './judge.ts'
import type { Client, Stage } from './processes.ts'

const CONTENDERS = [
  'ours',
  'ours through createClient',
  'supervised',
  'connect-node',
  'grpc-js',
  'raw node:http2',
] as const
const INTERVAL_MS = 2

export interface LatencyOptions {
  /** Times that every contender begins anew: what the compiler makes of the same code differs from process to process. */
  readonly sittings: number
  /** Of each sitting. */
  readonly rounds: number
  readonly messages: number
}

export async function measureLatency(stage: Stage, options: LatencyOptions): Promise<Record<string, number>> {
  const plan = { kind: 'lone', messages: options.messages, intervalMs: INTERVAL_MS } as const
  const contestants: { name: string; client: Client; p50: number[]; p99: number[] }[] = []
  for (const name of CONTENDERS) {
    const client = await stage.start(name, 'lone')
    await client.run(plan)
    contestants.push({ name, client, p50: [], p99: [] })
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { client, p50, p99 } of rotated(contestants, round)) {
      const { latencies } = (await client.run(plan)).client
      p50.push(percentile(latencies, 50))
      p99.push(percentile(latencies, 99))
    }
  }
  for (const { client } of contestants) client.end()
  console.log(
    table([
      ['latency of a lone message', 'p50 µs', 'p99 µs'],
      ...contestants.map(({ name, p50, p99 }) => [name, median(p50).toFixed(0), median(p99).toFixed(0)]),
    ]),
  )
  console.log()
  const p50 = Object.fromEntries(contestants.map((contestant) => [contestant.name, contestant.p50]))
  return {
    'latency.p50.vs_grpc_js': ratioOf(p50, 'ours', 'grpc-js'),
    'latency.supervised.p50.vs_transport': ratioOf(p50, 'supervised', 'ours'),
  }
}
