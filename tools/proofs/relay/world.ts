/** A cluster of NATS, a store, the service, and three relays in processes of their own, each behind proxies of its own. */
import type { RelayStatus } from '@brokerwire/relay'
import { type Simulator, startSimulator } from '@brokerwire/simulator'
import type { ChildServer } from '@brokerwire/testing/child-server'
import { startNatsCluster } from '@brokerwire/testing/nats'
import { startRedis } from '@brokerwire/testing/redis'
import { startTcpProxy, type TcpProxy } from '@brokerwire/testing/tcp-proxy'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { createJetStreamSink } from '../../../packages/relay/src/nats/jetstream-sink.ts'
import { Entries } from '../../../packages/relay/src/wire/entries.ts'
import { type StreamAddress, streamName, subjectRoot } from '../../../packages/relay/src/wire/subjects.ts'
import { type Child, startFile } from '../faults/child.ts'
import { pause } from '../stores/troubles.ts'
import type { Kill } from './judge.ts'
import type { RelayCommands, RelayReport, RelayStart } from './relay-process.ts'

/** A relay under the harness's hand. */
export interface RelayHost {
  readonly name: string
  readonly toNats: readonly TcpProxy[]
  readonly toService: TcpProxy
  readonly toStore: TcpProxy
  start(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGSTOP. */
  stop(): void
  /** SIGCONT. */
  goOn(): void
  /** In good order, as on SIGTERM. */
  end(): Promise<void>
  /** What it says of itself. */
  status(): Promise<RelayStatus | null>
}

/** What the relays have said. */
export interface Heard {
  repeats: number
  /** Messages of earlier holders that were refused. */
  refused: number
  taken: number
  fenced: number
  failed: string[]
  lost: number
  held: number
}

export interface World {
  readonly nodes: readonly ChildServer[]
  readonly keys: readonly string[]
  readonly relays: readonly RelayHost[]
  readonly simulator: Simulator
  readonly connection: NatsConnection
  readonly heard: Heard
  readonly kills: readonly Kill[]
  /** The name of a key's stream. */
  streamOf(key: string): string
  /** Which server leads a key's stream. */
  leaderOf(key: string): Promise<number>
  /**
   * Writes to a key's stream as a relay would that the store knows nothing of: whoever held it is an earlier holder from then
   * on, and does not know.
   */
  takeStream(key: string): Promise<void>
  /** Until every server has everything. */
  untilReplicated(): Promise<void>
  /** Until each key has all its subscriptions. @throws After a while. */
  untilFlowing(): Promise<void>
  close(): Promise<void>
}

export interface WorldOptions {
  /** The bundle of a relay. */
  readonly program: string
  readonly keys: number
  readonly beatMs: number
  readonly slotLingerMs: number
}

/** The servers, which one world after the other uses. */
export interface Servers {
  readonly nodes: readonly ChildServer[]
  readonly store: ChildServer
  readonly connection: NatsConnection
  close(): Promise<void>
}

const RELAYS = 3
const REPLICAS = 3
const MAX_CONNECTIONS = 5
const SUBSCRIPTIONS = 3
const API_TIMEOUT_MS = 2000
/** Real time: what does not flow by then never will. */
const REST_MS = 300_000
/**
 * Relays count a place for so much longer than the service: its process is that of all networks, too, and where the machine is
 * busy it learns late that a connection has ended.
 */
const LATE_MS = 3000
const LOOK_MS = 50

/** Again and again, while the cluster has no leader. */
async function again<T>(what: string, untilMs: number, work: () => Promise<T | undefined>): Promise<T> {
  let last: unknown
  while (performance.now() < untilMs) {
    try {
      const value = await work()
      if (value !== undefined) return value
      last = undefined
    } catch (error) {
      last = error
    }
    await pause(LOOK_MS)
  }
  throw new Error(`waited in vain: ${what}${last === undefined ? '' : ` (${String(last)})`}`)
}

export async function startServers(): Promise<Servers> {
  const cluster = await startNatsCluster()
  const store = await startRedis()
  const connection = await connect({
    servers: cluster.servers.map(({ port }) => `127.0.0.1:${port}`),
    reconnectTimeWait: 50,
    maxReconnectAttempts: -1,
    timeout: API_TIMEOUT_MS,
  })
  // The cluster has a leader when it says what it holds.
  await again('a cluster with a leader', performance.now() + REST_MS, async () => {
    const answer = await connection.request('$JS.API.INFO', '', { timeout: API_TIMEOUT_MS })
    return answer.json<{ error?: unknown }>().error === undefined ? true : undefined
  })
  return {
    nodes: cluster.servers,
    store,
    connection,
    async close() {
      await connection.close()
      await Promise.all([cluster.close(), store.close()])
    },
  }
}

interface StreamInfo {
  readonly cluster?: {
    readonly leader?: string
    readonly replicas?: readonly {
      readonly current: boolean
      readonly offline?: boolean
      readonly lag?: number
    }[]
  }
}

export async function startWorld(servers: Servers, options: WorldOptions): Promise<World> {
  const { program, beatMs, slotLingerMs } = options
  const { nodes, store, connection } = servers
  const keys = Array.from({ length: options.keys }, (_, at) => `desk-${at}`)
  const prefix = `linger-${slotLingerMs}`
  const simulator = await startSimulator({
    moduleEventsPort: 'shared',
    maxConnections: MAX_CONNECTIONS,
    slotLingerMs,
    // Its own event comes again behind each cursor: what the service replays is known.
    cursor: 'inclusive',
    pingIntervalMs: 1000,
    retainedBytes: 1024 ** 3,
    apps: keys.map((name) => ({ name })),
  })
  const heard: Heard = { repeats: 0, refused: 0, taken: 0, fenced: 0, failed: [], lost: 0, held: 0 }
  const kills: Kill[] = []
  const hear = (report: RelayReport): void => {
    if (report.type === 'repeats') heard.repeats += report.events
    else if (report.type === 'refused') heard.refused += report.messages
    else if (report.type === 'lost') heard.lost += 1
    else if (report.type === 'held') heard.held += 1
    else if (report.type === 'key') {
      if (report.state === 'taken') heard.taken += 1
      if (report.state === 'fenced') heard.fenced += 1
      if (report.state === 'failed') heard.failed.push(`${report.key}: ${report.error}`)
    }
  }
  const secrets: Record<string, string> = {}
  for (const [at, { credentials }] of simulator.apps.entries()) {
    secrets[`keys[${at}].appKey`] = credentials.appKey
    secrets[`keys[${at}].appSecret`] = credentials.appSecret.reveal()
  }

  const openRelay = async (name: string): Promise<RelayHost> => {
    const toNats = await Promise.all(nodes.map(({ port }) => startTcpProxy(port)))
    const toService = await startTcpProxy(Number(new URL(simulator.eventsUrl).port))
    const toStore = await startTcpProxy(store.port)
    const url = `http://127.0.0.1:${toService.port}`
    const config = {
      fleet: prefix,
      prefix,
      name,
      beatMs,
      slotLingerMs: slotLingerMs === 0 ? 0 : slotLingerMs + LATE_MS,
      maxConnections: MAX_CONNECTIONS,
      keys: simulator.apps.map((app) => ({
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
    return {
      name,
      toNats,
      toService,
      toStore,
      async start() {
        child = startFile<RelayCommands>(program, [], (said) => hear(said as RelayReport))
        await child.call('start', {
          config: JSON.stringify(config),
          secrets,
          natsPorts: toNats.map(({ port }) => port),
          storePort: toStore.port,
          replicas: REPLICAS,
        } satisfies RelayStart)
      },
      async kill() {
        kills.push({ relay: name, atMs: Date.now() })
        await child?.kill()
      },
      status: async () => (await child?.call('status')) ?? null,
      stop: () => void child?.process.kill('SIGSTOP'),
      goOn: () => void child?.process.kill('SIGCONT'),
      async end() {
        await child?.call('close')
        await child?.kill()
      },
    }
  }
  const relays = await Promise.all(Array.from({ length: RELAYS }, (_, at) => openRelay(`relay-${at}`)))

  const addressOf = (key: string): StreamAddress => ({
    prefix,
    environment: 'production',
    region: 'us',
    key,
  })
  const streamOf = (key: string): string => streamName(addressOf(key))
  let strangers = 0
  const infoOf = async (key: string): Promise<StreamInfo> => {
    const answer = await connection.request(`$JS.API.STREAM.INFO.${streamOf(key)}`, '', {
      timeout: API_TIMEOUT_MS,
    })
    return answer.json<StreamInfo>()
  }
  const world: World = {
    nodes,
    keys,
    relays,
    simulator,
    connection,
    heard,
    kills,
    streamOf,
    leaderOf: (key) =>
      again(`the leader of ${key}`, performance.now() + REST_MS, async () => {
        // Servers are called n0, n1 and n2.
        const leader = (await infoOf(key)).cluster?.leader
        return leader === undefined ? undefined : Number(leader.slice(1))
      }),
    async takeStream(key) {
      strangers += 1
      const incarnation = `stranger-${strangers}`
      const address = addressOf(key)
      const entries = new Entries(subjectRoot(address), incarnation)
      await again(`${key} taken by another`, performance.now() + REST_MS, async () => {
        const sink = createJetStreamSink({ connection, address })
        try {
          await sink.tail({ maxEntries: 1 })
          const notice = { type: 'notice', kind: 'holder', state: 'taken', fleet: prefix } as const
          const holder = { ...notice, atMs: Date.now(), relay: 'stranger', incarnation }
          return await sink.publish([entries.notice('relay', holder)])
        } finally {
          await sink.close()
        }
      })
    },
    async untilReplicated() {
      for (const key of keys)
        await again(`${key} on all servers`, performance.now() + REST_MS, async () => {
          const replicas = (await infoOf(key)).cluster?.replicas ?? []
          const isWhole = replicas.length === REPLICAS - 1
          return isWhole && replicas.every(({ current, offline }) => current && !offline) ? true : undefined
        })
    },
    async untilFlowing() {
      await again('all subscriptions', performance.now() + REST_MS + slotLingerMs, async () =>
        simulator.apps.every((app) => app.subscriptions().length === SUBSCRIPTIONS) ? true : undefined,
      )
    },
    async close() {
      for (const relay of relays) {
        relay.goOn()
        await relay.end()
        for (const proxy of [...relay.toNats, relay.toService, relay.toStore]) await proxy.close()
      }
      await simulator.close()
    },
  }
  await Promise.all(relays.map((relay) => relay.start()))
  // A key that moves while its first events come could lose some: nothing in its stream says yet where to go on.
  await again('keys that are shared out', performance.now() + REST_MS, async () => {
    const found = await Promise.all(relays.map((relay) => relay.status()))
    const isSettled = found.every((status) => status?.isReady && status.members.length === RELAYS)
    const shared = found.flatMap((status) => Object.keys(status?.keys ?? {}))
    return isSettled && shared.length === keys.length ? true : undefined
  })
  await world.untilFlowing()
  await world.untilReplicated()
  return world
}
