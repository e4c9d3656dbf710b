/** Streams of NATS JetStream: `@brokerwire/relay/nats`. */
export { type ConsumeRelayOptions, consumeRelay } from './consume.ts'
export type { JetStreamClientLike } from './consumer/durable-consumer.ts'
export type { NatsConnectionLike } from './jetstream-api.ts'
export { createJetStreamSink } from './jetstream-sink.ts'
export type { JetStreamSinkOptions, JetStreamSinkState } from './jetstream-sink-options.ts'
export type { StreamLimits } from './stream-limits.ts'
