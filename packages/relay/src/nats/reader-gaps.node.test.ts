/** The notices of a reader about messages that its stream no longer has, on a real server. */
import type { ChildServer } from '@brokerwire/testing/child-server'
import { needs } from '@brokerwire/testing/installed'
import { startNats } from '@brokerwire/testing/nats'
import { type JetStreamClient, jetstream, jetstreamManager, type StreamConfig } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SinkEntry } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry, tradeEntry } from '../test/entries.ts'
import type { RelayItem } from '../wire/items.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { type ConsumeRelayOptions, consumeRelay } from './consume.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

const { skip, note } = needs('nats-server')

let server: ChildServer
let connection: NatsConnection
beforeAll(async () => {
  if (skip) return
  server = await startNats()
  connection = await connect({ port: server.port })
}, 60_000)
afterAll(async () => {
  await connection?.close()
  await server?.close()
})

let count = 0
/** Creates a stream for one test: the sequence of an entry is its number if all entries are published in order. */
async function setUp() {
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
const idOf = (item: Item): string => {
  if (item.type === 'event') return item.service === 'module' ? item.id : item.requestId
  return item.kind === 'gap' && 'certain' in item
    ? `${item.cause} ${item.fromSeq ?? '-'}..${item.toSeq ?? '-'}${item.certain ? '' : '?'}`
    : item.kind
}
async function take(stream: AsyncIterableIterator<Item>, wanted: number): Promise<Item[]> {
  const items: Item[] = []
  while (items.length < wanted) {
    const { done, value } = await stream.next()
    if (done === true) throw new Error('the stream ended')
    if (value.type === 'event' && stream.return !== undefined) value.ack()
    items.push(value)
  }
  return items
}
const takeIds = async (stream: AsyncIterableIterator<Item>, wanted: number) =>
  (await take(stream, wanted)).map(idOf)
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `e-${from + at}`)

describe.skipIf(skip)(`a reader that was away${note}`, { timeout: 60_000 }, () => {
  test('reports the messages that were removed while it was away for longer than the retention', async () => {
    const { publish, keep, consume } = await setUp()
    await publish(entries(1, 10))
    const first = consume()
    expect(await takeIds(first, 5)).toEqual(ids(1, 5))
    await first.return()
    await publish(entries(11, 30))
    await keep(8)
    const [gap, ...events] = await take(consume(), 9)
    // The fifth one was not handled.
    expect(gap && idOf(gap)).toBe('retention 5..22')
    const service = Date.parse('2026-01-01T00:00:00.123Z')
    const host = 1_767_225_600_000
    expect(gap).toMatchObject({ fromMs: service, toMs: service, hostFromMs: host + 4, hostToMs: host + 23 })
    expect(structuredClone(gap)).toEqual(gap)
    expect(events.map(idOf)).toEqual(ids(23, 30))
  })

  test('reports messages that became too old', async () => {
    const { publish, update, consume, manager, name } = await setUp()
    await publish(entries(1, 10))
    const first = consume()
    await takeIds(first, 10)
    await first.return()
    await publish(entries(11, 12))
    await update({ max_age: 1e9, duplicate_window: 1e9 })
    await expect
      .poll(async () => (await manager.streams.info(name)).state.messages, { timeout: 30_000 })
      .toBe(0)
    await update({ max_age: 0 })
    await publish(entries(13, 14))
    expect(await takeIds(consume(), 3)).toEqual(['retention 10..12', ...ids(13, 14)])
  })

  test('reports messages after a crash that were delivered, not handled and removed', async () => {
    const { publish, keep, consume } = await setUp()
    await publish(entries(1, 30))
    const own = await connect({ port: server.port })
    const first = consume({ js: jetstream(own) })
    expect(await takeIds(first, 5)).toEqual(ids(1, 5))
    await own.close()
    await publish(entries(31, 40))
    await keep(10)
    // All of the first thirty had been delivered.
    expect(await takeIds(consume(), 2)).toEqual(['retention 1..30?', 'e-31'])
  })

  test('repeats a gap notice that was not handled', async () => {
    const { publish, keep, consume } = await setUp()
    await publish(entries(1, 10))
    await (async () => {
      for await (const _ of consume()) break
    })()
    await keep(4)
    const second = consume()
    expect(await takeIds(second, 1)).toEqual(['retention 1..6'])
    await second.return()
    const third = consume()
    expect(await takeIds(third, 2)).toEqual(['retention 1..6', 'e-7'])
    await third.return()
    expect(await takeIds(consume(), 4)).toEqual(ids(7, 10))
  })

  test('reports messages of a purged stream, although the ack floor of the server moves', async () => {
    const { publish, manager, name, consume } = await setUp()
    await publish(entries(1, 10))
    const first = consume()
    await takeIds(first, 6)
    await first.return()
    await manager.streams.purge(name)
    await publish(entries(11, 12))
    expect(await takeIds(consume(), 3)).toEqual(['retention 6..10', ...ids(11, 12)])
  })

  test('reports removed messages as uncertain with a filter', async () => {
    const { publish, keep, consume } = await setUp()
    const filter = { subscription: 'module' } as const
    await publish([entry(1), tradeEntry(2), entry(3), tradeEntry(4)])
    const first = consume({ filter })
    expect(await takeIds(first, 2)).toEqual(['e-1', 'e-3'])
    await first.return()
    await publish([tradeEntry(5), entry(6), tradeEntry(7), entry(8)])
    await keep(2)
    const second = consume({ filter })
    const [gap, event] = await take(second, 2)
    expect(gap && idOf(gap)).toBe('retention 2..6?')
    expect(gap).toMatchObject({ hostFromMs: 1_767_225_600_001, hostToMs: 1_767_225_600_008 })
    expect(event && idOf(event)).toBe('e-8')
  })

  test('reports a stream that was restored from a backup, if the reader has handled later sequences', async () => {
    const { publish, consume, consumers, name } = await setUp()
    await publish(entries(1, 10))
    const first = consume()
    await takeIds(first, 10)
    await first.return()
    const { ack_floor } = await consumers.info(name, 'reader')
    expect(ack_floor.stream_seq).toBe(9)
    const restored = withStreamInfo(jetstream(connection), { last_seq: 5 })
    // The minute that a leader is given passes at once.
    const setTimer = (run: () => void) => {
      const timer = setTimeout(run, 0)
      return () => clearTimeout(timer)
    }
    const again = consume({ js: restored, clock: { now: Date.now, setTimer } })
    expect(await takeIds(again, 3)).toEqual(['stream-truncated -..-?', ...ids(6, 7)])
  })
})

