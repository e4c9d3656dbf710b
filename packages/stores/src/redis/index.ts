/** A store in Redis: `@brokerwire/stores/redis`. */
export type { SharedStore, SharedStoreOptions } from '../shared/shared-store.ts'
export type { IoRedisLike, NodeRedisLike } from './client.ts'
export { createRedisStore, type RedisStoreOptions } from './redis-store.ts'
export type { RedisWarning } from './server-checks.ts'
