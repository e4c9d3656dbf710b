/** The sink of JetStream on a real NATS server. */
import { startTcpProxy } from '@brokerwire/simulator'
import { REAL_SERVERS } from '@brokerwire/testing/installed'
import { createInbox, headers } from '@nats-io/nats-core'
import { describe, expect, test } from 'vitest'
import { contractSuite } from '../test/contract-suite.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import {
  ALL,
  apiOf,
  open as connect,
  connection,
  drop,
  note,
  publishingBy,
  server,
  sinkOf,
  skip,
  truncate,
  useJetStream,
} from '../test/jetstream.ts'
import { streamSubjects } from '../wire/subjects.ts'

useJetStream()

describe.skipIf(skip)(`a stream of JetStream${note}`, REAL_SERVERS, () => {
  const open = async () => ({
    openSink: () => sinkOf({ publishTimeoutMs: 200, requestTimeoutMs: 1000 }),
    truncate,
    restart: () => server.restart(),
    oversizedBytes: 1024 * 1024,
    close: () => drop(),
  })
  contractSuite({ open })

  test('stores no message of a pipeline that arrives after another writer took over, in ten rounds', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using proxy = await startTcpProxy({ target: `http://127.0.0.1:${server.port}` })
    const slow = await connect(Number(new URL(proxy.url).port))
    onTestFinished(() => slow.close())
    for (let round = 0; round < 10; round += 1) {
      const from = round * 1000
      await using earlier = sinkOf({ connection: slow })
      await using later = sinkOf()
      await earlier.tail({ maxEntries: 0 })
      await earlier.publish(entries(from + 1, from + 20))
      proxy.stall('to-server')
      const late = Promise.allSettled([
        earlier.publish(entries(from + 21, from + 200)),
        earlier.publish(entries(from + 201, from + 400)),
      ])
      const { sequence } = await later.tail({ maxEntries: 0 })
      await later.publish([{ ...entry(0), key: `holder-${round}` }])
      proxy.resume()
      for (const result of await late)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'RELAY_FENCED' } })
      await later.publish(entries(from + 501, from + 510))
      const { entries: stored } = await later.tail({ maxEntries: 500 })
      expect(keys(stored.filter((one) => one.sequence > sequence))).toEqual([
        `holder-${round}`,
        ...keys(entries(from + 501, from + 510)),
      ])
    }
  })

  test('publishes ids of event, digest and writer, and adds no other header of NATS', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    const stored = await apiOf().message({ seq: 1 })
    expect(stored?.headers['Nats-Msg-Id']).toMatch(/^APPLICATION:e-1:digest@[\w-]{12}-1$/)
    expect(Object.keys(stored?.headers ?? {}).filter((name) => name.startsWith('Nats-'))).toEqual([
      'Nats-Msg-Id',
      'Nats-Expected-Last-Sequence',
    ])
    expect(stored?.body).toBe(entry(1).body)
  })

  test('adds the attributes of CloudEvents as headers if the option is set', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf({ cloudEvents: true })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    const { headers } = (await apiOf().message({ seq: 1 })) ?? {}
    expect(headers).toMatchObject({ ...entry(1).headers, 'ce-specversion': '1.0', 'ce-id': entry(1).key })
  })

  test('has 256 messages in flight, and sends the next one after an acknowledgement', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    let sent = 0
    const counted = publishingBy((...args) => {
      sent += 1
      connection.publish(...args)
    })
    await using sink = sinkOf({ connection: counted })
    await sink.tail(ALL)
    const published = sink.publish(entries(1, 400))
    expect(sent).toBe(256)
    expect(await published).toEqual({ sequence: 400 })
    expect(sent).toBe(400)
  })

  test('resolves each call with the sequence of its own last message after one acknowledgement for both', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => drop())
    let sent = 0
    const losing = publishingBy((subject, body, options) => {
      sent += 1
      connection.publish(subject, body, sent < 5 ? { ...options, reply: '' } : options)
    })
    await using sink = sinkOf({ connection: losing })
    await sink.tail(ALL)
    const calls = [entries(1, 2), [], [entry(3)], entries(4, 5), []].map((batch) => sink.publish(batch))
    expect((await Promise.all(calls)).map(({ sequence }) => sequence)).toEqual([2, 2, 3, 5, 5])
    expect(sent).toBe(5)
  })

  test('detects a message of another writer at the end', async ({ onTestFinished }) => {
    onTestFinished(() => drop())
    await using sink = sinkOf()
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    await connection.request(`${streamSubjects(ADDRESS).slice(0, -1)}by.hand`, 'x', { timeout: 5000 })
    await expect(sink.publish(entries(2, 5))).rejects.toMatchObject({
      code: 'RELAY_FENCED',
      details: { sequence: 2, relay: undefined },
    })
  })
})

describe.skipIf(skip)(`headers of the client${note}`, REAL_SERVERS, () => {
  test('contain no line end, which the client would reject', () => {
    expect(() => headers().set('a', `b\r\n${createInbox()}`)).toThrow('\\r')
  })
})