/** A client whose streams have other states. */
function withStreamInfo(js: JetStreamClient, change: object) {
  const { consumers } = js
  return {
    consumers,
    async jetstreamManager(check?: boolean) {
      const manager = await js.jetstreamManager(check)
      const info: typeof manager.streams.info = async (...args) => {
        const whole = await manager.streams.info(...args)
        return { ...whole, state: { ...whole.state, ...change } }
      }
      const getMessage = manager.streams.getMessage.bind(manager.streams)
      const streams = { info, getMessage }
      return { consumers: manager.consumers, streams } as unknown as typeof manager
    },
  }
}

describe.skipIf(skip)(`a reader that runs${note}`, { timeout: 60_000 }, () => {
  test.each([
    ['without a filter', {}, 'retention 4..5'],
    ['with a filter', { filter: { subscription: 'module' } }, 'retention 4..5?'],
    ['with a shared consumer', { ack: 'manual' }, 'retention 4..5'],
  ] as const)('reports a message that was deleted in the middle, in order, %s', async (_, options, gap) => {
    const { publish, manager, name, consume } = await setUp()
    await publish(entries(1, 8))
    for (const sequence of [4, 5]) await manager.streams.deleteMessage(name, sequence)
    expect(await takeIds(consume(options), 7)).toEqual([...ids(1, 3), gap, ...ids(6, 8)])
  })

  test.each([
    ['without a filter', {}],
    ['with a filter', { filter: { subscription: 'module' } }],
    ['with a shared consumer', { ack: 'manual' }],
  ] as const)(
    'yields or reports each message if it is slower than a short retention, %s',
    async (_, options) => {
      const { publish, keep, consume } = await setUp()
      await publish(entries(1, 40))
      await keep(40)
      const stream = consume({ ...options, buffer: { maxItems: 4 } })
      const missing = new Set<number>()
      const seen: number[] = []
      for (let published = 40; seen.at(-1) !== 400; ) {
        const [item] = await take(stream, 1)
        if (item?.type === 'event') seen.push(Number(idOf(item).slice(2)))
        else if (item !== undefined && 'certain' in item)
          for (let at = item.fromSeq ?? 0; at <= (item.toSeq ?? 0); at += 1) missing.add(at)
        if (published === 400) continue
        await publish(entries(published + 1, published + 10))
        published += 10
      }
      expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other))
      expect(missing.size).toBeGreaterThan(50)
      const all = new Set([...seen, ...missing])
      expect(Array.from({ length: 400 }, (_one, at) => at + 1).filter((at) => !all.has(at))).toEqual([])
      // Without a filter it is exact.
      if (!('filter' in options)) expect(seen.filter((at) => missing.has(at))).toEqual([])
    },
  )

  test.each(['auto', 'manual'] as const)(
    'continues with a gap if the stream is created again, with ack %s',
    async (ack) => {
      const { publish, recreate, consume, consumers, name } = await setUp()
      await publish(entries(1, 3))
      const stream = consume({ ack })
      expect(await takeIds(stream, 3)).toEqual(ids(1, 3))
      await recreate()
      await publish(entries(11, 13))
      const items = await take(stream, 4)
      expect(items.map(idOf)).toEqual(['stream-truncated -..-?', ...ids(11, 13)])
      expect(items[0]).toMatchObject({ hostFromMs: 1_767_225_600_003 })
      await stream.return()
      if (ack === 'manual') return
      const { config } = await consumers.info(name, 'reader')
      expect(config.description).toContain('"sequence":2')
      expect(await takeIds(consume({ ack }), 1)).toEqual(['e-13'])
    },
  )
})

