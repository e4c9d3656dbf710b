/** Consumers of every kind that are restarted with wrong clocks, on a service that stores few events. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatorOptions } from '@brokerwire/simulator'
import type { Case, CaseContext, Figures } from '../harness.ts'
import type { SentEvent } from '../service-process.ts'
import type { StreamKind } from './consumer-process.ts'
import { compareIds, countNotices, readEventLog, reversedGaps, unreported } from './event-log.ts'
import { startFixture } from './fixture.ts'

const MINUTE_MS = 60_000
const OFFSETS_MS = [0, 2 * MINUTE_MS, -2 * MINUTE_MS]
const JUMPS_MS = [2 * MINUTE_MS, -2 * MINUTE_MS, 60 * MINUTE_MS, -60 * MINUTE_MS]
const FAULTS = ['killed', 'closed', 'dropped', 'cut off', 'clock jumps'] as const
const MAX_PAUSE_MS = 300
const MAX_EVENTS = 20
/** Bytes that a service with a short retention stores: about fifty module events. */
const SHORT_RETENTION_BYTES = 32 * 1024

interface Restarts {
  readonly kind: StreamKind
  readonly simulator?: SimulatorOptions
}

const EMITTED = {
  trade: ['order'],
  position: ['position'],
  account: ['order', 'position'],
  module: ['module'],
} as const

async function run(context: CaseContext, { kind, simulator }: Restarts, rounds: number): Promise<Figures> {
  const { random } = context
  const isModule = kind === 'module'
  const consumer = {
    kind,
    directory: join(context.folder, 'store'),
    // The service may have deleted the events after the stored position. In this case the stream continues
    // from now, with a gap.
    supervision: { onCursorRejected: 'from-now', stableAfterMs: 100 },
  } as const
  const options = { combinedSubscribeTypes: true, pingIntervalMs: 100, ...simulator }
  const fixture = await startFixture(context, { trade: !isModule, simulator: options, consumer })
  const sent: SentEvent[] = []
  const emit = async (): Promise<void> => {
    for (const one of EMITTED[kind])
      sent.push(...(await fixture.service.call('emit', one, random.integer(1, MAX_EVENTS))))
  }
  const restart = (): Promise<void> => fixture.restartConsumer({ offsetMs: random.pick(OFFSETS_MS) })
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    const fault = round < FAULTS.length ? (FAULTS[round] ?? 'killed') : random.pick(FAULTS)
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    await emit()
    await sleep(random.integer(0, MAX_PAUSE_MS))
    if (fault === 'killed') await fixture.consumer.kill()
    if (fault === 'closed') {
      await fixture.consumer.call('close')
      await fixture.consumer.kill()
    }
    if (fault === 'dropped') await fixture.service.call('drop')
    if (fault === 'cut off') fixture.proxy.drop()
    if (fault === 'clock jumps') {
      await fixture.consumer.call('jump', random.pick(JUMPS_MS))
      await fixture.service.call('drop')
    }
    await emit()
    await sleep(random.integer(0, MAX_PAUSE_MS))
    if (fault === 'killed' || fault === 'closed') await restart()
    await emit()
  }
  // Sends the last events, on a connection without faults.
  const last = async (): Promise<boolean> => {
    const before = sent.length
    await emit()
    await sleep(500)
    const handled = new Set(readEventLog(fixture.eventLog).ids)
    return sent.slice(before).every(({ id }) => handled.has(id))
  }
  let isComplete = false
  for (let attempt = 0; attempt < 60 && !isComplete; attempt += 1) isComplete = await last()
  context.check(isComplete, 'the stream continues after the last fault')
  const { failure } = await fixture.consumer.call('figures')
  context.check(failure === null, `the stream is open, but ${failure}`)
  const eventLog = readEventLog(fixture.eventLog)
  const { missing, invented, duplicates, inOrder } = compareIds(
    eventLog.ids,
    sent.map(({ id }) => id),
  )
  const silent = unreported(eventLog, sent)
  for (const { id, atMs } of silent.slice(0, 5))
    context.print(`missing without a gap: ${id}, sent at ${atMs}`)
  const reversed = reversedGaps(eventLog)
  context.check(silent.length === 0, `0 events are missing without a gap, but ${silent.length}`)
  context.check(reversed === 0, `0 gaps end before they start, but ${reversed}`)
  context.check(invented === 0, `0 invented, but ${invented}`)
  // After a kill, module events that were handled after the last commit are delivered again.
  if (!isModule) context.check(duplicates === 0, `0 duplicates, but ${duplicates}`)
  context.check(inOrder, 'in the order sent')
  return {
    events: sent.length,
    ...Object.fromEntries(counts),
    missing,
    unreported: silent.length,
    gaps: countNotices(eventLog, 'gap'),
    duplicates,
  }
}

/** @param rounds - Number of faults in each case. The faults follow each other. */
export function restartCases(rounds: number): readonly Case[] {
  const restarts = (name: string, options: Restarts): Case => ({
    name,
    promise: 'each event is handled, or is in a gap by the clock of the service',
    run: (context) => run(context, options, rounds),
  })
  return [
    restarts('trade consumers restarted with wrong clocks', { kind: 'trade' }),
    restarts('position consumers restarted with wrong clocks', { kind: 'position' }),
    restarts('account consumers restarted with wrong clocks', { kind: 'account' }),
    restarts('module consumers restarted with wrong clocks', { kind: 'module' }),
    restarts('module consumers restarted after the retention', {
      kind: 'module',
      simulator: { retainedBytes: SHORT_RETENTION_BYTES },
    }),
  ]
}
