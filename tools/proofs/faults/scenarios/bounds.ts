/** What a hostile service makes a consumer hold. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../child.ts'
import type { HostileCommands, Poison } from '../hostile-process.ts'
import type { ReaderCommands, ReaderOptions } from '../reader-process.ts'
import type { Figures, RunContext, Scenario } from '../scenario.ts'

const MIB = 1024 * 1024
const DEADLINE_MS = 120_000
/** Queue, frames that repeats are known by, names, lines of unacked events; read-ahead and the windows of HTTP/2. */
const BOUNDS_MIB = 8 + 8 + 2 * 2 + 8 + 1 + 1 + 2

interface Flood {
  readonly poison: Poison
  readonly service: ReaderOptions['service']
  /** Events after which memory is looked at first: what the runtime takes to begin is not the stream's. */
  readonly warm: number
  readonly count: number
  /** The longest message: one of them is on its way, once as bytes and once as text. */
  readonly messageMib: number
}

/** @returns By how much memory grew, in MiB. */
async function flood(context: RunContext, options: Flood): Promise<Figures> {
  const { poison, service, warm, count, messageMib } = options
  const server = startChild<HostileCommands>('hostile-process.ts')
  context.atEnd(() => server.kill())
  const url = await server.call('start', poison, count)
  const reader = startChild<ReaderCommands>('reader-process.ts')
  context.atEnd(() => reader.kill())
  await reader.call('start', { url, service })
  let before: number | undefined
  let peak = 0
  let seen = await reader.call('figures')
  for (const end = performance.now() + DEADLINE_MS; seen.events < count; ) {
    if (performance.now() > end || seen.failure !== null) {
      context.promise(false, `all ${count} events arrive, but ${seen.events}; ${seen.failure}`)
      break
    }
    await sleep(50)
    seen = await reader.call('figures')
    if (seen.events < warm) continue
    before ??= seen.peakBytes
    peak = Math.max(peak, seen.peakBytes)
  }
  const grownMib = Math.round((peak - (before ?? peak)) / MIB)
  const limitMib = 2 * (BOUNDS_MIB + 3 * messageMib)
  context.promise(grownMib < limitMib, `${poison}: less than ${limitMib} MiB more, but ${grownMib}`)
  await Promise.all([server.kill(), reader.kill()])
  return {
    [`${poison} events`]: seen.events,
    [`${poison}: notices`]: seen.notices,
    [`${poison}: grown mib`]: grownMib,
  }
}

const poisonedNames: Scenario = {
  name: 'poisoned names',
  promise: 'names of megabytes are delivered and told, and memory stays within twice the sum of the bounds',
  async run(context) {
    const count = context.short ? 60 : 600
    const trade = { poison: 'long-request-ids', service: 'trade', warm: 15, count, messageMib: 4 } as const
    const module = { service: 'module', warm: 60, count: 4 * count, messageMib: 1 } as const
    return {
      ...(await flood(context, trade)),
      ...(await flood(context, { ...module, poison: 'long-ids' })),
      ...(await flood(context, { ...module, poison: 'long-positions' })),
    }
  },
}

const manyTypes: Scenario = {
  name: 'a million event types',
  promise: 'each is delivered, and memory stays within twice the sum of the bounds',
  run: (context) =>
    flood(context, {
      poison: 'many-event-types',
      service: 'module',
      warm: context.short ? 30_000 : 100_000,
      count: context.short ? 100_000 : 1_000_000,
      messageMib: 0,
    }),
}

const neverReads: Scenario = {
  name: 'a consumer that never reads',
  promise:
    'what waits for it is bounded in bytes, ids among them: twice the sum of the bounds, and the service waits',
  async run(context) {
    const server = startChild<HostileCommands>('hostile-process.ts')
    context.atEnd(() => server.kill())
    const count = 500
    const url = await server.call('start', 'long-request-ids', count)
    const reader = startChild<ReaderCommands>('reader-process.ts')
    context.atEnd(() => reader.kill())
    const { peakBytes: before } = await reader.call('figures')
    await reader.call('start', { url, service: 'trade', stopAfter: 1 })
    let peak = before
    for (let look = 0; look < (context.short ? 60 : 300); look += 1) {
      await sleep(50)
      peak = Math.max(peak, (await reader.call('figures')).peakBytes)
    }
    const sent = await server.call('sent')
    const grownMib = Math.round((peak - before) / MIB)
    const limitMib = 2 * (BOUNDS_MIB + 3 * 4)
    context.promise(grownMib < limitMib, `less than ${limitMib} MiB more, but ${grownMib}`)
    context.promise(sent < 50, `the service waits, but it sent ${sent} of ${count}`)
    return { sent, grownMib }
  },
}

export const BOUND_SCENARIOS: readonly Scenario[] = [poisonedNames, manyTypes, neverReads]
