/**
 * A primary of Redis and its replica, which fail over. A failed primary has acknowledged messages that the
 * replica does not have, because its replication was paused before. Clients follow through a proxy, as with
 * the address of a managed service.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startRedis } from '@brokerwire/testing/redis'
import { startTcpProxy } from '@brokerwire/testing/tcp-proxy'
import { createClient } from 'redis'
import { recovered } from '../wait.ts'
import { connectRedis, readRedisStream } from './redis-servers.ts'
import { connectSinks, type SinkPlace } from './sink-place.ts'
import { lastEventOf, type StreamServers } from './stream-servers.ts'

/** The time for which the primary acknowledges messages that its replica does not get. */
const LAG_MS = 300

export async function startRedisFailoverServers(): Promise<StreamServers> {
  const servers = [await startRedis(), await startRedis()] as const
  let [primary, replica] = servers
  const front = await startTcpProxy(primary.port)
  const replication = await startTcpProxy(primary.port)
  /** Sends a command over a new connection, because a restarted server has another state. */
  const command = (server: typeof primary, ...args: string[]): Promise<string> =>
    recovered(`${args[0]} of Redis`, async () => {
      const client = createClient({ url: server.url, socket: { reconnectStrategy: false } })
      client.on('error', () => {})
      try {
        await client.connect()
        return String(await client.sendCommand(args))
      } finally {
        client.destroy()
      }
    })
  const replicate = async (): Promise<void> => {
    await command(replica, 'REPLICAOF', '127.0.0.1', String(replication.port))
    await recovered('replication', async () => (await isReplicated()) || undefined)
  }
  const isReplicated = async (): Promise<boolean> =>
    /master_link_status:up/.test(await command(replica, 'INFO', 'replication'))
  await replicate()

  const client = await connectRedis(`redis://127.0.0.1:${front.port}`)
  const place = ([port = front.port]: readonly number[]): SinkPlace => ({ kind: 'redis', port })
  const sinks = await connectSinks(place([]))
  return {
    nodes: [
      {
        port: front.port,
        async kill() {
          replication.mode = 'hold'
          await sleep(LAG_MS)
          await primary.kill()
        },
        async restart() {
          replication.cut()
          ;[primary, replica] = [replica, primary]
          await command(primary, 'REPLICAOF', 'NO', 'ONE')
          for (const proxy of [front, replication]) {
            proxy.target = primary.port
            proxy.cut()
          }
          replication.mode = 'open'
          await replica.restart()
          await replicate()
        },
      },
    ],
    losesAcknowledged: true,
    place,
    sinks,
    leaderOf: async () => 0,
    isReplicated,
    lastEvent: (address, subscription) => lastEventOf(sinks, address, subscription),
    read: (stream) => readRedisStream(client, stream),
    async close() {
      await sinks.close()
      client.destroy()
      await front.close()
      await replication.close()
      for (const server of servers) await server.close()
    },
  }
}
