/** A process that reads the streams of all apps while it is killed, and the comparison of what it has handled. */
import { join } from 'node:path'
import { type Child, startChild } from '@brokerwire/testing/child'
import { compareIds, readEventLog, unreported } from '../faults/event-log.ts'
import type { CaseContext, Figures } from '../harness.ts'
import type { Random } from '../random.ts'
import { until } from '../wait.ts'
import type { Cluster } from './cluster.ts'
import type { Events } from './events.ts'
import type { ReaderCommands } from './reader-process.ts'

const LAST_MS = 120_000
const GROUP = 'billing'

export async function startReaders({ folder, check, print, atEnd }: CaseContext, cluster: Cluster) {
  const { streams, apps } = cluster
  const logOf = (app: string): string => join(folder, `${app}.txt`)
  const place = streams.place(
    streams.nodes.map(({ port }) => port),
    0,
  )
  let child: Child<ReaderCommands>
  let kills = 0
  const start = async (): Promise<void> => {
    child = await startChild<ReaderCommands>(new URL('reader-process.ts', import.meta.url))
    for (const app of apps)
      await child.call('start', {
        place,
        address: cluster.addressOf(app),
        name: GROUP,
        eventLog: logOf(app),
      })
  }
  await start()
  atEnd(() => child.kill())
  return {
    /** Kills the process at a random time, and starts it again. */
    async restart(random: Random): Promise<void> {
      await until('the moment of the kill', () => random.chance(0.02) || undefined, { everyMs: 20 })
      await child.kill()
      kills += 1
      await start()
    },
    /** Waits for the last events, and compares all events that were sent with those that were handled. */
    async conclude({ sent }: Events): Promise<Figures> {
      let [handled, missing, silent] = [0, 0, 0]
      const endMs = performance.now() + LAST_MS
      for (const app of apps) {
        const events = sent.get(app) ?? []
        const last = events.at(-1)?.id ?? ''
        const hasLast = () => readEventLog(logOf(app)).ids.slice(-50).includes(last) || undefined
        const isRead = await until('the last event', hasLast, {
          withinMs: endMs - performance.now(),
          everyMs: 200,
        }).catch(String)
        check(isRead === true, `${app}: the reader handles the last event: ${isRead}`)
        const log = readEventLog(logOf(app))
        handled += log.ids.length
        const lost = unreported(log, events)
        for (const { id } of lost.slice(0, 3)) print(`${app}: the reader misses ${id}, which is in no gap`)
        silent += lost.length
        missing += compareIds(
          log.ids,
          events.map(({ id }) => id),
        ).missing
        const modules = events.filter(({ stream }) => stream === 'module')
        for (const type of new Set(modules.map(({ eventType }) => eventType))) {
          const ids = modules.filter(({ eventType }) => eventType === type).map(({ id }) => id)
          const known = new Set(ids)
          const read = log.ids.filter((id) => known.has(id))
          const { missing: lostModules, inOrder } = compareIds(read, ids)
          check(lostModules === 0, `${app}: the reader misses ${lostModules} events of type ${type}`)
          check(inOrder, `${app}: the reader handles ${type} in order`)
        }
      }
      const failure = await child.call('failure')
      check(failure === null, `the reader reads, but ${failure}`)
      check(silent === 0, `the reader misses 0 events that are in no gap, but ${silent}`)
      return { readByReaders: handled, missedByReaders: missing, readersKilled: kills }
    },
  }
}
