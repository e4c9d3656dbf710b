/**
 * As fast as it goes: messages a second and processor time, of every contender in every round.
 *
 * The last three columns prove that the server is not what limits anybody: how much of a run it computed, and how much
 * it waited for the client to grant a window or to read the socket. The plain socket shows what it can send.
 */
import { median, type Rounds, ratioOf, table } from '../figures.ts'
import { rotated } from './judge.ts'
import { KINDS, type Kind, SHAPES } from './parts.ts'
import type { Plan, Shape } from './plan.ts'
import type { Client, Run, Stage } from './processes.ts'
import { block } from './wire/blocks.ts'

/** What the first guess of each contender's speed is made from. */
const FIRST_BLOCKS = 8
const MIN_BLOCKS = 5
/** What is compiled meanwhile makes a guess too short. */
const GUESSES = 4

export interface ThroughputPart {
  /** `permsg.client` and so on. */
  readonly name: string
  readonly shape: Shape
  readonly kind: Kind
}

export const THROUGHPUT_PARTS: readonly ThroughputPart[] = SHAPES.flatMap((shape) =>
  KINDS.map((kind) => ({ name: `${shape}.${kind.name}`, shape, kind })),
)

export interface ThroughputOptions {
  /** Times that every contender begins anew: how fast a process runs the same code differs from process to process. */
  readonly sittings: number
  /** Of each sitting. */
  readonly rounds: number
  /** A short look: the runs of a part take a part of their time. */
  readonly quick: boolean
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

/** One process for each contender and job: what is compiled for one job is not spoilt by another. */
async function sit(
  stage: Stage,
  parts: readonly ThroughputPart[],
  { rounds, quick }: ThroughputOptions,
): Promise<Cell[]> {
  const cells: Cell[] = []
  const clients = new Map<string, Client>()
  for (const part of parts) {
    const { job, contenders, runMs } = part.kind
    for (const contender of contenders) {
      const client = clients.get(`${contender} ${job}`) ?? (await stage.start(contender, job))
      clients.set(`${contender} ${job}`, client)
      cells.push(await prepare(part, contender, client, quick ? runMs / 2 : runMs))
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
  for (const client of clients.values()) client.end()
  return cells
}

const planOf = ({ part, blocks }: Pick<Cell, 'part' | 'blocks'>): Plan => ({
  kind: 'blast',
  shape: part.shape,
  service: part.kind.service,
  blocks,
})

/** Warms up, and finds out how many blocks a run takes to last as long as it should. */
async function prepare(
  part: ThroughputPart,
  contender: string,
  client: Client,
  runMs: number,
): Promise<Cell> {
  let blocks = FIRST_BLOCKS
  for (let guess = 0; guess < GUESSES; guess += 1) {
    const { seconds } = (await client.run(planOf({ part, blocks }))).client
    blocks = Math.max(MIN_BLOCKS, Math.ceil((blocks * runMs) / 1000 / seconds))
  }
  return { part, contender, client, blocks, runs: [] }
}

const perSecond = ({ messages, client }: Run): number => messages / client.seconds

function conclude(part: ThroughputPart, all: readonly Cell[]): Record<string, number> {
  const { contenders, ratios, service } = part.kind
  const [first = ''] = contenders
  const runsOf = (name: string): Run[] =>
    all.filter((cell) => cell.part === part && cell.contender === name).flatMap(({ runs }) => runs)
  const rates: Rounds = Object.fromEntries(contenders.map((name) => [name, runsOf(name).map(perSecond)]))
  const share = (runs: readonly Run[], of: (run: Run) => number): string =>
    `${Math.round(median(runs.map((run) => (of(run) / run.server.seconds) * 100)))} %`
  const bytes = block(part.shape, service)
  console.log(
    table([
      [
        `${part.name}, ${Math.round(bytes.dataBytes / bytes.messages)} bytes each`,
        'messages/s',
        `${first} to it`,
        'CPU s/million',
        'RSS MiB',
        'ms a run',
        'server busy',
        'waits for window',
        'for socket',
      ],
      ...contenders.map((name) => {
        const runs = runsOf(name)
        return [
          name,
          Math.round(median(rates[name] ?? [])).toLocaleString('en'),
          ratioOf(rates, first, name).toFixed(2),
          median(runs.map((run) => (run.client.cpuSeconds / run.messages) * 1e6)).toFixed(2),
          String(Math.round(Math.max(...runs.map((run) => run.client.rssBytes)) / 2 ** 20)),
          String(Math.round(median(runs.map((run) => run.client.seconds * 1000)))),
          share(runs, ({ server }) => server.cpuSeconds),
          share(runs, ({ server }) => server.waitedForWindow),
          share(runs, ({ server }) => server.waitedForSocket),
        ]
      }),
    ]),
  )
  console.log()
  return Object.fromEntries(ratios.map(({ key, of, to }) => [`${part.shape}.${key}`, ratioOf(rates, of, to)]))
}
