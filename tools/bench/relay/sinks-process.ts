/**
 * Measures the relay's sinks for Redis and Postgres, and the bare clients, on servers that it starts. The bare client
 * writes the same batches: one transaction for the messages that wait while the transaction before it runs.
 */
import { type EventSink, streamName } from '@brokerwire/relay'
import { createPostgresSink, migratePostgresSink } from '@brokerwire/relay/postgres'
import { createRedisSink } from '@brokerwire/relay/redis'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import pg from 'pg'
import { interleave } from '../benchmark.ts'
import { barePostgres, bareRedis, connectRedis, type Write } from './bare-writers.ts'
import { addressOf, BATCH, entriesFor } from './entries.ts'

/** Messages of one transaction, as many as the sinks store in one. */
const TRANSACTION = 1000

const slices = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

const bySink =
  (sink: EventSink): Write =>
  async (entries) => {
    await Promise.all(slices(entries, BATCH).map((batch) => sink.publish(batch)))
  }

const byTransaction =
  (store: Write): Write =>
  async (entries) => {
    for (const batch of slices(entries, TRANSACTION)) await store(batch)
  }

async function createPostgresWriters() {
  const server = await startPostgres()
  const client = new pg.Pool({ connectionString: server.url })
  await migratePostgresSink({ client })
  const sink = createPostgresSink({ client, address: addressOf('ours') })
  await sink.tail({ maxEntries: 0 })
  const bare = await barePostgres(client, false)
  const close = async (): Promise<void> => {
    await sink.close()
    await client.end()
    await server.close()
  }
  return { writers: { 'postgres, ours': bySink(sink), 'postgres, bare': byTransaction(bare) }, close }
}

async function createRedisWriters() {
  const server = await startRedis()
  const client = await connectRedis(server.url)
  const sink = createRedisSink({ client, address: addressOf('ours') })
  await sink.tail({ maxEntries: 0 })
  const bare = bareRedis(client, streamName(addressOf('bare')))
  const close = async (): Promise<void> => {
    await sink.close()
    client.destroy()
    await server.close()
  }
  return { writers: { 'redis, ours': bySink(sink), 'redis, bare': byTransaction(bare) }, close }
}

const commands = {
  /** Measures the microseconds per message. */
  async measure(rounds: number, messages: number) {
    const servers = await Promise.all([createPostgresWriters(), createRedisWriters()])
    const writers: Record<string, Write> = Object.assign({}, ...servers.map(({ writers }) => writers))
    const address = addressOf('ours')
    const stored = await interleave(writers, rounds, async (write) => {
      const entries = entriesFor(address, messages)
      const start = performance.now()
      await write(entries)
      return ((performance.now() - start) / messages) * 1000
    })
    for (const server of servers) await server.close()
    return stored
  },
}
export type SinkCommands = typeof commands
serveCalls(commands)
