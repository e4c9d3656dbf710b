/** Long cases: 100,000 events (short: 20,000) with a consumer that is killed, and a day of virtual time. */

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
import type { Case } from '../frame.ts'
import { startFixture } from './fixture.ts'
import { compareIds, countNotices, IDENTITY, readLedger } from './ledger.ts'

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
      '0 missing, 0 invented; events that are repeated after a kill were handled after the last commit',
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
      const handledIds = (): readonly string[] => readLedger(fixture.ledger).ids
      const [batches, dropCount, killCount] = short ? [20, 20, 5] : [100, 50, 20]
      /** Batches with a drop or a kill. */
      const draw = (count: number): number[] => random.list(count, () => random.integer(1, batches - 1))
      const drops = draw(dropCount)
      const kills = draw(killCount)
      const allowed = new Set<string>()
      let handledAfterLastCommit = 0
      let sent = 0
      const killAndRestart = async (): Promise<void> => {
        await fixture.consumer.kill()
        const ids = handledIds()
        // Only these may be repeated.
        const uncommitted = ids.slice(ids.lastIndexOf((await committedIds()).at(-1) ?? '') + 1)
        handledAfterLastCommit += uncommitted.length
        for (const id of uncommitted) allowed.add(id)
        await fixture.restartConsumer()
      }
      for (let batch = 0; batch < batches; batch += 1) {
        sent = await fixture.emit(BATCH)
        if (batch === 0) {
          await fixture.handled(1)
          // A consumer killed before its first commit reports a gap, which is another case.
          while ((await committedIds()).length === 0) await sleep(SETTLE_MS)
        }
        for (const _ of drops.filter((at) => at === batch)) {
          while (fixture.proxy.drop() === 0) await sleep(1)
          // The dropped connection must not be counted as the next one.
          await sleep(SETTLE_MS)
        }
        // Within the batch: the kill interrupts the consumer.
        for (const _ of kills.filter((at) => at === batch)) {
          const at = new Set(handledIds()).size + Math.floor(random.next() * BATCH * 0.8)
          await fixture.until('the moment of a kill', ({ ids }) => new Set(ids).size >= Math.min(at, sent))
          await killAndRestart()
        }
      }
      const ledger = await fixture.until('the last event', ({ ids }) => new Set(ids).size >= sent)
      const { missing, invented, repeats } = compareIds(ledger.ids, await fixture.moduleIds())
      const seen = new Set<string>()
      const unexplainedRepeats = ledger.ids.filter((id) => {
        const again = seen.has(id)
        seen.add(id)
        return again && !allowed.has(id)
      }).length
      context.promise(missing === 0, `0 missing, but ${missing}`)
      context.promise(invented === 0, `0 invented, but ${invented}`)
      context.promise(unexplainedRepeats === 0, `no repeat of committed events, but ${unexplainedRepeats}`)
      return {
        events: sent,
        drops: dropCount,
        kills: killCount,
        missing,
        invented,
        repeats,
        handledAfterLastCommit,
        unexplainedRepeats,
        reconnects: countNotices(ledger, 'reconnecting'),
      }
    },
  },
  {
    name: '24 hours of virtual time',
    promise:
      'a ping a minute keeps one connection; a drop an hour is resumed; nothing is lost or doubled; memory stays',
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
        // The first reconnect is immediate, which is a timer in virtual time.
        await until(
          () => notices.resumed === drops,
          () => clock.advance(1),
        )
      }
      const { missing, invented, repeats } = compareIds(
        ids,
        simulator.moduleEvents().map(({ id }) => id),
      )
      const { reconnecting: reconnects = 0, 'heartbeat-late': lateHeartbeats = 0 } = notices
      const grownMib = Math.round((heapBytes() - afterAnHour) / MIB)
      context.promise(grownMib < 8, `less than 8 MiB more after 23 hours, but ${grownMib}`)
      context.promise(missing + invented + repeats === 0, 'nothing missing, invented or doubled')
      context.promise(reconnects === drops, `${drops} reconnects, but ${reconnects}`)
      context.promise(lateHeartbeats === 0, `no late heartbeat, but ${lateHeartbeats}`)
      return { hours: 24, events: DAY_MINUTES, drops, reconnects, lateHeartbeats, grownMib, missing, repeats }
    },
  },
]
