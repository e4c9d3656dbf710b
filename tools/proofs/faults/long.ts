/**
 * Long cases: 100,000 events (short: 20,000) for a consumer that is killed repeatedly, and a day of virtual
 * time.
 */

import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { recordKey } from '@brokerwire/core/internal'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createSigner } from '@brokerwire/signer'
import { startSimulator } from '@brokerwire/simulator'
import { createFileStore } from '@brokerwire/stores/file'
import { createStreams } from '@brokerwire/streams'
import type { Case } from '../harness.ts'
import { compareIds, countNotices, IDENTITY, readEventLog } from './event-log.ts'
import { startFixture } from './fixture.ts'

const BATCH = 1000
const SETTLE_MS = 20

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

export const LONG_CASES: readonly Case[] = [
  {
    name: 'many events, random drops, a consumer killed with SIGKILL',
    promise:
      '0 missing, 0 invented; only events that were handled after the last commit are duplicated after a kill',
    async run(context) {
      const { random, short } = context
      const directory = join(context.folder, 'store')
      const fixture = await startFixture(context, { consumer: { directory } })
      const store = createFileStore({ directory })
      const key = recordKey('cursor', IDENTITY, '', 'default', 'APPLICATION')
      const committedIds = async (): Promise<readonly string[]> => {
        const record = JSON.parse((await store.get(key)) ?? '{}') as { readonly ids?: readonly string[] }
        return record.ids ?? []
      }
      const handledIds = (): readonly string[] => readEventLog(fixture.eventLog).ids
      const [batches, dropCount, killCount] = short ? [20, 20, 5] : [100, 50, 20]
      /** Draws the batches in which connections are dropped or the consumer is killed. */
      const draw = (count: number): number[] => random.list(count, () => random.integer(1, batches - 1))
      const drops = draw(dropCount)
      const kills = draw(killCount)
      const allowed = new Set<string>()
      let handledAfterLastCommit = 0
      let sent = 0
      const killAndRestart = async (): Promise<void> => {
        await fixture.consumer.kill()
        const ids = handledIds()
        // Only events after the last commit may be duplicated.
        const uncommitted = ids.slice(ids.lastIndexOf((await committedIds()).at(-1) ?? '') + 1)
        handledAfterLastCommit += uncommitted.length
        for (const id of uncommitted) allowed.add(id)
        await fixture.restartConsumer()
      }
      for (let batch = 0; batch < batches; batch += 1) {
        sent = await fixture.emit(BATCH)
        if (batch === 0) {
          await fixture.handled(1)
          // Waits for the first commit. A consumer that is killed earlier reports a gap, which another case
          // tests.
          while ((await committedIds()).length === 0) await sleep(SETTLE_MS)
        }
        for (const _ of drops.filter((at) => at === batch)) {
          while (fixture.proxy.drop() === 0) await sleep(1)
          // This pause separates the dropped connection from the next one, so that the counts include both.
          await sleep(SETTLE_MS)
        }
        // The kill happens while the consumer handles the batch.
        for (const _ of kills.filter((at) => at === batch)) {
          const at = new Set(handledIds()).size + Math.floor(random.next() * BATCH * 0.8)
          await fixture.until('the moment of a kill', ({ ids }) => new Set(ids).size >= Math.min(at, sent))
          await killAndRestart()
        }
      }
      const eventLog = await fixture.until('the last event', ({ ids }) => new Set(ids).size >= sent)
      const { missing, invented, duplicates } = compareIds(eventLog.ids, await fixture.moduleIds())
      const seen = new Set<string>()
      const unexplainedDuplicates = eventLog.ids.filter((id) => {
        const again = seen.has(id)
        seen.add(id)
        return again && !allowed.has(id)
      }).length
      context.check(missing === 0, `0 missing, but ${missing}`)
      context.check(invented === 0, `0 invented, but ${invented}`)
      context.check(
        unexplainedDuplicates === 0,
        `no duplicates of committed events, but ${unexplainedDuplicates}`,
      )
      return {
        events: sent,
        drops: dropCount,
        kills: killCount,
        missing,
        invented,
        duplicates,
        handledAfterLastCommit,
        unexplainedDuplicates,
        reconnects: countNotices(eventLog, 'reconnecting'),
      }
    },
  },
  {
    name: '24 hours of virtual time',
    promise:
      'one ping per minute keeps a connection; one drop per hour is resumed; no event is lost or duplicated; memory does not grow',
    async run(context) {
      const clock = createVirtualClock()
      const simulator = await startSimulator({ clock, pingIntervalMs: MINUTE_MS })
      context.atEnd(() => simulator.close())
      const streams = createStreams({
        signer: createSigner({ ...simulator.credentials, now: () => clock.now() }),
        moduleEventsUrl: simulator.moduleEventsUrl,
        clock,
      })
      context.atEnd(() => streams.close())
      const ids: string[] = []
      const notices: Record<string, number> = {}
      void (async () => {
        for await (const item of streams.moduleEvents({ modules: ['application'] })) {
          if (item.type === 'event') ids.push(item.id)
          else notices[item.kind] = (notices[item.kind] ?? 0) + 1
        }
      })()
      const until = async (holds: () => boolean, between?: () => Promise<unknown>): Promise<void> => {
        for (const endMs = performance.now() + 20_000; !holds(); await nextTurn()) {
          if (performance.now() > endMs) throw new Error(`stuck after ${ids.length} events`)
          await between?.()
        }
      }
      await until(() => notices.subscribed === 1)
      let drops = 0
      let afterAnHour = 0
      for (let minute = 1; minute <= DAY_MINUTES; minute += 1) {
        await clock.advance(MINUTE_MS)
        simulator.emitModule({ module: 'application' })
        await until(() => ids.length === minute)
        if (minute === 60) afterAnHour = heapBytes()
        if (minute % 60 !== 30) continue
        drops += 1
        simulator.dropConnections()
        // The first reconnect is immediate, but it needs a timer in virtual time.
        await until(
          () => notices.resumed === drops,
          () => clock.advance(1),
        )
      }
      const { missing, invented, duplicates } = compareIds(
        ids,
        simulator.moduleEvents().map(({ id }) => id),
      )
      const { reconnecting: reconnects = 0, 'heartbeat-late': lateHeartbeats = 0 } = notices
      const grownMib = Math.round((heapBytes() - afterAnHour) / MIB)
      context.check(grownMib < 8, `less than 8 MiB more after 23 hours, but ${grownMib}`)
      context.check(missing + invented + duplicates === 0, 'no event is missing, invented or duplicated')
      context.check(reconnects === drops, `${drops} reconnects, but ${reconnects}`)
      context.check(lateHeartbeats === 0, `no late heartbeat, but ${lateHeartbeats}`)
      return {
        hours: 24,
        events: DAY_MINUTES,
        drops,
        reconnects,
        lateHeartbeats,
        grownMib,
        missing,
        duplicates,
      }
    },
  },
]
