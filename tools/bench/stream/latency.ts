/** How long a lone message takes from the server's write to the reader's hands. */
import { joined, median, percentile, type Rounds, ratioOf, table } from '../figures.ts'
import { rotated } from './judge.ts'
import type { Plan } from './plan.ts'
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

/** One process for each contender. @returns Their 50th percentiles, and their 99th. */
async function sit(stage: Stage, plan: Plan, rounds: number): Promise<Rounds[]> {
  const contestants: { name: string; client: Client; p50: number[]; p99: number[] }[] = []
  for (const name of CONTENDERS) {
    const client = await stage.start(name, 'lone')
    await client.run(plan)
    contestants.push({ name, client, p50: [], p99: [] })
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { client, p50, p99 } of rotated(contestants, round)) {
      const { latencies } = (await client.run(plan)).client
      p50.push(percentile(latencies, 50))
      p99.push(percentile(latencies, 99))
    }
  }
  for (const { client } of contestants) client.end()
  return (['p50', 'p99'] as const).map((key) =>
    Object.fromEntries(contestants.map((contestant) => [contestant.name, contestant[key]])),
  )
}

export async function measureLatency(stage: Stage, options: LatencyOptions): Promise<Record<string, number>> {
  const plan = { kind: 'lone', messages: options.messages, intervalMs: INTERVAL_MS } as const
  const sittings: Rounds[][] = []
  for (let sitting = 0; sitting < options.sittings; sitting += 1) {
    sittings.push(await sit(stage, plan, options.rounds))
  }
  const [p50 = {}, p99 = {}] = [0, 1].map((which) => joined(sittings.map((rounds) => rounds[which] ?? {})))
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
