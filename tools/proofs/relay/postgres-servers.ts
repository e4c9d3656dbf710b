/** One Postgres server. */
import { migratePostgresSink } from '@brokerwire/relay/postgres'
import { startPostgres } from '@brokerwire/testing/postgres'
import pg from 'pg'
import { recovered } from '../wait.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'
import { lastEventOf, type StreamServers } from './stream-servers.ts'

export async function startPostgresServers(): Promise<StreamServers> {
  const server = await startPostgres()
  const client = new pg.Pool({ connectionString: server.url, max: 2 })
  client.on('error', () => {})
  await migratePostgresSink({ client })
  const place = (ports: readonly number[]): SinkPlace => ({ kind: 'postgres', port: ports[0] ?? server.port })
  const sinks = await connectSinks(place([server.port]))
  return {
    nodes: [server],
    place,
    sinks,
    leaderOf: async () => 0,
    isReplicated: async () => (await client.query('SELECT 1')).rows.length === 1,
    lastEvent: (address, subscription) => lastEventOf(sinks, address, subscription),
    read: (stream) =>
      recovered(`the rows of ${stream}`, async () => {
        const { rows } = await client.query(
          'SELECT position, stored_at, headers, body FROM brokerwire_events WHERE stream = $1 ORDER BY position',
          [stream],
        )
        return rows.map((row) => ({
          sequence: Number(row.position),
          storedAtMs: row.stored_at.getTime(),
          headers: row.headers,
          body: row.body ?? '',
        }))
      }),
    async close() {
      await sinks.close()
      await client.end()
      await server.close()
    },
  }
}
