/** Readers of missing streams, of streams with invalid messages, and with wrong options. */
import { jetstream } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SinkEntry } from '../sink/event-sink.ts'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import { connection, nextApp, note, setUp, skip, useServer } from '../test/relay-readers.ts'
import type { RelayItem } from '../wire/items.ts'
import { subjectRoot } from '../wire/subjects.ts'
import { consumeRelay } from './consume.ts'
import { createJetStreamSink } from './jetstream-sink.ts'

useServer()

describe.skipIf(skip)(`a reader${note}`, { timeout: 60_000 }, () => {
  test('rejects a durable name with other settings, with the command to delete it', async () => {
    const { consume } = await setUp()
    await consume({ filter: { subscription: 'trade' } }).next()
    await expect(consume({ filter: { subscription: 'module' } }).next()).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'filter_subject', command: expect.stringContaining('nats consumer rm') },
    })
  })

  test('ends with a coded error for a missing stream, another schema and a foreign message, and loses nothing', async () => {
    const { address, consume } = await setUp()
    await expect(consume({ address: { ...address, app: 'none' } }).next()).rejects.toMatchObject({
      code: 'RELAY_SINK_MISCONFIGURED',
      details: { setting: 'stream', command: 'brokerwire relay --config FILE --create-stream' },
    })
    const publish = async (header: Record<string, string>): Promise<void> => {
      const sent = headers()
      for (const [name, value] of Object.entries(header)) sent.set(name, value)
      await connection.request(`${subjectRoot(address)}.module.event._.X`, 'x', {
        headers: sent,
        timeout: 5000,
      })
    }
    await publish({ ...entry(1).headers, 'Brokerwire-Schema': '3' })
    const filter = { subscription: 'module' } as const
    const first = consume({ filter })
    expect([(await first.next()).value?.kind, (await first.next()).value?.kind].sort()).toEqual([
      'gap',
      'subscribed',
    ])
    const failure = { code: 'RELAY_SCHEMA_UNSUPPORTED', details: { received: 3 } }
    await expect(first.next()).rejects.toMatchObject(failure)
    expect(await first.next()).toEqual({ done: true, value: undefined })
    await connection.flush()
    await expect(consume({ filter }).next()).rejects.toMatchObject(failure)
  })

  test.each(['auto', 'manual'] as const)(
    'yields the batch before an invalid message with ack %s',
    async (ack) => {
      const address = { ...ADDRESS, app: nextApp('unreadable') }
      const sink = createJetStreamSink({ connection, address, createStream: {} })
      onTestFinished(() => sink.close())
      await sink.tail({ maxEntries: 0 })
      const stored = entries(1, 4).map((one) => ({
        ...one,
        subject: one.subject.replace(subjectRoot(ADDRESS), subjectRoot(address)),
      }))
      const unread = stored.pop() as SinkEntry
      await sink.publish([...stored, { ...unread, headers: { ...unread.headers, 'Brokerwire-Schema': '3' } }])
      const batches = () =>
        consumeRelay({ js: jetstream(connection), address, durableName: 'reader', ack }).batches()
      const first = batches()
      const found: RelayItem<unknown>[] = []
      const failure = await (async () => {
        for (;;) {
          const { value } = await first.next()
          found.push(...(value ?? []))
          value?.ack()
        }
      })().catch((error: unknown) => error)
      expect(found).toHaveLength(stored.length)
      expect(failure).toMatchObject({ code: 'RELAY_SCHEMA_UNSUPPORTED' })
      expect(await first.next()).toEqual({ done: true, value: undefined })
      if (ack === 'auto')
        await expect(batches().next()).rejects.toMatchObject({ code: 'RELAY_SCHEMA_UNSUPPORTED' })
    },
  )
})

const js = { jetstreamManager() {} }
const valid = { js, address: ADDRESS, durableName: 'a' }
test.each([
  { options: {}, option: 'js' },
  { options: { js }, option: 'address' },
  { options: { ...valid, address: {} }, option: 'address.prefix' },
  { options: { ...valid, address: { ...ADDRESS, app: '*.>' } }, option: 'address.app' },
  { options: { ...valid, durableName: 'a.b' }, option: 'durableName' },
  { options: { ...valid, filter: { subscriptions: 1 } }, option: 'filter.subscriptions' },
  { options: { ...valid, ack: 'none' }, option: 'ack' },
])('the error of a wrong option names $option', ({ options, option }) => {
  expect(() => consumeRelay(options as never)).toThrow(
    expect.objectContaining({ code: 'RELAY_OPTION_INVALID', details: expect.objectContaining({ option }) }),
  )
})
