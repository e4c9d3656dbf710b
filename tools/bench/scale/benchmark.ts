/**
 * Many streams with few events in one process, compared with grpc-js. The figures are CPU time per event,
 * memory per stream, and the time until all streams are open. Each stream has its own connection. The server
 * uses grpc-js in a separate process.
 */
import {
  type Goal,
  interleave,
  joined,
  median,
  type Options,
  type Results,
  type Rounds,
  ratioOf,
  rounded,
} from '../benchmark.ts'
import { type Start, withPrograms } from '../programs.ts'
import type { ClientCommands, ScaleClient } from './client-process.ts'
import { GROWTH_PARTS, measureGrowth } from './growth.ts'
import type { ServerCommands } from './server-process.ts'
import { PROTOS, type ScaleService } from './service.ts'

/** For each part, the number of streams, and the events per second of each stream. */
const SIZES = [
  [1, 50],
  [10, 20],
  [100, 10],
  [1000, 2],
] as const
const CLIENTS = ['supervised', 'unstored', 'grpc-js'] as const
const SERVICES = ['trade', 'module'] as const
const MIB = 2 ** 20

/** A service and a number of streams. */
interface Part {
  readonly name: string
  readonly service: ScaleService
  readonly streams: number
  readonly perSecond: number
}

const PARTS: readonly Part[] = SERVICES.flatMap((service) =>
  SIZES.map(([streams, each]) => ({
    ...{ name: `${service}.${streams}.`, service, streams, perSecond: streams * each },
  })),
)

export const runs = 2
export const parts = [...PARTS.map(({ name }) => name), ...GROWTH_PARTS]
export const goals: Readonly<Record<string, Goal>> = Object.fromEntries(
  SERVICES.flatMap((service) => [
    [`${service}.1000.cpu.vs_grpc_js`, { atMost: 1.25 }],
    [`${service}.1000.open.vs_grpc_js`, { atMost: 1.25 }],
    [`${service}.1000.mib_per_stream`, { atMost: 0.15 }],
  ]),
)

interface Client {
  readonly openMs: number
  /** Microseconds of CPU time per event. */
  measureCpu(seconds: number): Promise<number>
  rss(): Promise<number>
}

async function openClient(start: Start, name: ScaleClient, part: Part): Promise<Client> {
  const { service, streams, perSecond } = part
  const server = await start<ServerCommands>(new URL('server-process.ts', import.meta.url))
  const client = await start<ClientCommands>(new URL('client-process.ts', import.meta.url))
  const port = await server.call('listen', service, PROTOS)
  const openMs = await client.call('open', name, service, port, streams, PROTOS)
  return {
    openMs,
    async measureCpu(seconds) {
      const count = Math.round(perSecond * seconds)
      await client.call('begin', count)
      await server.call('send', service, perSecond, seconds)
      return (await client.call('take')) / count
    },
    rss: () => client.call('rss'),
  }
}

/**
 * Measures the resident memory of a process with one stream. The benchmark subtracts it from the memory of a
 * process with all streams, to get the memory per additional stream.
 */
function measureFirst(name: ScaleClient, part: Part, seconds: number): Promise<number> {
  return withPrograms(async (start) => {
    const client = await openClient(start, name, { ...part, streams: 1, perSecond: 50 })
    await client.measureCpu(seconds)
    return client.rss()
  })
}

async function measurePart(part: Part, quick: boolean): Promise<Results> {
  const seconds = quick ? 2 : 4
  const first: Record<string, number> = {}
  for (const name of CLIENTS) first[name] = part.streams === 1 ? 0 : await measureFirst(name, part, seconds)
  return withPrograms(async (start) => {
    const clients: Record<string, Client> = {}
    for (const name of CLIENTS) clients[name] = await openClient(start, name, part)
    const cpu = await interleave(clients, quick ? 3 : 6, (client) => client.measureCpu(seconds))
    const open: Rounds = Object.fromEntries(CLIENTS.map((name) => [name, [clients[name]?.openMs ?? NaN]]))
    const memory: Record<string, number[]> = {}
    for (const name of CLIENTS) {
      const above = ((await clients[name]?.rss()) ?? NaN) - (first[name] ?? 0)
      memory[name] = [above / MIB / Math.max(1, part.streams - 1)]
    }
    const figures = { cpu, open, memory }
    const rows = CLIENTS.map((name) => [
      name,
      median(cpu[name]).toFixed(1),
      median(open[name]).toFixed(0),
      median(memory[name]).toFixed(3),
    ])
    const label = part.streams === 1 ? 'MiB in all' : 'MiB a stream'
    const ratios = Object.entries(figures).map(([figure, rounds]) => [
      `${part.name}${figure}.vs_grpc_js`,
      ratioOf(rounds, 'supervised', 'grpc-js'),
    ])
    const unstored = [[`${part.name}cpu.unstored.vs_grpc_js`, ratioOf(cpu, 'unstored', 'grpc-js')]]
    const own = part.streams === 1 ? [] : [[`${part.name}mib_per_stream`, rounded(median(memory.supervised))]]
    return {
      tables: [[[`${part.streams} ${part.service} streams`, 'CPU µs an event', 'open ms', label], ...rows]],
      ratios: Object.fromEntries([...ratios, ...unstored, ...own]),
    }
  })
}

export async function run({ quick, includes }: Options): Promise<Results> {
  const results: Results[] = []
  for (const part of PARTS) if (includes(part.name)) results.push(await measurePart(part, quick))
  for (const kind of GROWTH_PARTS) if (includes(kind)) results.push(await measureGrowth(kind, quick))
  return joined(results)
}
