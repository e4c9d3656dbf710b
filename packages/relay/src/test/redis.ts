/** Redis servers for the tests of a file. */
import { needs } from '@brokerwire/testing/installed'
import { type RedisServer, startRedis } from '@brokerwire/testing/redis'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'

export const { skip, note } = needs('redis-server')
export const ALL = { maxEntries: 10_000 }

/** Connects, and reconnects without a limit. */
export function connect(
  port: number,
  user: { readonly username?: string; readonly password?: string } = {},
): Redis {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    ...user,
  })
  client.on('error', () => {})
  return client
}

/** Starts a server that ends with the test. */
export async function startOther(...args: string[]): Promise<RedisServer> {
  const other = await startRedis({ args })
  onTestFinished(() => other.close())
  return other
}
