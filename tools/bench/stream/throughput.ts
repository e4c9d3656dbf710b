/** As fast as it goes: messages a second and processor time, of everybody in every round. */
import { median } from '../sign/rounds.ts'
import { type Rounds, ratioOf, rotated, table } from './figures.ts'
import type { Plan, Shape } from './plan.ts'
import type { Client, Run, Stage } from './processes.ts'
import { block } from './wire/blocks.ts'

/** For the compiler: so much before anything is measured. */
const WARM_UP_BLOCKS = 60

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
  for (const job of ['client', 'decoded'] as const) {
    const shapes = parts.filter((part) => part.job === job)
    if (shapes.length === 0) continue
    for (const contender of CONTENDERS[job]) {
      const client = await stage.start(contender, job)
      for (const part of shapes) cells.push(await prepare(part, contender, client, options.runMs))
    }
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const cell of rotated(cells, round)) cell.runs.push(await cell.client.run(planOf(cell)))
  }
  for (const { client } of cells) client.end()
  return Object.assign({}, ...parts.map((part) => conclude(part, cells)))
}

const planOf = ({ part, blocks }: Pick<Cell, 'part' | 'blocks'>): Plan => ({
  kind: 'blast',
  shape: part.shape,
  blocks,
})

/** Warms up, then finds out how many blocks fit into a run. */
async function prepare(
  part: ThroughputPart,
  contender: string,
  client: Client,
  runMs: number,
): Promise<Cell> {
  await client.run(planOf({ part, blocks: WARM_UP_BLOCKS }))
  const { client: second } = await client.run(planOf({ part, blocks: WARM_UP_BLOCKS }))
  const blocks = Math.max(20, Math.round((WARM_UP_BLOCKS * runMs) / 1000 / second.seconds))
  return { part, contender, client, blocks, runs: [] }
}

const perSecond = ({ messages, client }: Run): number => messages / client.seconds

function conclude(part: ThroughputPart, all: readonly Cell[]): Record<string, number> {
  const cells = all.filter((cell) => cell.part === part)
  const rates: Rounds = Object.fromEntries(cells.map((cell) => [cell.contender, cell.runs.map(perSecond)]))
  const share = (cell: Cell, of: (run: Run) => number): string =>
    `${Math.round(median(cell.runs.map((run) => (of(run) / run.server.seconds) * 100)))} %`
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
        'server held: window',
        'socket',
      ],
      ...cells.map((cell) => [
        cell.contender,
        Math.round(median(cell.runs.map(perSecond))).toLocaleString('en'),
        ratioOf(rates, 'ours', cell.contender).toFixed(2),
        median(cell.runs.map((run) => (run.client.cpuSeconds / run.messages) * 1e6)).toFixed(2),
        String(Math.round(Math.max(...cell.runs.map((run) => run.client.rssBytes)) / 2 ** 20)),
        share(cell, ({ server }) => server.cpuSeconds),
        share(cell, ({ server }) => server.waitedForWindow),
        share(cell, ({ server }) => server.waitedForSocket),
      ]),
    ]),
  )
  console.log()
  const ratios: Record<string, number> = {
    [`${part.name}.vs_connect_node`]: ratioOf(rates, 'ours', 'connect-node'),
    [`${part.name}.vs_grpc_js`]: ratioOf(rates, 'ours', 'grpc-js'),
  }
  return part.job === 'decoded'
    ? ratios
    : { ...ratios, [`${part.name}.vs_raw`]: ratioOf(rates, 'ours', 'raw node:http2') }
}
