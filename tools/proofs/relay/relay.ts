/**
 * `pnpm proof relay`: three relays that write to a NATS cluster with three replicas, or to a server of another kind.
 * It compares all events that the service sent with the messages in the streams. Another case runs a cluster of ten
 * thousand apps on two hundred relays in virtual time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPackage } from '@brokerwire/testing/installed'
import { clusterBounds, simulateCluster } from '../../../packages/relay/src/test/cluster-simulation.ts'
import { HEADER } from '../../../packages/relay/src/wire/headers.ts'
import { subjectRoot } from '../../../packages/relay/src/wire/subjects.ts'
import type { Case, CaseContext, Figures, Proof } from '../harness.ts'
import { type Cluster, type Servers, startCluster, startServers } from './cluster.ts'
import { createEvents, type Events } from './events.ts'
import { drawFaults, inject, STREAM_TAKEN } from './faults.ts'
import { startJetStreamServers } from './jetstream-servers.ts'
import { startPostgresServers } from './postgres-servers.ts'
import { startRedisServers } from './redis-servers.ts'
import { retention } from './retention.ts'
import type { StreamServers } from './stream-servers.ts'
import { takeovers, type Verdict, verify } from './verify.ts'

const FULL = {
  apps: 6,
  heartbeatIntervalMs: 1000,
  lingerMs: 60_000,
  cluster: { apps: 10_000, relays: 200, changes: 60 },
}
const SHORT = {
  apps: 3,
  heartbeatIntervalMs: 400,
  lingerMs: 3000,
  cluster: { apps: 1000, relays: 20, changes: 24 },
}

/** The number of missed heartbeats after which a relay counts as dead. */
const DEAD_HEARTBEATS = 6
const MAX_CONNECTIONS = 5
const LAST_MS = 300_000
const SEND_AGAIN_MS = 10_000
const WATCH_EVERY_MS = 20
/** A number of events of an app that is large enough for each module and both sorts of trade events. */
const EACH_SORT = 5
const SORTS = ['module', 'trade', 'position'] as const

/** Records the maximum number of connections of an app, as the service counts them. */
function watchConnections({ simulator }: Cluster): { readonly most: number; stop(): void } {
  let most = 0
  const timer = setInterval(() => {
    for (const app of simulator.apps) most = Math.max(most, app.subscriptions().length)
  }, WATCH_EVERY_MS)
  return {
    get most() {
      return most
    },
    stop: () => clearInterval(timer),
  }
}

/**
 * Waits until the last event of each sort is in the streams. If the writer changes, a trade event may be lost
 * in the gap. Therefore some more events are sent after a while.
 */
async function untilStored(cluster: Cluster, events: Events): Promise<void> {
  const isStored = async (app: string, sort: (typeof SORTS)[number]): Promise<boolean> => {
    const last = events.sent
      .get(app)
      ?.filter(({ stream }) => stream === sort)
      .at(-1)
    if (last === undefined) return true
    const address = cluster.addressOf(app)
    await using sink = cluster.streams.sinks.open(address)
    const lastOf = [`${subjectRoot(address)}.${sort}.event.*.*`]
    const tail = await sink.tail({ maxEntries: 0, lastOf }).catch(() => undefined)
    const headers = tail?.lastOf[0]?.headers
    return (headers?.[HEADER.id] ?? headers?.[HEADER.requestId]) === last.id
  }
  const areStored = async (): Promise<boolean> => {
    for (const app of cluster.apps) for (const sort of SORTS) if (!(await isStored(app, sort))) return false
    return true
  }
  const endMs = performance.now() + LAST_MS
  let againMs = performance.now() + SEND_AGAIN_MS
  for (; !(await areStored()) && performance.now() < endMs; await sleep(50)) {
    if (performance.now() < againMs) continue
    events.sendSome(EACH_SORT)
    againMs += SEND_AGAIN_MS
  }
}

