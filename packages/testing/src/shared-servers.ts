/** The servers that keep what machines share, each with the package that brings it: what runs on one of them runs on all. */
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
