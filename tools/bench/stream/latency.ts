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
  const empty = (): Record<string, number[]> => Object.fromEntries(CONTENDERS.map((name) => [name, []]))
  const [p50, p99] = [empty(), empty()]
  for (let sitting = 0; sitting < options.sittings; sitting += 1) {
    const clients: { name: string; client: Client }[] = []
    for (const name of CONTENDERS) {
      const client = await stage.start(name, 'lone')
      await client.run(plan)
      clients.push({ name, client })
    }
    for (let round = 0; round < options.rounds; round += 1) {
      for (const { name, client } of rotated(clients, round)) {
        const { latencies } = (await client.run(plan)).client
        p50[name]?.push(percentile(latencies, 50))
        p99[name]?.push(percentile(latencies, 99))
      }
    }
    for (const { client } of clients) client.end()
  }
  const medianOf = (values: readonly number[] = []): string => median(values).toFixed(0)
  console.log(
    table([
      ['latency of a lone message', 'p50 µs', 'p99 µs'],
      ...CONTENDERS.map((name) => [name, medianOf(p50[name]), medianOf(p99[name])]),
    ]),
  )
  console.log()
  return {
    'latency.p50.vs_grpc_js': ratioOf(p50, 'ours', 'grpc-js'),
    'latency.supervised.p50.vs_transport': ratioOf(p50, 'supervised', 'ours'),
  }
}
