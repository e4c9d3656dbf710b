/** Everything that stands in a stream, read with the bare client once all is quiet. */
import { DeliverPolicy, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { StoredMessage } from './judge.ts'

/** Real time: of a cluster that is whole, and a machine that is busy. */
const ANSWER_MS = 60_000

/** @param stream - Its name. */
export async function readStream(connection: NatsConnection, stream: string): Promise<StoredMessage[]> {
  const js = jetstream(connection, { timeout: ANSWER_MS })
  const { state } = await (await js.jetstreamManager()).streams.info(stream)
  if (state.messages === 0) return []
  const consumer = await js.consumers.get(stream, { deliver_policy: DeliverPolicy.All })
  const messages: StoredMessage[] = []
  for await (const message of await consumer.consume({ max_messages: 1000 })) {
    const { headers, seq } = message
    messages.push({
      sequence: seq,
      storedAtMs: Number(message.timestampNanos / 1_000_000n),
      headers: Object.fromEntries((headers?.keys() ?? []).map((name) => [name, headers?.get(name) ?? ''])),
      id: headers?.get('Nats-Msg-Id') ?? '',
      body: message.string(),
    })
    if (seq >= state.last_seq) break
  }
  return messages
}
