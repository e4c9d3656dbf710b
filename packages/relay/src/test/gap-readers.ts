/** A NATS server, streams whose messages are removed, and readers of them, for tests. */
import { jetstream, jetstreamManager, type StreamConfig } from '@nats-io/jetstream'
import { expect, onTestFinished } from 'vitest'
import { type ConsumeRelayOptions, consumeRelay } from '../nats/consume.ts'
import { createJetStreamSink } from '../nats/jetstream-sink.ts'
import type { SinkEntry } from '../sink/event-sink.ts'
import type { RelayItem } from '../wire/items.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { ADDRESS } from './entries.ts'
import { connection } from './jetstream.ts'

export { connection, note, server, skip, useJetStream as useServer } from './jetstream.ts'

let count = 0
/** Creates a stream for one test: the sequence of an entry is its number if all entries are published in order. */
export async function setUp() {
  count += 1
  const address = { ...ADDRESS, app: `gaps-${count}` }
  const name = streamName(address)
  const manager = await jetstreamManager(connection)
  const open = async () => {
    const sink = createJetStreamSink({ connection, address, createStream: {} })
    onTestFinished(() => sink.close())
    await sink.tail({ maxEntries: 0 })
    return sink
  }
  let sink = await open()
  return {
    address,
    name,
    manager,
    consumers: manager.consumers,
    async publish(list: readonly SinkEntry[]): Promise<void> {
      const [from, to] = [subjectRoot(ADDRESS), subjectRoot(address)]
      await sink.publish(list.map((one) => ({ ...one, subject: one.subject.replace(from, to) })))
    },
    /** Keeps the newest messages only, and waits until the others are gone. */
    async keep(messages: number): Promise<void> {
      await manager.streams.update(name, { max_msgs: messages })
      await expect.poll(async () => (await manager.streams.info(name)).state.messages).toBe(messages)
    },
    async recreate(): Promise<void> {
      const { config } = await manager.streams.info(name)
      await manager.streams.delete(name)
      await manager.streams.add(config)
      await sink.close()
      sink = await open()
    },
    async update(config: Partial<StreamConfig>): Promise<void> {
      await manager.streams.update(name, config)
    },
    consume(change: Partial<ConsumeRelayOptions> = {}) {
      const stream = consumeRelay({ js: jetstream(connection), address, durableName: 'reader', ...change })
      onTestFinished(async () => {
        await stream.return()
      })
      return stream
    },
  }
}

type Item = RelayItem<unknown>
/** An event's id, the range of a gap (with `?` if it is uncertain), or the kind of another notice. */
export const idOf = (item: Item): string => {
  if (item.type === 'event') return item.service === 'module' ? item.id : item.requestId
  return item.kind === 'gap' && 'certain' in item
    ? `${item.cause} ${item.fromSeq ?? '-'}..${item.toSeq ?? '-'}${item.certain ? '' : '?'}`
    : item.kind
}
export async function take(stream: AsyncIterableIterator<Item>, wanted: number): Promise<Item[]> {
  const items: Item[] = []
  while (items.length < wanted) {
    const { done, value } = await stream.next()
    if (done === true) throw new Error('the stream ended')
    if (value.type === 'event' && stream.return !== undefined) value.ack()
    items.push(value)
  }
  return items
}
export const takeIds = async (stream: AsyncIterableIterator<Item>, wanted: number) =>
  (await take(stream, wanted)).map(idOf)
export const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `e-${from + at}`)
