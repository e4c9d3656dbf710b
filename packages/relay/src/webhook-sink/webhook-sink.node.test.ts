import { createMemoryStore } from '@brokerwire/stores'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createTailRequest } from '../app/resume-point.ts'
import type { SinkState } from '../sink/event-sink.ts'
import { keyContractSuite } from '../test/contract-suite.ts'
import { ADDRESS, entries, entry, keys } from '../test/entries.ts'
import { accept, startWebhookReceiver, WEBHOOK_SECRET } from '../test/webhook-receiver.ts'
import { setUpWebhooks } from '../test/webhook-sink.ts'
import { noticeHeaders } from '../wire/headers.ts'
import { noticeSubject, subjectRoot } from '../wire/subjects.ts'
import { webhookRecordKey } from './webhook-record.ts'
import { createWebhookSink } from './webhook-sink.ts'

const ALL = { maxEntries: 10_000 }
const STREAM = 'brokerwire_sandbox_us_team-a'

const writerNotice = (number: number) => ({
  subject: noticeSubject(subjectRoot(ADDRESS), 'relay', 'writer-changed'),
  key: `notice:relay:writer-changed:${number}`,
  headers: noticeHeaders('relay', 'writer-changed', 'main'),
  body: JSON.stringify({ type: 'notice', kind: 'writer-changed', relay: `relay-${number}` }),
})