describe.skipIf(skip)(`a reader without a gap${note}`, { timeout: 60_000 }, () => {
  test.each(['auto', 'manual'] as const)(
    'reports nothing before the first message of a new reader with ack %s',
    async (ack) => {
      const { publish, keep, consume } = await setUp()
      await publish(entries(1, 10))
      await keep(5)
      expect(await takeIds(consume({ ack }), 5)).toEqual(ids(6, 10))
    },
  )

  test("reports nothing before the first message with deliver 'new', also after it was opened again", async () => {
    const { publish, consume, consumers, name } = await setUp()
    await publish(entries(1, 10))
    const first = consume({ deliver: 'new' })
    const next = first.next()
    await expect.poll(() => consumers.info(name, 'reader').catch(() => undefined)).toBeDefined()
    await publish(entries(11, 12))
    const { value } = await next
    expect(value && idOf(value)).toBe('e-11')
    await first.return()
    expect(await takeIds(consume({ deliver: 'new' }), 2)).toEqual(ids(11, 12))
  })

  test.each(['return', 'close'] as const)(
    'reports nothing if all messages were handled and then removed, and it ended by %s()',
    async (how) => {
      const { publish, manager, name, consume, consumers } = await setUp()
      await publish(entries(1, 600))
      const own = await connect({ port: server.port })
      onTestFinished(() => own.close())
      const first = consume({ js: jetstream(own) })
      expect(await takeIds(first, 600)).toEqual(ids(1, 600))
      // The last one is handled.
      void first.next().catch(() => {})
      await expect.poll(async () => (await consumers.info(name, 'reader')).ack_floor.stream_seq).toBe(600)
      if (how === 'return') await first.return()
      else await own.close()
      await manager.streams.update(name, { max_msgs: 1 })
      await publish(entries(601, 602))
      await expect.poll(async () => (await manager.streams.info(name)).state.messages).toBe(1)
      const [gap, event] = await takeIds(consume(), 2)
      // A reader that was killed may have held the last 512 messages.
      expect(gap).toBe(how === 'return' ? 'retention 601..601' : 'retention 89..601')
      expect(event).toBe('e-602')
    },
  )

  test('reports nothing with a filter while messages of other subscriptions are removed', async () => {
    const { publish, keep, consume, consumers, name } = await setUp()
    await publish([entry(1)])
    await keep(1)
    // The server moves the last delivered sequence of a waiting consumer at its heartbeats, each half of this.
    const stream = consume({ filter: { subscription: 'module' }, stallTimeoutMs: 1000 })
    expect(await takeIds(stream, 1)).toEqual(['e-1'])
    const next = takeIds(stream, 1)
    for (let at = 0; at < 50; at += 10)
      await publish(Array.from({ length: 10 }, (_, one) => tradeEntry(2 + at + one)))
    await expect.poll(async () => (await consumers.info(name, 'reader')).delivered.stream_seq).toBe(51)
    await publish([entry(52)])
    expect(await next).toEqual(['e-52'])
  })

  test('reports nothing with a filter after an idle reader was closed', async () => {
    const { publish, keep, consume, consumers, name } = await setUp()
    await publish([entry(1)])
    await keep(1)
    const filter = { subscription: 'module' } as const
    const first = consume({ filter, stallTimeoutMs: 1000 })
    expect(await takeIds(first, 1)).toEqual(['e-1'])
    const end = first.next()
    await publish(Array.from({ length: 20 }, (_, at) => tradeEntry(2 + at)))
    await expect.poll(async () => (await consumers.info(name, 'reader')).delivered.stream_seq).toBe(21)
    await first.return()
    await end
    await publish([entry(22)])
    expect(await takeIds(consume({ filter }), 1)).toEqual(['e-22'])
  })

  test('reports nothing when the consumer is created again and messages are redelivered', async () => {
    const { publish, consume, consumers, name } = await setUp()
    await publish(entries(1, 5))
    const stream = consume()
    expect(await takeIds(stream, 5)).toEqual(ids(1, 5))
    await consumers.delete(name, 'reader')
    await publish(entries(6, 8))
    expect(await takeIds(stream, 3)).toEqual(ids(6, 8))
  })

  test('reports nothing for accounts that are not selected, and acknowledges their messages', async () => {
    const { publish, keep, consume, consumers, name } = await setUp()
    await publish(entries(1, 10))
    const stream = consume({ filter: { accounts: ['OTHER'] } })
    const end = stream.next()
    await expect.poll(async () => (await consumers.info(name, 'reader')).ack_floor.stream_seq).toBe(10)
    await stream.return()
    await end
    await keep(1)
    await publish([{ ...entry(11), subject: entry(11).subject.replace('ACC1', 'OTHER') }])
    expect(await takeIds(consume({ filter: { accounts: ['OTHER'] } }), 1)).toEqual(['e-11'])
  })
})
