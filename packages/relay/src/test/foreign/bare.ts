// A consumer of a relay's stream without the toolkit: only the client of nats.js.
import { AckPolicy, jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'

export interface Setup {
  readonly url: string
  readonly stream: string
  readonly subject: string
  readonly durable: string
  readonly count: number
}

export interface Message {
  readonly subject: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export async function readBare({ url, stream, subject, durable, count }: Setup): Promise<Message[]> {
  const connection = await connect({ servers: url })
  const js = jetstream(connection)
  const manager = await js.jetstreamManager()
  await manager.consumers.add(stream, {
    durable_name: durable,
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
  })
  const consumer = await js.consumers.get(stream, durable)
  const messages: Message[] = []
  for await (const message of await consumer.consume()) {
    const names = message.headers?.keys() ?? []
    messages.push({
      subject: message.subject,
      headers: Object.fromEntries(names.map((name) => [name, message.headers?.get(name) ?? ''])),
      body: message.string(),
    })
    message.ack()
    if (messages.length === count) break
  }
  // Waits for everything in flight, including acknowledgements.
  await connection.drain()
  return messages
}
