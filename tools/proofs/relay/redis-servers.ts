/** One Redis server, which syncs its append-only file at each write. */
import { startRedis } from '@brokerwire/testing/redis'
import { createClient } from 'redis'
import { recovered } from '../wait.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'
import type { StreamServers } from './stream-servers.ts'

export async function startRedisServers(): Promise<StreamServers> {
  const server = await startRedis()
  const client = createClient({ url: server.url, socket: { reconnectStrategy: 50 } })
  client.on('error', () => {})
  await client.connect()
  const place = (ports: readonly number[]): SinkPlace => ({ kind: 'redis', port: ports[0] ?? server.port })
  const sinks = await connectSinks(place([server.port]))
  return {
    nodes: [server],
    place,
    sinks,
    leaderOf: async () => 0,
    isReplicated: async () => (await client.ping()) === 'PONG',
    read: (stream) =>
      recovered(`the messages of ${stream}`, async () => {
        const found = await client.xRange(stream, '-', '+')
        return (found ?? []).map(({ id, message }) => ({
          sequence: Number.parseInt(id, 10),
          storedAtMs: Number(message.at),
          headers: JSON.parse(message.headers ?? '{}') as Record<string, string>,
          body: message.body ?? '',
        }))
      }),
    async close() {
      await sinks.close()
      client.destroy()
      await server.close()
    },
  }
}
