/** The bucket and the connection of the client fit as they are. */
import type { KV } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { createNatsStore } from './index.ts'

declare const bucket: KV
declare const connection: NatsConnection
createNatsStore({ bucket, connection })
