/**
 * Measures the relay's sink and consumer, and the bare client, on a NATS server that it starts. The server
 * uses file storage and one replica.
 */
import { type StreamAddress, streamName } from '@brokerwire/relay'
import { consumeRelay, createJetStreamSink } from '@brokerwire/relay/nats'
import { serveCalls } from '@brokerwire/testing/child-calls'
import { startNats } from '@brokerwire/testing/nats'
import { AckPolicy, type JsMsg, jetstream } from '@nats-io/jetstream'
import { connect, createInbox, type NatsConnection } from '@nats-io/transport-node'
import { concurrently } from '../../ci/lib/concurrently.ts'
import { interleave } from '../benchmark.ts'
import { bareJetStream, headersOf, IN_FLIGHT } from './bare-writers.ts'
import { addressOf, BATCH, entriesFor } from './entries.ts'

/** Writes or reads the given number of messages. */
type Work = (messages: number) => Promise<void>

/** Creates a stream, and returns its sink. */
async function openSink(connection: NatsConnection, address: StreamAddress) {
  const sink = createJetStreamSink({ connection, address, createStream: {}, maxInFlight: IN_FLIGHT })
  await sink.tail({ maxEntries: 0 })
  return sink
}

/**
 * Writers with 256 messages in flight: the relay's sink, `js.publish`, and the bare client with one inbox for
 * all acknowledgements.
 */
async function createWriters(connection: NatsConnection): Promise<Record<'ours' | 'js' | 'inbox', Work>> {
  const [ours, bare, own] = [addressOf('ours'), addressOf('js'), addressOf('inbox')]
  const [sink, ...others] = await Promise.all([ours, bare, own].map((each) => openSink(connection, each)))
  for (const other of others) await other.close()
  const js = bareJetStream(connection)
  const waiting = new Map<string, { resolve(): void; reject(error: unknown): void }>()
  const inbox = createInbox()
  let sent = 0
  connection.subscribe(`${inbox}.*`, {
    callback: (_, message) => {
      const waiter = waiting.get(message.subject)
      waiting.delete(message.subject)
      const { error } = JSON.parse(message.string()) as { error?: unknown }
      if (error === undefined) waiter?.resolve()
      else waiter?.reject(error)
    },
  })
  return {
    async ours(count) {
      const entries = entriesFor(ours, count)
      const calls: Promise<unknown>[] = []
      for (let at = 0; at < count; at += BATCH)
        calls.push(Promise.resolve(sink?.publish(entries.slice(at, at + BATCH))))
      await Promise.all(calls)
    },
    js: (count) => js(entriesFor(bare, count)),
    inbox: (count) =>
      concurrently(entriesFor(own, count), IN_FLIGHT, (entry) => {
        sent += 1
        const reply = `${inbox}.${sent}`
        const headers = headersOf(entry)
        headers.set('Nats-Msg-Id', entry.key)
        connection.publish(entry.subject, entry.body, { headers, reply })
        return new Promise<void>((resolve, reject) => waiting.set(reply, { resolve, reject }))
      }),
  }
}

/**
 * Readers that acknowledge every message: `consumeRelay`, a loop over the bare client that reads one header
 * to distinguish events from notices, and the same loop without reading the header.
 */
async function createReaders(
  connection: NatsConnection,
  messages: number,
): Promise<Record<'ours' | 'bare' | 'bodies', Work>> {
  const address = addressOf('consumed')
  await using sink = await openSink(connection, address)
  for (let at = 0; at < messages; at += 500) await sink.publish(entriesFor(address, 500))
  const js = jetstream(connection)
  const manager = await js.jetstreamManager()
  const stream = streamName(address)
  let readers = 0
  /**
   * Creates a reader that fails if the bodies were not read, because a reader that skips them would be the
   * fastest.
   */
  const reader =
    (readAll: (durable: string, count: number) => Promise<number>): Work =>
    async (count) => {
      readers += 1
      const durable = `reader-${readers}`
      const read = await readAll(durable, count)
      if (read < count * 600) throw new Error(`read ${read} characters`)
      await manager.consumers.delete(stream, durable)
    }
  const bare = (isEvent: (message: JsMsg) => boolean): Work =>
    reader(async (durable, count) => {
      await manager.consumers.add(stream, { durable_name: durable, ack_policy: AckPolicy.All })
      const consumer = await js.consumers.get(stream, durable)
      let [left, read] = [count, 0]
      for await (const message of await consumer.consume({ max_messages: IN_FLIGHT })) {
        if (isEvent(message)) read += message.string().length
        message.ack()
        left -= 1
        if (left === 0) break
      }
      return read
    })
  return {
    ours: reader(async (durable, count) => {
      let [left, read] = [count, 0]
      for await (const item of consumeRelay({ js, address, durableName: durable })) {
        if (item.type === 'event') read += item.payload.length
        left -= 1
        if (left === 0) break
      }
      return read
    }),
    bare: bare(({ headers }) => headers?.get('Brokerwire-Type') === 'event'),
    bodies: bare(() => true),
  }
}

const commands = {
  async measure(rounds: number, messages: number) {
    const server = await startNats()
    const connection = await connect({ port: server.port })
    /** Measures the microseconds per message. */
    const time = async (work: Work): Promise<number> => {
      const start = performance.now()
      await work(messages)
      return ((performance.now() - start) / messages) * 1000
    }
    const published = await interleave(await createWriters(connection), rounds, time)
    const consumed = await interleave(await createReaders(connection, messages), rounds, time)
    await connection.close()
    await server.close()
    return { published, consumed }
  },
}
export type RelayCommands = typeof commands
serveCalls(commands)
