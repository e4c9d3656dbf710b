/** A reader of JetStream with the relay's own consumer. */
import { consumeRelay } from '@brokerwire/relay/nats'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { StreamAddress } from '../../../../packages/relay/src/wire/subjects.ts'
import type { Items } from '../reader-process.ts'
import type { SinkPlace } from '../sink-place.ts'

export async function readJetStream(
  { ports }: SinkPlace & { readonly kind: 'jetstream' },
  address: StreamAddress,
  durableName: string,
): Promise<Items> {
  const connection = await connect({
    servers: ports.map((port) => `127.0.0.1:${port}`),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
  })
  return consumeRelay({ js: jetstream(connection), address, durableName })
}
