/** The entry point `@brokerwire/relay/redis`: a sink for streams of Redis. */

export type { SinkState } from '../sink/event-sink.ts'
export { createRedisSink, type RedisSinkOptions } from './redis-sink.ts'
export type { RedisSinkWarning } from './server-errors.ts'
