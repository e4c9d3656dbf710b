/** A store in Redis: `@brokerwire/stores/redis`. */
export type { SharedStore, SharedStoreOptions } from '../shared/shared-store.ts'
export type { IoRedisLike, NodeRedisLike } from './client.ts'
export type { RedisWarning } from './fitness.ts'
export { createRedisStore, type RedisStoreOptions } from './redis-store.ts'
