/** Readers that have received all their messages, although the stream has removed some, on a real server. */
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { entries, entry, tradeEntry } from '../test/entries.ts'
import { idOf, ids, note, server, setUp, skip, takeIds, useServer } from '../test/gap-readers.ts'

useServer()

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
