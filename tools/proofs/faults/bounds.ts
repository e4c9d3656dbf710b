/** Memory of a consumer of a hostile service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '@brokerwire/testing/child'
import type { Case, CaseContext, Figures } from '../harness.ts'
import type { CounterOptions } from './consumer-process.ts'
import { startConsumer } from './fixture.ts'
import type { HostileCommands, HostileEvents } from './hostile-process.ts'

const MIB = 1024 * 1024
const DEADLINE_MS = 120_000
/**
 * The documented bounds of a stream in MiB, added: the buffer, the frames and the ids that find duplicates, the
 * names, the unacknowledged events, the events that were read ahead, and the HTTP/2 windows.
 */
const BOUNDS_MIB = 8 + 8 + 2 * 2 + 8 + 1 + 1 + 2
/**
 * The memory in MiB that a consumer may use: twice the bounds, and twice a message that is being read. A message
 * counts three times, because a string takes two bytes for each of its characters.
 */
const limitMib = (messageMib: number): number => 2 * (BOUNDS_MIB + 3 * messageMib)

async function startService(context: CaseContext) {
  const service = await startChild<HostileCommands>(new URL('hostile-process.ts', import.meta.url))
  context.atEnd(() => service.kill())
  return service
}

interface Flood {
  readonly events: HostileEvents
  readonly service: CounterOptions['service']
  /** Number of events before memory is first measured, because the runtime allocates memory at the start. */
  readonly warm: number
  readonly count: number
  /** Size of the longest message in MiB. */
  readonly messageMib: number
}

async function flood(context: CaseContext, options: Flood): Promise<Figures> {
  const { events, service, warm, count, messageMib } = options
  const server = await startService(context)
  const url = await server.call('start', events, count)
  const consumer = await startConsumer(context)
  await consumer.call('count', { url, service })
  let before: number | undefined
  let peak = 0
  let seen = await consumer.call('figures')
  for (const endMs = performance.now() + DEADLINE_MS; seen.events < count; ) {
    if (performance.now() > endMs || seen.failure !== null) {
      context.fail(`${count} events must arrive; received ${seen.events}; ${seen.failure}`)
      break
    }
    await sleep(50)
    seen = await consumer.call('figures')
    if (seen.events < warm) continue
    before ??= seen.peakBytes
    peak = Math.max(peak, seen.peakBytes)
  }
  const grownMib = Math.round((peak - (before ?? peak)) / MIB)
  const limit = limitMib(messageMib)
  context.check(grownMib < limit, `${events}: less than ${limit} MiB more, but ${grownMib}`)
  await Promise.all([server.kill(), consumer.kill()])
  return {
    [`${events} events`]: seen.events,
    [`${events}: notices`]: seen.notices,
    [`${events}: grown mib`]: grownMib,
  }
}

export const BOUND_CASES: readonly Case[] = [
  {
    name: 'very long names',
    promise:
      'names of several megabytes are delivered and reported, and memory stays within twice the sum of the bounds',
    async run(context) {
      const count = context.short ? 60 : 600
      const trade = { events: 'long-request-ids', service: 'trade', warm: 15, count, messageMib: 4 } as const
      const module = { service: 'module', warm: 60, count: 4 * count, messageMib: 1 } as const
      return {
        ...(await flood(context, trade)),
        ...(await flood(context, { ...module, events: 'long-ids' })),
        ...(await flood(context, { ...module, events: 'long-positions' })),
      }
    },
  },
  {
    name: 'a million event types',
    promise: 'each is delivered, and memory stays within twice the sum of the bounds',
    run: (context) =>
      flood(context, {
        events: 'many-event-types',
        service: 'module',
        warm: context.short ? 30_000 : 100_000,
        count: context.short ? 100_000 : 1_000_000,
        messageMib: 0,
      }),
  },
  {
    name: 'a consumer that never reads',
    promise:
      'buffered events, with their ids, take at most twice the sum of the bounds, and the service stops sending',
    async run(context) {
      const server = await startService(context)
      const count = 500
      const url = await server.call('start', 'long-request-ids', count)
      const consumer = await startConsumer(context)
      const { peakBytes: before } = await consumer.call('figures')
      await consumer.call('count', { url, service: 'trade', stopAfter: 1 })
      let peak = before
      for (let look = 0; look < (context.short ? 60 : 300); look += 1) {
        await sleep(50)
        peak = Math.max(peak, (await consumer.call('figures')).peakBytes)
      }
      const sent = await server.call('sent')
      const grownMib = Math.round((peak - before) / MIB)
      context.check(grownMib < limitMib(4), `less than ${limitMib(4)} MiB more, but ${grownMib}`)
      context.check(sent < 50, `the service must stop sending; it sent ${sent} of ${count}`)
      return { sent, grownMib }
    },
  },
]
