/** Three writers with 256 messages in flight: the relay's sink, nats.js' own publish, and one inbox for all acknowledgements. */
import type { SinkEntry } from '@brokerwire/relay'
import { createJetStreamSink } from '@brokerwire/relay/nats'
import { jetstream } from '@nats-io/jetstream'
import {
  headers as createHeaders,
  createInbox,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node'
import type { Work } from './measure.ts'
import { addressOf, messagesFor } from './messages.ts'

const IN_FLIGHT = 256
/** As a relay hands them over: what arrived together. */
const BATCH = 64

function headersOf(entry: SinkEntry): MsgHdrs {
  const headers = createHeaders()
  for (const name in entry.headers) headers.set(name, entry.headers[name] as string)
  return headers
}

/** Calls `send` for each, with so many under way at once; `done` is called by whoever knows that one is. */
function windowed(
  entries: readonly SinkEntry[],
  send: (entry: SinkEntry, done: () => void, failed: (error: unknown) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let [next, left] = [0, entries.length]
    const sendNext = (): void => {
      const entry = entries[next]
      next += 1
      if (entry !== undefined) send(entry, done, reject)
    }
    const done = (): void => {
      left -= 1
      if (left === 0) resolve()
      else sendNext()
    }
    for (let n = 0; n < IN_FLIGHT; n += 1) sendNext()
  })
}

export async function createPublishers(
  connection: NatsConnection,
): Promise<{ readonly contenders: Readonly<Record<'ours' | 'js' | 'inbox', Work>>; close(): Promise<void> }> {
  const [ours, bare, own] = [addressOf('ours'), addressOf('js'), addressOf('inbox')]
  const open = async (address: typeof ours) => {
    const sink = createJetStreamSink({ connection, address, createStream: {}, maxInFlight: IN_FLIGHT })
    await sink.tail({ maxEntries: 0 })
    return sink
  }
  // The streams of all three are made alike.
  const [sink, ...others] = await Promise.all([open(ours), open(bare), open(own)])
  for (const other of others) await other.close()
  const js = jetstream(connection)

  const waiting = new Map<string, { done(): void; failed(error: unknown): void }>()
  const inbox = createInbox()
  let sent = 0
  connection.subscribe(`${inbox}.*`, {
    callback: (_, message) => {
      const token = message.subject.slice(inbox.length + 1)
      const waiter = waiting.get(token)
      waiting.delete(token)
      const { error } = JSON.parse(message.string()) as { error?: unknown }
      if (error === undefined) waiter?.done()
      else waiter?.failed(error)
    },
  })

  return {
    contenders: {
      async ours(count) {
        const entries = messagesFor(ours, count)
        const calls: Promise<unknown>[] = []
        for (let at = 0; at < count; at += BATCH) calls.push(sink.publish(entries.slice(at, at + BATCH)))
        await Promise.all(calls)
      },
      js: (count) =>
        windowed(messagesFor(bare, count), (entry, done, failed) => {
          const { subject, body, key: msgID } = entry
          js.publish(subject, body, { headers: headersOf(entry), msgID }).then(done, failed)
        }),
      inbox: (count) =>
        windowed(messagesFor(own, count), (entry, done, failed) => {
          sent += 1
          const token = String(sent)
          waiting.set(token, { done, failed })
          const headers = headersOf(entry)
          headers.set('Nats-Msg-Id', entry.key)
          connection.publish(entry.subject, entry.body, { headers, reply: `${inbox}.${token}` })
        }),
    },
    close: () => sink.close(),
  }
}
