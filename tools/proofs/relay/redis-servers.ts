/** One Redis server, which syncs its append-only file at each write. */
import { startRedis } from '@brokerwire/testing/redis'
import { createClient } from 'redis'
import { recovered } from '../wait.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'
import { lastEventOf, type StreamServers } from './stream-servers.ts'
import type { StoredMessage } from './verify.ts'

type RedisClient = ReturnType<typeof createClient>

/** Connects, and reconnects without a limit. */
export async function connectRedis(url: string): Promise<RedisClient> {
  const client: RedisClient = createClient({ url, socket: { reconnectStrategy: 50 } })
  client.on('error', () => {})
  return client.connect()
}

export const readRedisStream = (client: RedisClient, stream: string): Promise<readonly StoredMessage[]> =>
  recovered(`the messages of ${stream}`, async () => {
    const found = await client.xRange(stream, '-', '+')
    return (found ?? []).map(({ id, message }) => ({
      sequence: Number.parseInt(id, 10),
      storedAtMs: Number(message.at),
      headers: JSON.parse(message.headers ?? '{}') as Record<string, string>,
      body: message.body ?? '',
    }))
  })

export async function startRedisServers(): Promise<StreamServers> {
  const server = await startRedis()
  const client = await connectRedis(server.url)
  const place = (ports: readonly number[]): SinkPlace => ({ kind: 'redis', port: ports[0] ?? server.port })
  const sinks = await connectSinks(place([server.port]))
  return {
    nodes: [server],
    place,
    sinks,
    leaderOf: async () => 0,
    isReplicated: async () => (await client.ping()) === 'PONG',
    lastEvent: (address, subscription) => lastEventOf(sinks, address, subscription),
    read: (stream) => readRedisStream(client, stream),
    async close() {
      await sinks.close()
      client.destroy()
      await server.close()
    },
  }
}
