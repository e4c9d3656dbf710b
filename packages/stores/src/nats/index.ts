/** A store in NATS JetStream: `@brokerwire/stores/nats`. */
export type { SharedStore, SharedStoreOptions } from '../shared/shared-store.ts'
export type { NatsWarning } from './bucket-checks.ts'
export type { NatsBucketLike, NatsConnectionLike, NatsEntryLike } from './client.ts'
export { createNatsStore, type NatsStoreOptions } from './nats-store.ts'
