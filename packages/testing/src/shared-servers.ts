/**
 * Servers for stores that several machines can share, each with its Debian package. Suites run on all of
 * them.
 */
import type { ChildServer } from './child-server.ts'
import type { ServerPackage } from './installed.ts'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'

export const SHARED_SERVERS: readonly (readonly [
  kind: 'redis' | 'postgres' | 'nats',
  needed: ServerPackage,
  start: () => Promise<ChildServer>,
])[] = [
  ['redis', 'redis-server', () => startRedis()],
  ['postgres', 'postgresql', () => startPostgres()],
  ['nats', 'nats-server', () => startNats()],
]
