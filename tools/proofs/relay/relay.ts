/**
 * `pnpm proof relay`: three relays that write to a NATS cluster with three replicas, or to a server of another kind.
 * It compares all events that the service sent with the messages in the streams, and with what readers have handled
 * that are killed too. Another case runs a cluster of ten
 * thousand apps on two hundred relays in virtual time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerPackage } from '@brokerwire/testing/installed'
import type { RedisServer } from '@brokerwire/testing/redis'
import { clusterBounds, simulateCluster } from '../../../packages/relay/src/test/cluster-simulation.ts'
import type { Case, Proof } from '../harness.ts'
import { type Servers, startCluster, startServers } from './cluster.ts'
import { createEvents } from './events.ts'
import { drawFaults, inject, STREAM_TAKEN } from './faults.ts'
import { startJetStreamServers } from './jetstream-servers.ts'
import { conclude, EACH_SORT, untilStored, watchConnections } from './outcome.ts'
import { startPostgresServers } from './postgres-servers.ts'
import { startReaders } from './readers.ts'
import { startRedisFailoverServers } from './redis-failover-servers.ts'
import { startRedisServers } from './redis-servers.ts'
import { retention } from './retention.ts'
import type { StreamServers } from './stream-servers.ts'
import { startWebhookServers } from './webhook-servers.ts'

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

interface FaultsOptions {
  readonly name: string
  /** @defaultValue each event once, or in a gap */
  readonly promise?: string
  readonly needs: ServerPackage
  readonly servers: () => Promise<Servers>
  readonly moduleEvents: number
  readonly tradeEvents: number
  readonly rounds: number
  /** Whether readers read the streams while they are killed. @defaultValue false */
  readonly hasReaders?: boolean
}

const ONCE = 'every module event is in its stream once and in order; a trade event is there once, or in a gap'

const faults = ({ name, promise = ONCE, needs, servers, ...options }: FaultsOptions): Case => ({
  name,
  promise,
  needs: [needs, 'redis-server'],
  async run(context) {
    const { random, fail, check, print, short } = context
    const { moduleEvents, tradeEvents, rounds, hasReaders } = options
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
    const readers = hasReaders ? await startReaders(context, cluster) : undefined
    const readerKills = random.fork('readers')
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
          readerKills.chance(0.5) ? readers?.restart(readerKills) : undefined,
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
    return { ...figures, ...(await readers?.conclude(events)), tradesRepeatedByTheService: repeated }
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
    'module-events':
      'module events in each case "faults" (100000; short: 4000); "failover" and "webhooks" have a fifth',
    'trade-events': 'trade events in each case "faults" (20000; short: 800); the others have a fifth',
    rounds: 'rounds of each case "faults" (80; short: 9); the others have half, and at least nine',
    'retention-rounds': 'rounds of the case "short retention" (66; short: 11); 450 take half an hour',
  },
  cases({ flag, seed, atEnd }) {
    /** Starts servers when the first case needs them. */
    const servers = (start: (store: RedisServer) => Promise<StreamServers>): (() => Promise<Servers>) => {
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
    const smaller = {
      moduleEvents: Math.floor(sizes.moduleEvents / 5),
      tradeEvents: Math.floor(sizes.tradeEvents / 5),
      // Each fault occurs at least once in nine rounds.
      rounds: Math.max(9, Math.floor(sizes.rounds / 2)),
    }
    return [
      faults({ name: 'faults', needs: 'nats-server', servers: jetStream, ...sizes }),
      faults({
        name: 'faults with Postgres',
        needs: 'postgresql',
        servers: servers(startPostgresServers),
        hasReaders: true,
        ...sizes,
      }),
      faults({
        name: 'faults with Redis',
        needs: 'redis-server',
        servers: servers(startRedisServers),
        hasReaders: true,
        ...sizes,
      }),
      faults({
        name: 'failover with Redis',
        promise: `${ONCE}, also if a failover loses messages that were acknowledged`,
        needs: 'redis-server',
        servers: servers(startRedisFailoverServers),
        hasReaders: true,
        ...smaller,
      }),
      faults({
        name: 'webhooks',
        promise:
          'the receiver gets every module event, in order; a trade event once, or a gap; copies have one webhook-id',
        needs: 'redis-server',
        servers: servers((store) => startWebhookServers(store, seed)),
        ...smaller,
      }),
      lingering(jetStream),
      retention(flag('retention-rounds', 66, 11)),
      cluster,
    ]
  },
}
