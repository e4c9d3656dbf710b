/**
 * As fast as it goes: messages a second and processor time, of everybody in every round.
 *
 * The last three columns prove that the server is not what limits anybody: how much of a run it computed, and how much
 * it waited for the client to grant a window or to read the socket. The plain socket shows what it can send.
 */
import { median } from '../sign/rounds.ts'
import { type Rounds, ratioOf, rotated, table } from './figures.ts'
import type { Plan, Shape } from './plan.ts'
import type { Client, Run, Stage } from './processes.ts'
import { block } from './wire/blocks.ts'

/** What the first guess of everybody's speed is made from, and for the compiler. */
const FIRST_BLOCKS = 8
const WARM_UP_MS = 200
const MIN_BLOCKS = 5

export interface ThroughputPart {
  /** `permsg.client` and so on. */
  readonly name: string
  readonly shape: Shape
  readonly job: 'client' | 'decoded'
}

export const THROUGHPUT_PARTS: readonly ThroughputPart[] = (['permsg', 'packed'] as const).flatMap((shape) =>
  (['client', 'decoded'] as const).map((job) => ({ name: `${shape}.${job}`, shape, job })),
)

const CONTENDERS = {
  client: [
    'ours',
    'ours through createClient',
    'connect-node',
    'connect-node, 1 MiB',
    'grpc-js',
    'grpc-js, 1 MiB',
    'raw node:http2',
    'plain socket',
  ],
  decoded: ['ours', 'connect-node', 'grpc-js'],
} as const

export interface ThroughputOptions {
  /** Times that everybody begins anew: how fast a process runs the same code differs from process to process. */
  readonly sittings: number
  /** Of each sitting. */
  readonly rounds: number
  /** Time that one contender gets in one round. */
  readonly runMs: number
}

interface Cell {
  readonly part: ThroughputPart
  readonly contender: string
  readonly client: Client
  readonly blocks: number
  readonly runs: Run[]
}

export async function measureThroughput(
  stage: Stage,
  parts: readonly ThroughputPart[],
  options: ThroughputOptions,
): Promise<Record<string, number>> {
  const cells: Cell[] = []
  for (let sitting = 0; sitting < options.sittings; sitting += 1) {
    cells.push(...(await sit(stage, parts, options)))
  }
  return Object.assign({}, ...parts.map((part) => conclude(part, cells)))
}

async function sit(
  stage: Stage,
  parts: readonly ThroughputPart[],
  { rounds, runMs }: ThroughputOptions,
): Promise<Cell[]> {
  const cells: Cell[] = []
  const clients: Client[] = []
  for (const job of ['client', 'decoded'] as const) {
    const shapes = parts.filter((part) => part.job === job)
    if (shapes.length === 0) continue
    for (const contender of CONTENDERS[job]) {
      const client = await stage.start(contender, job)
      clients.push(client)
      for (const part of shapes) cells.push(await prepare(part, contender, client, runMs))
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    // Who is compared stands close together in time: what slows the machine down slows all of them.
    for (const part of parts) {
      const compared = rotated(
        cells.filter((cell) => cell.part === part),
        round,
      )
      for (const cell of compared) cell.runs.push(await cell.client.run(planOf(cell)))
    }
  }
  for (const client of clients) client.end()
  return cells
}

const planOf = ({ part, blocks }: Pick<Cell, 'part' | 'blocks'>): Plan => ({
  kind: 'blast',
  shape: part.shape,
  blocks,
})

/** Warms up, and finds out how many blocks fit into a run. */
async function prepare(
  part: ThroughputPart,
  contender: string,
  client: Client,
  runMs: number,
): Promise<Cell> {
  let blocks = FIRST_BLOCKS
  for (const ms of [WARM_UP_MS, runMs]) {
    const { seconds } = (await client.run(planOf({ part, blocks }))).client
    blocks = Math.max(MIN_BLOCKS, Math.round((blocks * ms) / 1000 / seconds))
  }
  return { part, contender, client, blocks, runs: [] }
}

const perSecond = ({ messages, client }: Run): number => messages / client.seconds

function conclude(part: ThroughputPart, all: readonly Cell[]): Record<string, number> {
  const contenders = CONTENDERS[part.job]
  const runsOf = (name: string): Run[] =>
    all.filter((cell) => cell.part === part && cell.contender === name).flatMap(({ runs }) => runs)
  const rates: Rounds = Object.fromEntries(contenders.map((name) => [name, runsOf(name).map(perSecond)]))
  const against = (name: string): number => ratioOf(rates, 'ours', name)
  const share = (runs: readonly Run[], of: (run: Run) => number): string =>
    `${Math.round(median(runs.map((run) => (of(run) / run.server.seconds) * 100)))} %`
  const bytes = block(part.shape)
  console.log(
    table([
      [
        `${part.name}, ${Math.round(bytes.dataBytes / bytes.messages)} bytes each`,
        'messages/s',
        'ours to it',
        'CPU s/million',
        'RSS MiB',
        'server busy',
        'waits for window',
        'for socket',
      ],
      ...contenders.map((name) => {
        const runs = runsOf(name)
        return [
          name,
          Math.round(median(rates[name] ?? [])).toLocaleString('en'),
          against(name).toFixed(2),
          median(runs.map((run) => (run.client.cpuSeconds / run.messages) * 1e6)).toFixed(2),
          String(Math.round(Math.max(...runs.map((run) => run.client.rssBytes)) / 2 ** 20)),
          share(runs, ({ server }) => server.cpuSeconds),
          share(runs, ({ server }) => server.waitedForWindow),
          share(runs, ({ server }) => server.waitedForSocket),
        ]
      }),
    ]),
  )
  console.log()
  const ratios: Record<string, number> = {
    [`${part.name}.vs_connect_node`]: against('connect-node'),
    [`${part.name}.vs_grpc_js`]: against('grpc-js'),
  }
  return part.job === 'decoded' ? ratios : { ...ratios, [`${part.name}.vs_raw`]: against('raw node:http2') }
}