describe('a webhook sink', () => {
  keyContractSuite(async () => {
    const receiver = await startWebhookReceiver()
    const store = createMemoryStore()
    const openSink = () =>
      createWebhookSink({
        address: ADDRESS,
        url: receiver.url,
        secrets: WEBHOOK_SECRET,
        store,
        allowPrivateAddresses: true,
      })
    return { openSink, close: () => receiver.close() }
  })

  test('sends each event as a signed CloudEvent, in order, and acknowledges it after the response', async () => {
    const { receiver, open } = await setUpWebhooks()
    const sink = open()
    expect(await sink.tail({ maxEntries: 10, lastOf: ['a.*'] })).toEqual({
      sequence: 0,
      entries: [],
      lastOf: [undefined],
      retention: {},
    })
    expect(await sink.publish([])).toEqual({ sequence: 0 })
    const calls = await Promise.all([
      sink.publish(entries(1, 3)),
      sink.publish([]),
      sink.publish([entry(4, 'FUNDING')]),
    ])
    expect(calls.map(({ sequence }) => sequence)).toEqual([3, 3, 4])
    expect(receiver.rejected).toEqual([])
    expect(receiver.received.map(({ eventIds }) => eventIds)).toEqual(
      [...entries(1, 3), entry(4, 'FUNDING')].map(({ key }) => [key]),
    )
    const [first] = receiver.received
    expect(first?.contentType).toBe('application/cloudevents+json; charset=utf-8')
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      specversion: '1.0',
      data: JSON.parse(entry(1).body),
    })
    // The payload is sent as received.
    expect(first?.body).toContain(entry(1).body)
  })

  test('returns the last messages after a restart, without bodies of events', async () => {
    const { open } = await setUpWebhooks()
    const sink = open()
    const request = createTailRequest(subjectRoot(ADDRESS), ['APPLICATION', 'FUNDING', 'JOURNAL'])
    await sink.tail(request)
    await sink.publish([writerNotice(1), entry(2, 'FUNDING'), ...entries(3, 152)])
    await sink.close()
    const next = open()
    const { sequence, entries: last, lastOf } = await next.tail(request)
    expect(sequence).toBe(152)
    expect(keys(last)).toEqual(keys(entries(53, 152)))
    expect(last.at(-1)).toEqual({ ...entry(152), body: '', sequence: 152 })
    expect(lastOf.map((found) => found?.sequence)).toEqual([
      1,
      ...Array.from({ length: 6 }, () => undefined),
      152,
      2,
      undefined,
    ])
    expect(lastOf[0]?.body).toContain('relay-1')
    expect(keys((await next.tail({ maxEntries: 2 })).entries)).toEqual(keys(entries(151, 152)))
  })

  test('records the notice of a writer without sending it', async () => {
    const { receiver, open } = await setUpWebhooks()
    const sink = open()
    await sink.tail(ALL)
    await receiver.close()
    expect(await sink.publish([writerNotice(1)])).toEqual({ sequence: 1 })
    expect(receiver.received).toEqual([])
  })

  test('retries until the receiver accepts a message, and reports its state', async () => {
    const { receiver, open } = await setUpWebhooks((response, _, count) => {
      if (count <= 3) response.writeHead(500 + count).end()
      else accept(response)
    })
    const states: SinkState[] = []
    const sink = open({ onState: (state) => states.push(state) })
    await sink.tail(ALL)
    await sink.publish(entries(1, 2))
    expect(receiver.received.map(({ eventIds }) => eventIds[0])).toEqual(
      keys([entry(1), entry(1), entry(1), entry(1), entry(2)]),
    )
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(2)
    const waiting = [501, 502, 503].map((status) => ({ state: 'waiting', reason: `status ${status}` }))
    expect(states).toEqual([...waiting, { state: 'writing' }])
  })

  test('sends events in batches, within the limits of their number and bytes', async () => {
    const { receiver, open } = await setUpWebhooks()
    const sink = open({ maxBatchEvents: 4, maxBodyBytes: 4096 })
    await sink.tail(ALL)
    const calls = [1, 2, 3, 4, 5, 6].map((number) => sink.publish([entry(number)]))
    await Promise.all(calls)
    const long = (number: number) => ({ ...entry(number), body: JSON.stringify('x'.repeat(2000)) })
    await sink.publish([long(7), long(8)])
    expect(receiver.received.map(({ eventIds }) => eventIds.length)).toEqual([4, 2, 1, 1])
    expect(receiver.received.every(({ body }) => body.length <= 4096)).toBe(true)
    expect(receiver.received[0]?.contentType).toBe('application/cloudevents-batch+json; charset=utf-8')
    expect(sink.checkSize?.(long(1))).toBe(undefined)
    expect(sink.checkSize?.({ ...entry(1), body: JSON.stringify('x'.repeat(4096)) })).toMatchObject({
      maxBytes: 4096,
      setting: 'maxBodyBytes',
    })
  })

  test('sends a copy of an event with the same webhook-id after a restart', async () => {
    const { receiver, open } = await setUpWebhooks()
    for (let run = 0; run < 2; run += 1) {
      const sink = open()
      await sink.tail(ALL)
      await sink.publish([entry(1)])
      await sink.close()
    }
    const [first, second] = receiver.received
    expect(second).toEqual(first)
    expect(first?.id).toMatch(/^msg_[\w-]{27}$/)
  })

  test('fails at 410 Gone, and continues after the tail was read again', async () => {
    let isGone = true
    const { receiver, open } = await setUpWebhooks((response) => response.writeHead(isGone ? 410 : 200).end())
    const sink = open()
    await sink.tail(ALL)
    const gone = { code: 'RELAY_SINK_MISCONFIGURED', details: { setting: 'url', received: 'status 410' } }
    await expect(sink.publish(entries(1, 2))).rejects.toMatchObject(gone)
    await expect(sink.publish([entry(3)])).rejects.toMatchObject(gone)
    isGone = false
    expect((await sink.tail(ALL)).sequence).toBe(0)
    await sink.publish([entry(1)])
    expect(receiver.received).toHaveLength(2)
  })

  test('stops a delivery when it is closed', async () => {
    const { open } = await setUpWebhooks(() => {})
    const sink = open()
    await sink.tail(ALL)
    const call = sink.publish([entry(1)])
    await Promise.all([expect(call).rejects.toMatchObject({ code: 'RELAY_CLOSED' }), sink.close()])
    await expect(sink.publish([entry(1)])).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
    await expect(sink.tail(ALL)).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
  })

  test('requires the tail before the first message', async () => {
    const { open } = await setUpWebhooks()
    await expect(open().publish([entry(1)])).rejects.toMatchObject({ retryable: true })
  })

  test('a paused writer sends nothing more once another one has sent a message', async () => {
    let isAvailable = false
    const { receiver, open } = await setUpWebhooks((response) =>
      response.writeHead(isAvailable ? 200 : 503).end(),
    )
    const first = open({ maxRetryWaitMs: 1500, random: () => 0.5 })
    await first.tail(ALL)
    const waiting = first.publish([entry(1)])
    const refused = expect(waiting).rejects.toMatchObject({
      code: 'RELAY_FENCED',
      details: { relay: 'relay-2' },
    })
    await expect.poll(() => receiver.received.length).toBe(1)
    isAvailable = true
    const second = open()
    await second.tail(ALL)
    await second.publish([writerNotice(2), entry(1), entry(2)])
    await refused
    expect(receiver.received.map(({ eventIds }) => eventIds[0])).toEqual(keys([entry(1), entry(1), entry(2)]))
    await expect(first.probe?.()).rejects.toMatchObject({ code: 'RELAY_FENCED' })
    expect(await second.probe?.()).toEqual({})
  })

  test('waits for a store that fails, and does not send a message twice', async () => {
    const { receiver, open } = await setUpWebhooks()
    const store = createFailingStore()
    const states: string[] = []
    const sink = open({ store, onState: ({ state }) => states.push(state) })
    await sink.tail(ALL)
    await sink.publish([entry(1)])
    store.failures.push('compareAndSet')
    await sink.publish([entry(2)])
    expect(states).toEqual(['waiting'])
    expect(receiver.received).toHaveLength(2)
    store.failure = new Error('store down')
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
    await expect(sink.tail(ALL)).rejects.toMatchObject({ code: 'RELAY_SINK_UNAVAILABLE' })
  })

  test('rejects a writer whose record was removed, or restored from a backup', async () => {
    const { store, open } = await setUpWebhooks()
    const storeKey = webhookRecordKey(STREAM)
    const sink = open()
    await sink.tail(ALL)
    await sink.publish(entries(1, 2))
    const backup = await store.get(storeKey)
    await sink.publish([entry(3)])
    await store.compareAndSet(storeKey, await store.get(storeKey), backup)
    const truncated = {
      code: 'RELAY_STREAM_TRUNCATED',
      retryable: true,
      details: { acknowledged: 3, sequence: 2 },
    }
    await expect(sink.publish([entry(4)])).rejects.toMatchObject(truncated)
    expect((await sink.tail(ALL)).sequence).toBe(2)
    await sink.publish([entry(4)])
    await store.compareAndSet(storeKey, await store.get(storeKey), undefined)
    await expect(sink.probe?.()).rejects.toMatchObject({ code: 'RELAY_STREAM_TRUNCATED' })
    expect((await sink.tail(ALL)).sequence).toBe(0)
  })

  test('rejects a record that it cannot read, and names its store key', async () => {
    const { store, open } = await setUpWebhooks()
    const storeKey = webhookRecordKey(STREAM)
    for (const text of ['', '{}', '{"v":2}', '{"v":1,"writer":"a","sequence":1,"lastOf":{},"entries":[1]}']) {
      await store.compareAndSet(storeKey, await store.get(storeKey), text)
      await expect(open().tail(ALL)).rejects.toMatchObject({
        code: 'RELAY_STATE_INVALID',
        details: { storeKey },
      })
    }
  })
})
