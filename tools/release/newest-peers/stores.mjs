/** The contract of each store, over the installed clients. The ports of the servers are in the environment. */
import { createNatsStore } from '@brokerwire/stores/nats'
import { createPostgresStore, migratePostgres } from '@brokerwire/stores/postgres'
import { createRedisStore } from '@brokerwire/stores/redis'
import { storeContract } from '@brokerwire/stores/testing'
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'

const { NATS_PORT, POSTGRES_PORT, REDIS_PORT } = process.env
const redis = await createClient({ socket: { host: '127.0.0.1', port: Number(REDIS_PORT) } }).connect()
const ioredis = new Redis({ host: '127.0.0.1', port: Number(REDIS_PORT) })
const pool = new pg.Pool({ connectionString: `postgres://postgres@127.0.0.1:${POSTGRES_PORT}/postgres` })
const connection = await connect({ port: Number(NATS_PORT) })
const kvm = new Kvm(jetstream(connection))

let count = 0
/** Opens an empty store by the name of a client. */
const OPEN = {
  redis: (name) => createRedisStore({ client: redis, prefix: `${name}:` }),
  ioredis: (name) => createRedisStore({ client: ioredis, prefix: `${name}:` }),
  async pg(table) {
    await migratePostgres({ client: pool, table })
    return createPostgresStore({ client: pool, table })
  },
  nats: async (name) => createNatsStore({ bucket: await kvm.create(name), connection }),
}
for (const [client, openStore] of Object.entries(OPEN)) {
  const open = async () => {
    count += 1
    const name = `${client}_${count}`
    return { first: await openStore(name), second: await openStore(name) }
  }
  for (const { name, run } of storeContract({ open }))
    await run().catch((error) => {
      process.exitCode = 1
      console.error(`${client}: ${name}: ${error.message}`)
    })
}
await redis.close()
ioredis.disconnect()
await pool.end()
await connection.close()
