/**
 * Measures the time from sending an event until a reader has it, for each sink and for the bare client. The service
 * and the readers are in this process, so there is one clock; the writers are in another one.
 */
import { streamName } from '@brokerwire/relay'
import { consumeRelay, createJetStreamSink } from '@brokerwire/relay/nats'
import { migratePostgresSink } from '@brokerwire/relay/postgres'
import { type SimulatedApp, startSimulator } from '@brokerwire/simulator'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { startNats } from '@brokerwire/testing/nats'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import { waitUntil } from '@brokerwire/testing/wait'
import { AckPolicy, jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import pg from 'pg'
import { interleave, percentile } from '../benchmark.ts'
import { connectRedis } from './bare-writers.ts'
import { addressOf } from './entries.ts'
import type { App, WriterOptions } from './latency-writer-process.ts'

const SINKS = ['jetstream', 'postgres', 'redis'] as const
const ID = 'Brokerwire-Request-Id'
/** The number of events that the service sends together. */
const TOGETHER = 16

/** When the events were sent that no reader has yet, by id. */
const sent = new Map<string, number>()
let latencies: number[] = []

function received(id: string | undefined): void {
  const atMs = sent.get(id ?? '')
  if (id === undefined || atMs === undefined) return
  latencies.push(performance.now() - atMs)
  sent.delete(id)
}

async function readJetStream(connection: NatsConnection): Promise<void> {
  const js = jetstream(connection)
  const [ours, bare] = [addressOf('jetstream'), addressOf('jetstream-bare')]
  for (const address of [ours, bare]) {
    await using sink = createJetStreamSink({ connection, address, createStream: {} })
    await sink.tail({ maxEntries: 0 })
  }
  const readOurs = async (): Promise<void> => {
    for await (const item of consumeRelay({ js, address: ours, durableName: 'reader' }))
      if (item.type === 'event' && item.service === 'trade') received(item.requestId)
  }
  const readBare = async (): Promise<void> => {
    const manager = await js.jetstreamManager()
    const stream = streamName(bare)
    await manager.consumers.add(stream, { durable_name: 'reader', ack_policy: AckPolicy.All })
    for await (const message of await (await js.consumers.get(stream, 'reader')).consume()) {
      received(message.headers?.get(ID))
      message.ack()
    }
  }
  void readOurs()
  void readBare()
}

/** Reads a table after each notification. */
async function readPostgres(url: string, table: string, stream: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`LISTEN ${table}`)
  const query = `SELECT position, headers FROM ${table} WHERE stream = $1 AND position > $2 ORDER BY position`
  let position = '0'
  let [isNotified, isReading] = [false, false]
  const readAll = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    while (isNotified) {
      isNotified = false
      const { rows } = await client.query(query, [stream, position])
      for (const { headers } of rows) received(headers[ID])
      position = rows.at(-1)?.position ?? position
    }
    isReading = false
  }
  client.on('notification', () => {
    isNotified = true
    void readAll()
  })
}

async function readRedis(url: string, stream: string): Promise<void> {
  const client = await connectRedis(url)
  for (let id = '0'; ; ) {
    const found = await client.xRead({ key: stream, id }, { BLOCK: 0, COUNT: 1000 })
    for (const row of (found as { messages: { id: string; message: { headers?: string } }[] }[])[0]
      ?.messages ?? []) {
      received(JSON.parse(row.message.headers ?? '{}')[ID])
      id = row.id
    }
  }
}

const apps = new Map<string, SimulatedApp>()

const commands = {
  /** Starts the servers, the service and the readers. */
  async open(): Promise<WriterOptions> {
    const [nats, postgres, redis] = await Promise.all([startNats(), startPostgres(), startRedis()])
    const names = SINKS.flatMap((sink) => [`${sink}, ours`, `${sink}, bare`])
    const simulator = await startSimulator({
      apps: names.map((_, at) => ({ name: `app-${at}` })),
      slotLingerMs: 0,
    })
    const given: App[] = simulator.apps.map(({ credentials, accounts }, at) => ({
      name: SINKS[Math.floor(at / 2)] ?? '',
      appKey: credentials.appKey,
      appSecret: credentials.appSecret.reveal(),
      accounts,
    }))
    for (const [at, app] of simulator.apps.entries()) apps.set(names[at] ?? '', app)
    const client = new pg.Pool({ connectionString: postgres.url })
    await migratePostgresSink({ client })
    await client.end()
    await readJetStream(await connect({ port: nats.port }))
    void readRedis(redis.url, streamName(addressOf('redis')))
    void readRedis(redis.url, streamName(addressOf('bare')))
    return {
      eventsUrl: simulator.eventsUrl,
      ours: given.filter((_, at) => at % 2 === 0),
      bare: given.filter((_, at) => at % 2 === 1),
      natsPort: nats.port,
      postgresUrl: postgres.url,
      redisUrl: redis.url,
    }
  },
  /** Measures the percentiles of a round in milliseconds. A batch is sent when the readers have the one before it. */
  async measure(options: WriterOptions, rounds: number, events: number) {
    await readPostgres(options.postgresUrl, 'brokerwire_events', streamName(addressOf('postgres')))
    await readPostgres(options.postgresUrl, 'bare', 'bare')
    await waitUntil(() => [...apps.values()].every((app) => app.subscriptions().length > 0))
    const p99: Record<string, number[]> = {}
    const p50 = await interleave(Object.fromEntries(apps), rounds, async (app, name) => {
      latencies = []
      for (let count = 0; count < events; count += TOGETHER) {
        for (let n = 0; n < TOGETHER; n += 1) {
          const atMs = performance.now()
          sent.set(app.emitOrder({ accountId: app.accounts[0] }).requestId, atMs)
        }
        await waitUntil(() => sent.size === 0)
      }
      p99[name] = [...(p99[name] ?? []), percentile(latencies, 99)]
      return percentile(latencies, 50)
    })
    // The first round is the warm-up.
    for (const name of Object.keys(p99)) p99[name]?.shift()
    return { p50, p99 }
  },
}
export type LatencyCommands = typeof commands
serveCalls(commands)
