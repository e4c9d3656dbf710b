/** The long ones: 100,000 events (short: 20,000) with a consumer that is killed, and a day of virtual time. */
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createSeededRandom, createVirtualClock } from '@brokerwire/core/testing'
import { createSigner } from '@brokerwire/signer'
import { startSimulator } from '@brokerwire/simulator'
import { createFileStore } from '@brokerwire/stores/file'
import { createStreams } from '@brokerwire/streams'
import { CURSOR_KEY, compareIds, countNotices, readLedger } from '../ledger.ts'
import type { Scenario } from '../scenario.ts'
import { startWorld } from '../world.ts'

const BATCH = 1000
const SETTLE_MS = 20
const SEED = 7

const kills: Scenario = {
  name: 'many events, random drops, a consumer killed with SIGKILL',
  promise: '0 missing, 0 invented; what comes again after a kill was handled after the last commit',
  async run(context) {
    const directory = join(context.folder, 'store')
    const world = await startWorld(context, { consumer: { directory } })
    const store = createFileStore({ directory })
    const key = ['streams', 'cursor', CURSOR_KEY, 'default', 'APPLICATION'].map(encodeURIComponent).join('/')
    const committedIds = async (): Promise<readonly string[]> => {
      const record = JSON.parse((await store.get(key)) ?? '{}') as { readonly ids?: readonly string[] }
      return record.ids ?? []
    }
    const random = createSeededRandom(SEED)
    const [eventCount, dropCount, killCount] = context.short ? [20_000, 20, 5] : [100_000, 50, 20]
    /** At which hundreds of events something strikes. */
    const moments = (count: number): Map<number, number> => {
      const map = new Map<number, number>()
      for (let n = 0; n < count; n += 1) {
        const batch = 1 + Math.floor(random() * (eventCount / BATCH - 1))
        map.set(batch, (map.get(batch) ?? 0) + 1)
      }
      return map
    }
    const drops = moments(dropCount)
    const killMoments = moments(killCount)
    const allowed = new Set<string>()
    let openToRepeat = 0
    let killsDone = 0
    let sent = 0
    const killAndRestart = async (): Promise<void> => {
      await world.killConsumer()
      killsDone += 1
      const { ids } = readLedger(world.ledger)
      // Handled after the last commit, as the store tells it: these may come again, and no others.
      const uncommitted = ids.slice(ids.lastIndexOf((await committedIds()).at(-1) ?? '') + 1)
      openToRepeat += uncommitted.length
      for (const id of uncommitted) allowed.add(id)
      await world.startConsumer()
    }
    for (let batch = 0; batch < eventCount / BATCH; batch += 1) {
      sent = await world.server.call('emitManyModules', BATCH)
      if (batch === 0) {
        await world.handled(1)
        // A consumer killed before its first commit begins from now and tells the gap: a scenario of its own.
        while ((await committedIds()).length === 0) await sleep(SETTLE_MS)
      }
      for (let n = drops.get(batch) ?? 0; n > 0; n -= 1) {
        while (world.proxy.drop() === 0) await sleep(1)
        // Until that connection is gone: it must not be counted as the next one.
        await sleep(SETTLE_MS)
      }
      // Within the batch, not between two: the kill finds it at work.
      for (let n = killMoments.get(batch) ?? 0; n > 0; n -= 1) {
        const at = new Set(readLedger(world.ledger).ids).size + Math.floor(random() * BATCH * 0.8)
        await world.until('the moment of a kill', ({ ids }) => new Set(ids).size >= Math.min(at, sent))
        await killAndRestart()
      }
    }
    const ledger = await world.until('the last event', ({ ids }) => new Set(ids).size >= sent)
    const { missing, invented, repeats } = compareIds(ledger.ids, await world.server.call('moduleIds'))
    const seen = new Set<string>()
    const unexplained = ledger.ids.filter((id) => {
      const again = seen.has(id)
      seen.add(id)
      return again && !allowed.has(id)
    }).length
    context.promise(missing === 0, `0 missing, but ${missing}`)
    context.promise(invented === 0, `0 invented, but ${invented}`)
    context.promise(unexplained === 0, `no repeat of what was committed, but ${unexplained}`)
    return {
      events: sent,
      drops: dropCount,
      kills: killsDone,
      missing,
      invented,
      repeats,
      handledAfterLastCommit: openToRepeat,
      unexplainedRepeats: unexplained,
      reconnects: countNotices(ledger, 'reconnecting'),
    }
  },
}

/** What is in use once all that is no longer needed is gone. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

const aDay: Scenario = {
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
    context.atEnd(async () => streams.close())
    const ids: string[] = []
    const notices: Record<string, number> = {}
    void (async () => {
      for await (const item of streams.moduleEvents({ modules: ['application'] })) {
        if (item.type === 'event') ids.push(item.id)
        else notices[item.kind] = (notices[item.kind] ?? 0) + 1
      }
    })()
    const until = async (holds: () => boolean, between?: () => Promise<unknown>): Promise<void> => {
      const end = performance.now() + 20_000
      while (!holds()) {
        if (performance.now() > end) throw new Error(`stuck after ${ids.length} events`)
        await between?.()
        await nextTurn()
      }
    }
    await until(() => notices.subscribed === 1)
    let sent = 0
    let drops = 0
    let afterAnHour = 0
    for (let minute = 1; minute <= DAY_MINUTES; minute += 1) {
      await clock.advance(MINUTE_MS)
      simulator.emitModule({ module: 'application' })
      sent += 1
      await until(() => ids.length === sent)
      if (minute === 60) afterAnHour = heapBytes()
      if (minute % 60 !== 30) continue
      drops += 1
      simulator.dropConnections()
      // The first reconnect is at once, which in virtual time is a timer too.
      await until(
        () => notices.resumed === drops,
        () => clock.advance(1),
      )
    }
    const { missing, invented, repeats } = compareIds(
      ids,
      simulator.moduleEvents().map((event) => event.id),
    )
    const { reconnecting = 0, 'heartbeat-late': late = 0 } = notices
    const grownMib = Math.round((heapBytes() - afterAnHour) / MIB)
    context.promise(grownMib < 8, `less than 8 MiB more after 23 hours, but ${grownMib}`)
    context.promise(missing + invented + repeats === 0, 'nothing missing, invented or doubled')
    context.promise(reconnecting === drops, `${drops} reconnects, but ${reconnecting}`)
    context.promise(late === 0, `no heartbeat late, but ${late}`)
    return {
      hours: 24,
      events: sent,
      drops,
      reconnects: reconnecting,
      lateHeartbeats: late,
      grownMib,
      missing,
      repeats,
    }
  },
}

export const LONG_SCENARIOS: readonly Scenario[] = [kills, aDay]
