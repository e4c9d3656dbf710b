/** The entry point `@brokerwire/relay/nats`: sinks and readers for streams of NATS JetStream. */

export type { SinkState } from '../sink/event-sink.ts'
export type { NatsConnectionLike } from './api/jetstream-api.ts'
export type { StreamLimits } from './api/stream-limits.ts'
export { type ConsumeRelayOptions, consumeRelay } from './consume.ts'
export type { JetStreamClientLike } from './consumer/durable-consumer.ts'
export { createJetStreamSink } from './jetstream-sink.ts'
export type { JetStreamSinkOptions } from './jetstream-sink-options.ts'
