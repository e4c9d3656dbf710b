/** The notices of a reader about messages that its stream no longer has, on a real server. */
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import { entries, entry, tradeEntry } from '../test/entries.ts'
import {
  connection,
  idOf,
  ids,
  note,
  server,
  setUp,
  skip,
  take,
  takeIds,
  useServer,
} from '../test/gap-readers.ts'

useServer()

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
    // All thirty had been delivered.
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
    // Timers fire at once: the reader waits up to a minute for a leader that is reading its log.
    const setTimer = (run: () => void) => {
      const timer = setTimeout(run, 0)
      return () => clearTimeout(timer)
    }
    const again = consume({ js: restored, clock: { now: Date.now, setTimer } })
    expect(await takeIds(again, 3)).toEqual(['stream-truncated -..-?', ...ids(6, 7)])
  })
})

/** A client that reports another state of each stream. */
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
      // Without a filter, the range is exact.
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
