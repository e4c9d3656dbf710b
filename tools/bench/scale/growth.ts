/**
 * Costs of a client of market data with a growing number of symbols, and of a relay with a growing number of
 * apps. The figures are CPU time per event, and the additional memory per symbol or app compared with the
 * smallest size. The service is the simulator in its own process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { median, type Results, rounded, type Table } from '../benchmark.ts'
import { type Start, withPrograms } from '../programs.ts'
import type { QuotesCommands } from './quotes-process.ts'
import type { RelayCommands } from './relay-process.ts'
import type { SimulatorCommands } from './simulator-process.ts'

const MIB = 2 ** 20
const WAIT_MS = 60_000
const EVENTS = 2000
/** Time until the notices of the last subscriptions are stored. */
const SETTLE_MS = 1000

interface Measured {
  readonly size: number
  readonly openMs: number
  readonly cpuUs: number
  readonly rssBytes: number
}

/** Waits until `count` returns at least `wanted`. */
async function reached(count: () => Promise<number>, wanted: number): Promise<void> {
  const endMs = performance.now() + WAIT_MS
  while ((await count()) < wanted) {
    if (performance.now() > endMs) throw new Error(`waited ${WAIT_MS} ms for ${wanted} events`)
    await delay(20)
  }
}

async function symbols(start: Start, size: number, rounds: number): Promise<Measured> {
  const service = await start<SimulatorCommands>(new URL('simulator-process.ts', import.meta.url))
  const client = await start<QuotesCommands>(new URL('quotes-process.ts', import.meta.url))
  const openMs = await client.call('open', await service.call('startQuotes', Math.ceil(size / 100)), size)
  const samples: number[] = []
  for (let round = 0, wanted = 0; round <= rounds; round += 1) {
    const before = await client.call('cpu')
    wanted += await service.call('step', EVENTS)
    await reached(() => client.call('received'), wanted)
    if (round > 0) samples.push(((await client.call('cpu')) - before) / EVENTS)
  }
  return { size, openMs, cpuUs: median(samples), rssBytes: await client.call('rss') }
}

async function apps(start: Start, size: number, rounds: number): Promise<Measured> {
  const service = await start<SimulatorCommands>(new URL('simulator-process.ts', import.meta.url))
  const relay = await start<RelayCommands>(new URL('relay-process.ts', import.meta.url))
  const simulated = await service.call('startApps', size)
  const startedMs = performance.now()
  await relay.call('open', simulated)
  // Waits for all subscriptions, because events that are sent before a subscription is live are not stored.
  await reached(() => service.call('subscriptions'), size)
  const openMs = performance.now() - startedMs
  await delay(SETTLE_MS)
  const samples: number[] = []
  let wanted = await relay.call('stored')
  for (let round = 0; round <= rounds; round += 1) {
    const before = await relay.call('cpu')
    await service.call('sendOrders', EVENTS)
    wanted += EVENTS
    await reached(() => relay.call('stored'), wanted)
    if (round > 0) samples.push(((await relay.call('cpu')) - before) / EVENTS)
  }
  return { size, openMs, cpuUs: median(samples), rssBytes: await relay.call('rss') }
}

const KINDS = {
  symbols: { measure: symbols, sizes: [100, 1000, 10_000] },
  apps: { measure: apps, sizes: [1, 10, 100, 1000] },
} as const

export const GROWTH_PARTS = Object.keys(KINDS) as (keyof typeof KINDS)[]

export async function measureGrowth(kind: keyof typeof KINDS, quick: boolean): Promise<Results> {
  const { measure, sizes } = KINDS[kind]
  const found: Measured[] = []
  for (const size of quick ? sizes.slice(0, -1) : sizes)
    found.push(await withPrograms((start) => measure(start, size, quick ? 2 : 5)))
  const [first] = found
  const each = ({ size, rssBytes }: Measured): number =>
    (rssBytes - (first?.rssBytes ?? 0)) / Math.max(1, size - (first?.size ?? 0)) / MIB
  const table: Table = [
    [kind, 'CPU µs an event', 'open ms', 'MiB in all', 'MiB of one more'],
    ...found.map((one) => [
      String(one.size),
      one.cpuUs.toFixed(1),
      one.openMs.toFixed(0),
      (one.rssBytes / MIB).toFixed(0),
      one === first ? '' : each(one).toFixed(3),
    ]),
  ]
  const last = found.at(-1)
  return {
    tables: [table],
    ratios: {
      [`${kind}.${last?.size}.cpu.vs_${first?.size}`]: rounded((last?.cpuUs ?? NaN) / (first?.cpuUs ?? NaN)),
      ...(last === undefined ? {} : { [`${kind}.${last.size}.mib_each`]: rounded(each(last)) }),
    },
  }
}
