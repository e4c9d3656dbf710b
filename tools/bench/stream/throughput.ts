/**
 * Measures messages per second and CPU time at the highest possible rate. The last column is the fraction of
 * a run in which the server computed. It shows that the server is not the bottleneck.
 */
import {
  type Goal,
  joined,
  median,
  orderOf,
  type Results,
  type Rounds,
  ratioOf,
  type Table,
} from '../benchmark.ts'
import { blockOf } from './blocks.ts'
import type { ClientName, Task } from './client-process.ts'
import type { Plan, Service, Shape } from './plan.ts'
import type { Client, OpenClient, Run } from './runs.ts'

const FIRST_BLOCKS = 8
const MIN_BLOCKS = 5
/**
 * Number of runs that estimate the block count. Code gets faster while it warms up, so early estimates are
 * too low.
 */
const ESTIMATES = 4

/** Ratio of two clients. The reported key begins with the shape, for example `permsg.client.vs_raw`. */
type Ratio = readonly [key: string, of: ClientName, to: ClientName, goal: Goal]

/** Clients that run the same task in the same rounds, and the ratios to report. */
interface Comparison {
  readonly service: Service
  readonly task: Task
  /**
   * Duration of a run. It is longer for supervised streams, because a short run mostly measures their new
   * connection.
   */
  readonly runMs: number
  readonly cases: readonly ClientName[]
  readonly ratios: readonly Ratio[]
}

const PEERS = ['connect-node', 'grpc-js', 'grpc-js, 1 MiB', 'raw node:http2'] as const
const SUPERVISED = [
  'supervised',
  'supervised, in batches',
  'supervised, observed',
  'supervised, telemetry',
] as const
const MODULE = ['supervised, module events', 'transport, module events'] as const

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  client: {
    ...{ service: 'trade', task: 'count', runMs: 150 },
    cases: ['transport', 'transport through createClient', ...PEERS],
    ratios: [
      ['client.vs_connect_node', 'transport', 'connect-node', { atLeast: 3 }],
      ['client.vs_grpc_js', 'transport', 'grpc-js', { atLeast: 2 }],
      ['client.vs_raw', 'transport', 'raw node:http2', { atLeast: 0.4 }],
    ],
  },
  decoded: {
    ...{ service: 'trade', task: 'decode', runMs: 150 },
    cases: ['transport', 'connect-node', 'grpc-js'],
    ratios: [
      ['decoded.vs_connect_node', 'transport', 'connect-node', { atLeast: 2 }],
      ['decoded.vs_grpc_js', 'transport', 'grpc-js', { atLeast: 1.5 }],
    ],
  },
  supervised: {
    ...{ service: 'trade', task: 'count', runMs: 600 },
    cases: [...SUPERVISED, 'transport', 'grpc-js, 1 MiB'],
    ratios: [
      ['supervised.vs_transport', 'supervised', 'transport', { atLeast: 0.75 }],
      ['supervised.vs_grpc_js', 'supervised', 'grpc-js, 1 MiB', { atLeast: 2 }],
      ['batches.vs_transport', 'supervised, in batches', 'transport', { atLeast: 0.8 }],
      ['observed.vs_supervised', 'supervised, observed', 'supervised', { atLeast: 0.9 }],
      ['telemetry.vs_supervised', 'supervised, telemetry', 'supervised', { atLeast: 0.9 }],
    ],
  },
  supervised_decoded: {
    ...{ service: 'trade', task: 'decode', runMs: 600 },
    cases: ['supervised', 'transport', 'grpc-js'],
    ratios: [['supervised_decoded.vs_grpc_js', 'supervised', 'grpc-js', { atLeast: 1.5 }]],
  },
  module: {
    ...{ service: 'module', task: 'count', runMs: 600 },
    cases: MODULE,
    ratios: [['module.vs_transport', ...MODULE, { atLeast: 0.65 }]],
  },
}

/** A comparison with one shape of DATA frames. */
export interface Part {
  /** For example `permsg.client`. */
  readonly name: string
  readonly shape: Shape
  readonly comparison: Comparison
}

export const THROUGHPUT_PARTS: readonly Part[] = (['permsg', 'packed'] as const).flatMap((shape) =>
  Object.entries(COMPARISONS).map(([name, comparison]) => ({ name: `${shape}.${name}`, shape, comparison })),
)

interface Cell {
  readonly part: Part
  readonly name: ClientName
  readonly client: Client
  readonly plan: Plan
  readonly runs: Run[]
}

/** Measures the parts. Each client and task has one process. */
export async function measureThroughput(
  open: OpenClient,
  parts: readonly Part[],
  quick: boolean,
): Promise<Results> {
  const clients = new Map<string, Client>()
  const cells: Cell[] = []
  for (const part of parts) {
    const { task, runMs, cases } = part.comparison
    for (const name of cases) {
      const client = clients.get(`${name} ${task}`) ?? (await open(name, task))
      clients.set(`${name} ${task}`, client)
      const plan = await planFor(part, client, quick ? runMs / 3 : runMs)
      cells.push({ part, name, client, plan, runs: [] })
    }
  }
  for (let round = 0; round < (quick ? 5 : 12); round += 1) {
    for (const part of parts) {
      const compared = cells.filter((cell) => cell.part === part)
      for (const { client, plan, runs } of orderOf(compared, round)) runs.push(await client.run(plan))
    }
  }
  for (const client of clients.values()) await client.end()
  return joined(
    parts.map((part) =>
      resultsOf(
        part,
        cells.filter((cell) => cell.part === part),
      ),
    ),
  )
}

/** Warms up the client, and finds the number of blocks for a run of this duration. */
async function planFor({ shape, comparison }: Part, client: Client, runMs: number): Promise<Plan> {
  const planOf = (blocks: number) => ({ kind: 'blast', shape, service: comparison.service, blocks }) as const
  let blocks = FIRST_BLOCKS
  for (let guess = 0; guess < ESTIMATES; guess += 1) {
    const { seconds } = await client.run(planOf(blocks))
    blocks = Math.max(MIN_BLOCKS, Math.ceil((blocks * runMs) / 1000 / seconds))
  }
  return planOf(blocks)
}

function resultsOf({ name, shape, comparison }: Part, cells: readonly Cell[]): Results {
  const { cases, ratios, service } = comparison
  const [first = ''] = cases
  const runsOf = (of: string): Run[] => cells.filter((cell) => cell.name === of).flatMap(({ runs }) => runs)
  const rates: Rounds = Object.fromEntries(
    cases.map((of) => [of, runsOf(of).map(({ sent, seconds }) => sent / seconds)]),
  )
  const { dataBytes, messages } = blockOf(shape, service)
  const table: Table = [
    [
      `${name}, ${Math.round(dataBytes / messages)} bytes each`,
      'messages/s',
      `${first} to it`,
      'CPU s/million',
      'server busy',
    ],
    ...cases.map((of) => {
      const runs = runsOf(of)
      const middle = (figure: (run: Run) => number): number => median(runs.map(figure))
      return [
        of,
        Math.round(median(rates[of])).toLocaleString('en'),
        ratioOf(rates, first, of).toFixed(2),
        middle(({ cpuSeconds, sent }) => (cpuSeconds / sent) * 1e6).toFixed(2),
        `${middle(({ serverCpuSeconds, seconds }) => (serverCpuSeconds / seconds) * 100).toFixed(0)} %`,
      ]
    }),
  ]
  const named = ratios.map(([key, of, to]) => [`${shape}.${key}`, ratioOf(rates, of, to)] as const)
  return { tables: [table], ratios: Object.fromEntries(named) }
}
