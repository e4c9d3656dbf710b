/**
 * Measures `compareAndSet` of each store that several machines can share, and the same statement of the bare
 * client. Calls run one after the other, on a server that this program starts.
 */
import type { Store } from '@brokerwire/core'
import { createNatsStore } from '@brokerwire/stores/nats'
import { createPostgresStore, migratePostgres } from '@brokerwire/stores/postgres'
import { createRedisStore } from '@brokerwire/stores/redis'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { startNats } from '@brokerwire/testing/nats'
import { startPostgres } from '@brokerwire/testing/postgres'
import { startRedis } from '@brokerwire/testing/redis'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { createStatements } from '../../../packages/stores/src/postgres/statements.ts'
import { COMPARE_AND_SET } from '../../../packages/stores/src/redis/scripts.ts'
import { measureRounds } from '../rounds.ts'

const ROUND_MS = 40
/** A string that is as long as the record of a token. */
const TEXT = 'x'.repeat(600)
const FIRST = `${TEXT}0`

type Write = (before: string, next: string) => Promise<boolean>

/**
 * Creates a function that replaces one value by the next. Its calls run one after the other. A call fails if
 * its value was not written.
 */
function inSequence(write: Write): () => Promise<void> {
  let count = 0
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(async () => {
      const before = `${TEXT}${count}`
      count += 1
      if (!(await write(before, `${TEXT}${count}`))) throw new Error('it did not write')
    })
    return last
  }
}

async function compare(rounds: number, store: Store, bare: Write): Promise<Record<string, number[]>> {
  for (const key of ['store', 'bare']) await store.compareAndSet(key, undefined, FIRST)
  const write: Write = (before, next) => store.compareAndSet('store', before, next)
  return measureRounds({ store: inSequence(write), bare: inSequence(bare) }, rounds, ROUND_MS)
}

async function redis(rounds: number) {
  // The server does not wait for the disk, because that time would hide the cost of the store.
  const server = await startRedis({ args: ['--appendfsync', 'everysec'] })
  const client = createClient({ url: server.url })
  await client.connect()
  const store = createRedisStore({ client })
  let calls = 0
  const result = await compare(rounds, store, async (before, next) => {
    calls += 1
    const options = {
      keys: ['brokerwire:value:bare'],
      arguments: ['00000000000040008000000000000000', String(calls), '1', before, '1', next],
    }
    return (await client.evalSha(COMPARE_AND_SET.sha, options)) === 1
  })
  client.destroy()
  await server.close()
  return result
}

async function postgres(rounds: number) {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  pool.on('error', () => {})
  await migratePostgres({ client: pool })
  const store = createPostgresStore({ client: pool })
  const { replace } = createStatements('brokerwire_store')
  const result = await compare(
    rounds,
    store,
    async (before, next) => (await pool.query(replace, ['value:bare', before, next])).rows.length === 1,
  )
  await pool.end()
  await server.close()
  return result
}

async function nats(rounds: number) {
  const server = await startNats()
  const connection = await connect({ port: server.port })
  const bucket = await new Kvm(connection).create('brokerwire')
  const store = createNatsStore({ bucket, connection })
  const result = await compare(rounds, store, async (before, next) => {
    const entry = await bucket.get('value.bare')
    if (entry === null || entry.string() !== before) return false
    await bucket.update('value.bare', next, entry.revision)
    return true
  })
  await connection.close()
  await server.close()
  return result
}

const commands = { redis, postgres, nats }
export type StoreCommands = typeof commands
serveCalls(commands)