function summary(times: readonly number[]): string {
  if (times.length === 0) return 'none'
  const sorted = [...times].sort((one, other) => one - other)
  const seconds = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`
  return `median ${seconds(sorted[Math.floor(sorted.length / 2)])}, maximum ${seconds(sorted.at(-1))} of ${sorted.length}`
}

/** Closes the cluster, reads its streams and verifies them. */
async function conclude(
  { print, fail, check }: CaseContext,
  cluster: Cluster,
  events: Events,
  mostConnections: number,
): Promise<{ readonly rejected: number; readonly figures: Figures }> {
  await cluster.untilSubscribed()
  events.sendSome(EACH_SORT)
  await untilStored(cluster, events)
  const rejected = cluster.simulator
    .requests()
    .filter(({ errorCode }) => errorCode === 'connection-limit').length
  await cluster.close()
  const verdicts: Verdict[] = []
  const times: Record<string, number[]> = { module: [], trade: [], position: [] }
  for (const app of cluster.apps) {
    const messages = await cluster.streams.read(cluster.streamOf(app))
    const verdict = verify(messages, events.sent.get(app) ?? [])
    verdicts.push(verdict)
    for (const text of verdict.missingEvents.slice(0, 10)) print(`${app}: missing ${text}`)
    for (const [stream, found] of Object.entries(takeovers(messages, cluster.kills)))
      times[stream]?.push(...found)
  }
  for (const [stream, found] of Object.entries(times))
    print(`${stream} events flow again after a kill: ${summary(found)}`)
  const sum = (name: Exclude<keyof Verdict, 'missingEvents'>): number =>
    verdicts.reduce((total, verdict) => total + verdict[name], 0)
  const errors = ['missing', 'duplicates', 'outOfOrder', 'invented', 'altered'] as const
  const tradeErrors = ['unexplained', 'duplicateTrades', 'openGaps', 'fromEarlierWriter'] as const
  for (const error of [...errors, ...tradeErrors]) check(sum(error) === 0, `${error}: ${sum(error)}`)
  check(mostConnections <= MAX_CONNECTIONS, `${mostConnections} connections of an app`)
  const { counts } = cluster
  for (const what of counts.failed) fail(`an app failed: ${what}`)
  const figures = {
    modules: sum('modules'),
    tradesLost: sum('lost'),
    gaps: sum('gaps'),
    writers: counts.acquired,
    fenced: counts.fenced,
    membershipsLost: counts.lost,
    writesOfEarlierWritersRejected: counts.rejected,
    duplicatesDiscarded: counts.duplicates,
    connectionsRejected: rejected,
    mostConnections,
  }
  return { rejected, figures }
}

interface FaultsOptions {
  readonly name: string
  readonly needs: ServerPackage
  readonly servers: () => Promise<Servers>
  readonly moduleEvents: number
  readonly tradeEvents: number
  readonly rounds: number
}

const faults = ({ name, needs, servers, moduleEvents, tradeEvents, rounds }: FaultsOptions): Case => ({
  name,
  promise: 'every module event is in its stream once and in order; a trade event is there once, or in a gap',
  needs: [needs, 'redis-server'],
  async run(context) {
    const { random, fail, check, print, short } = context
    const { apps, heartbeatIntervalMs } = short ? SHORT : FULL
    const cluster = await startCluster(await servers(), { apps, heartbeatIntervalMs, slotLingerMs: 0 })
    const events = createEvents(cluster.simulator.apps, random.fork('events'))
    const target = {
      cluster,
      events,
      random: random.fork('faults'),
      leaseMs: DEAD_HEARTBEATS * heartbeatIntervalMs,
    }
    const watched = watchConnections(cluster)
    const counts = new Map<string, number>()
    let repeated = 0
    // Sends the first events of all types. While an event type has no event, its cursor has no position, and
    // an event that is missed is lost. A gap reports the loss.
    events.sendSome(EACH_SORT)
    await untilStored(cluster, events)
    const injectAll = async (names: readonly string[]): Promise<void> => {
      await Promise.all(names.map((name) => inject(name, target)))
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    try {
      for (const [round, names] of drawFaults(rounds, target.random).entries()) {
        const share = (count: number): number =>
          Math.floor((count * (round + 1)) / rounds) - Math.floor((count * round) / rounds)
        let isOver = false
        const fault = injectAll(names).then(() => {
          isOver = true
        })
        await Promise.all([
          fault,
          events.send({ modules: share(moduleEvents), trades: share(tradeEvents) }, () => isOver),
        ])
        await cluster.untilSubscribed()
        repeated += events.repeat()
      }
      // This fault happens once in every run: another relay writes to the stream of an app, and the new
      // writer receives duplicates.
      await injectAll([STREAM_TAKEN])
      await cluster.untilSubscribed()
    } catch (error) {
      fail(String(error))
    }
    watched.stop()
    print([...counts].map(([name, count]) => `${name} ${count}`).join(', '))
    const { figures } = await conclude(context, cluster, events, watched.most)
    check(cluster.counts.rejected > 0, 'an earlier writer tried to write; otherwise the fence was not tested')
    check(
      cluster.counts.duplicates > 0,
      'the service sent events again; otherwise duplicates were not tested',
    )
    return { ...figures, tradesRepeatedByTheService: repeated }
  },
})

const lingering = (servers: () => Promise<Servers>): Case => ({
  name: 'lingering connections',
  promise: 'after relays are killed, no relay opens a connection that the service rejects',
  needs: ['nats-server', 'redis-server'],
  async run(context) {
    const { random, fail, check, short } = context
    const { apps, heartbeatIntervalMs, lingerMs } = short ? SHORT : FULL
    const cluster = await startCluster(await servers(), { apps, heartbeatIntervalMs, slotLingerMs: lingerMs })
    const events = createEvents(cluster.simulator.apps, random.fork('events'))
    const watched = watchConnections(cluster)
    events.sendSome(EACH_SORT)
    await untilStored(cluster, events)
    let isOver = false
    const trickle = (async () => {
      for (; !isOver; await sleep(random.integer(50, 300))) events.sendSome(1)
    })()
    // Waits until the service notices that connections have closed, and the other relays notice that a relay
    // has ended.
    const waitForDetection = async (): Promise<void> => {
      await sleep(DEAD_HEARTBEATS * heartbeatIntervalMs)
      await cluster.untilSubscribed()
    }
    try {
      const victims = random.shuffle(cluster.relays).slice(0, 2)
      for (const relay of victims) {
        await relay.kill()
        await waitForDetection()
      }
      for (const relay of victims) {
        await relay.start()
        await waitForDetection()
      }
    } catch (error) {
      fail(String(error))
    }
    isOver = true
    await trickle
    watched.stop()
    const { rejected, figures } = await conclude(context, cluster, events, watched.most)
    check(rejected === 0, `${rejected} connections were opened that the service rejected`)
    return figures
  },
})

const cluster: Case = {
  name: 'cluster in virtual time',
  promise: 'each app has one relay, and the costs of changes stay within their bounds',
  async run({ random, print, check, short }) {
    const size = { ...(short ? SHORT : FULL).cluster, seed: random.integer(0, 2 ** 31) }
    const { costs, seconds, most, without } = await simulateCluster(size)
    for (const [name, bound] of Object.entries(clusterBounds(size))) {
      const value = costs[name as keyof typeof costs]
      print(`${name} ${Number(value.toFixed(4))}, bound ${bound}`)
      check(value <= bound, `${name} ${value} is over ${bound}`)
    }
    check(most === 1, `an app had ${most} relays at once`)
    check(without === 0, `apps without a relay at the end: ${without}`)
    return { apps: size.apps, relays: size.relays, changes: size.changes, virtualSeconds: seconds }
  },
}

export const proof: Proof = {
  flags: {
    'module-events': 'module events in each case "faults" (100000; short: 4000)',
    'trade-events': 'trade events in each case "faults" (20000; short: 800)',
    rounds: 'rounds of each case "faults" (80; short: 9)',
    'retention-rounds': 'rounds of the case "short retention" (66; short: 11); 450 take half an hour',
  },
  cases({ flag, atEnd }) {
    /** Starts servers when the first case needs them. */
    const servers = (start: () => Promise<StreamServers>): (() => Promise<Servers>) => {
      let started: Promise<Servers> | undefined
      atEnd(async () => (await started)?.close())
      return () => {
        started ??= startServers(start)
        return started
      }
    }
    const jetStream = servers(startJetStreamServers)
    const sizes = {
      moduleEvents: flag('module-events', 100_000, 4000),
      tradeEvents: flag('trade-events', 20_000, 800),
      rounds: flag('rounds', 80, 9),
    }
    return [
      faults({ name: 'faults', needs: 'nats-server', servers: jetStream, ...sizes }),
      faults({
        name: 'faults with Postgres',
        needs: 'postgresql',
        servers: servers(startPostgresServers),
        ...sizes,
      }),
      faults({
        name: 'faults with Redis',
        needs: 'redis-server',
        servers: servers(startRedisServers),
        ...sizes,
      }),
      lingering(jetStream),
      retention(flag('retention-rounds', 66, 11)),
      cluster,
    ]
  },
}
