/**
 * Readers of one stream, each message acknowledged: `consumeRelay`, and the client's own loop, which looks at one header, as
 * whoever has to tell an event from a notice does. One that takes bodies alone is measured beside them.
 */

import { streamName } from '@brokerwire/relay'
import { consumeRelay, createJetStreamSink } from '@brokerwire/relay/nats'
import { AckPolicy, type JsMsg, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Work } from './measure.ts'
import { addressOf, messagesFor } from './messages.ts'

const BATCH = 500

export async function createReaders(
  connection: NatsConnection,
  messages: number,
): Promise<Readonly<Record<'ours' | 'bare' | 'bodies', Work>>> {
  const address = addressOf('consumed')
  await using sink = createJetStreamSink({ connection, address, createStream: {} })
  await sink.tail({ maxEntries: 0 })
  for (let at = 0; at < messages; at += BATCH) await sink.publish(messagesFor(address, BATCH))
  const js = jetstream(connection)
  const manager = await js.jetstreamManager()
  const stream = streamName(address)
  let made = 0
  const nextName = (): string => {
    made += 1
    return `reader-${made}`
  }
  /** What was read is held against what there is: a reader that reads nothing would be the fastest. */
  const require = (read: number, wanted: number): void => {
    if (read < wanted * 600) throw new Error(`read ${read} characters`)
  }
  const readBare = async (count: number, isEvent: (message: JsMsg) => boolean): Promise<void> => {
    const durable = nextName()
    await manager.consumers.add(stream, { durable_name: durable, ack_policy: AckPolicy.All })
    const consumer = await js.consumers.get(stream, durable)
    let [events, read] = [0, 0]
    for await (const message of await consumer.consume({ max_messages: 256 })) {
      if (isEvent(message)) read += message.string().length
      message.ack()
      events += 1
      if (events === count) break
    }
    require(read, count)
    await manager.consumers.delete(stream, durable)
  }
  return {
    async ours(count) {
      const durable = nextName()
      let [events, read] = [0, 0]
      for await (const item of consumeRelay({ js, address, durable })) {
        if (item.type === 'event') read += item.payload.length
        events += 1
        if (events === count) break
      }
      require(read, count)
      await manager.consumers.delete(stream, durable)
    },
    bare: (count) => readBare(count, ({ headers }) => headers?.get('Brokerwire-Type') === 'event'),
    bodies: (count) => readBare(count, () => true),
  }
}
