/** The servers of the streams, a store, the service, and three relay processes. Each relay has its own proxies. */
import type { RelayStatus } from '@brokerwire/relay'
import { startSimulator } from '@brokerwire/simulator'
import { type Child, startChild } from '@brokerwire/testing/child'
import { type RedisServer, startRedis } from '@brokerwire/testing/redis'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { EntryFactory } from '../../../packages/relay/src/wire/entries.ts'
import { type StreamAddress, streamName, subjectRoot } from '../../../packages/relay/src/wire/subjects.ts'
import { recovered } from '../wait.ts'
import type { RelayCommands, RelayReport } from './relay-process.ts'
import type { StreamServers } from './stream-servers.ts'
import type { Kill } from './verify.ts'

export interface ClusterOptions {
  readonly apps: number
  readonly heartbeatIntervalMs: number
  readonly slotLingerMs: number
}

/** The servers that the clusters of several cases use one after the other. */
export interface Servers {
  readonly streams: StreamServers
  readonly store: RedisServer
  close(): Promise<void>
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>

const RELAYS = 3
const MAX_CONNECTIONS = 5
const SUBSCRIPTIONS = 3
/**
 * Additional time that relays wait, compared with the service, before they reuse a connection slot. It is
 * necessary because a busy machine reports the end of a connection late.
 */
const LATE_MS = 3000

export async function startServers(
  startStreams: (store: RedisServer) => Promise<StreamServers>,
): Promise<Servers> {
  const store = await startRedis()
  const streams = await startStreams(store)
  return {
    streams,
    store,
    async close() {
      await Promise.all([streams.close(), store.close()])
    },
  }
}

function createCounts(losesAcknowledged: boolean) {
  const counts = {
    duplicates: 0,
    rejected: 0,
    acquired: 0,
    fenced: 0,
    lost: 0,
    held: 0,
    truncated: 0,
    failed: [] as string[],
  }
  const add = (report: RelayReport): void => {
    if (report.type === 'duplicates') counts.duplicates += report.events
    else if (report.type === 'rejected') counts.rejected += report.messages
    else if (report.type === 'lost' || report.type === 'held') counts[report.type] += 1
    else if (report.type === 'app') {
      if (report.state === 'acquired' || report.state === 'fenced') counts[report.state] += 1
      if (report.state !== 'failed') return
      if (report.isTruncated && losesAcknowledged) counts.truncated += 1
      else counts.failed.push(`${report.app}: ${report.error}`)
    }
  }
  return { counts, add }
}

export async function startCluster({ streams, store }: Servers, options: ClusterOptions) {
  const { heartbeatIntervalMs, slotLingerMs } = options
  const apps = Array.from({ length: options.apps }, (_, at) => `team-${at}`)
  const prefix = `linger-${slotLingerMs}`
  const simulator = await startSimulator({
    moduleEventsPort: 'shared',
    maxConnections: MAX_CONNECTIONS,
    slotLingerMs,
    // The service sends the event at the cursor again, and the relay must find the duplicate.
    cursor: 'inclusive',
    pingIntervalMs: 1000,
    retainedBytes: 1024 ** 3,
    apps: apps.map((name) => ({ name })),
  })
  const { counts, add } = createCounts(streams.losesAcknowledged ?? false)
  const kills: Kill[] = []
  const secrets: Record<string, string> = {}
  for (const [at, { credentials }] of simulator.apps.entries()) {
    secrets[`apps[${at}].appKey`] = credentials.appKey
    secrets[`apps[${at}].appSecret`] = credentials.appSecret.reveal()
  }

  const openRelay = async (name: string) => {
    const toStreams = await Promise.all(streams.nodes.map(({ port }) => startTcpProxy(port)))
    const toService = await startTcpProxy(Number(new URL(simulator.eventsUrl).port))
    const toStore = await startTcpProxy(store.port)
    const url = `http://127.0.0.1:${toService.port}`
    const config = {
      cluster: prefix,
      prefix,
      name,
      heartbeatIntervalMs,
      slotLingerMs: slotLingerMs === 0 ? 0 : slotLingerMs + LATE_MS,
      maxConnections: MAX_CONNECTIONS,
      apps: simulator.apps.map((app) => ({
        name: app.name,
        environment: 'production',
        region: 'us',
        appKey: { env: 'APP_KEY' },
        appSecret: { env: 'APP_SECRET' },
        accounts: app.accounts,
        modules: ['application', 'journal', 'funding'],
        eventsUrl: url,
        moduleEventsUrl: url,
      })),
    }
    let child: Child<RelayCommands> | undefined
    const end = async (): Promise<void> => {
      const ended = child
      child = undefined
      await ended?.kill()
    }
    return {
      toStreams,
      toService,
      toStore,
      async start() {
        const program = new URL('relay-process.ts', import.meta.url)
        const started = await startChild<RelayCommands>(program, (report) => add(report as RelayReport))
        child = started
        void started.ended.then(() => {
          if (child === started) counts.failed.push(`the process of ${name} ended by itself`)
        })
        await child.call('start', {
          config: JSON.stringify(config),
          secrets,
          sink: streams.place(
            toStreams.map(({ port }) => port),
            toStore.port,
          ),
          storePort: toStore.port,
        })
      },
      async kill() {
        kills.push({ relay: name, atMs: Date.now() })
        await end()
      },
      status: async (): Promise<RelayStatus | undefined> => (await child?.call('status')) ?? undefined,
      stop: () => void child?.process.kill('SIGSTOP'),
      resume: () => void child?.process.kill('SIGCONT'),
      /** Closes the relay, as SIGTERM does. */
      async close() {
        await child?.call('close')
        await end()
      },
    }
  }
  const relays = await Promise.all(Array.from({ length: RELAYS }, (_, at) => openRelay(`relay-${at}`)))

  const addressOf = (app: string): StreamAddress => ({ prefix, environment: 'production', region: 'us', app })
  const streamOf = (app: string): string => streamName(addressOf(app))
  let strangers = 0
  const cluster = {
    streams,
    apps,
    relays,
    simulator,
    counts,
    kills: kills as readonly Kill[],
    addressOf,
    streamOf,
    /** Returns the index of the node that is the leader of an app's stream. */
    leaderOf: (app: string): Promise<number> =>
      recovered(`the leader of ${app}`, () => streams.leaderOf(streamOf(app))),
    /**
     * Writes to an app's stream as a relay that the store does not list. The current writer then becomes an
     * earlier writer.
     */
    async takeStream(app: string): Promise<void> {
      strangers += 1
      const incarnation = `stranger-${strangers}`
      const address = addressOf(app)
      const entries = new EntryFactory(subjectRoot(address), incarnation, prefix)
      await recovered(`${app} taken by another`, async () => {
        const sink = streams.sinks.open(address)
        try {
          await sink.tail({ maxEntries: 1 })
          const notice = {
            type: 'notice',
            kind: 'writer-changed',
            state: 'acquired',
            cluster: prefix,
          } as const
          const writer = { ...notice, atMs: Date.now(), relay: 'stranger', incarnation }
          return await sink.publish([entries.notice('relay', writer)])
        } finally {
          await sink.close()
        }
      })
    },
    async untilReplicated(): Promise<void> {
      for (const app of apps)
        await recovered(
          `${app} on all servers`,
          async () => (await streams.isReplicated(streamOf(app))) || undefined,
        )
    },
    /** Waits until each app has all its subscriptions. */
    async untilSubscribed(): Promise<void> {
      const isFlowing = async () =>
        simulator.apps.every((app) => app.subscriptions().length === SUBSCRIPTIONS) || undefined
      await recovered('all subscriptions', isFlowing, slotLingerMs)
    },
    async close(): Promise<void> {
      for (const relay of relays) {
        relay.resume()
        await relay.close()
        for (const proxy of [...relay.toStreams, relay.toService, relay.toStore]) await proxy.close()
      }
      await simulator.close()
    },
  }
  await Promise.all(relays.map((relay) => relay.start()))
  // Waits until each app has a relay. If another relay takes an app over during its first events, some could
  // be lost, because the stream of the app has no position yet.
  await recovered('apps that are assigned', async () => {
    const found = await Promise.all(relays.map((relay) => relay.status()))
    const isSettled = found.every((status) => status?.isReady && status.members.length === RELAYS)
    const assigned = found.flatMap((status) => Object.keys(status?.apps ?? {}))
    return (isSettled && assigned.length === apps.length) || undefined
  })
  await cluster.untilSubscribed()
  await cluster.untilReplicated()
  return cluster
}
