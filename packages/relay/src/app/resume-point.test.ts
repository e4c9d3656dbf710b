/** The resume point that the next writer of a stream reads from its end. */
import { describe, expect, test } from 'vitest'
import type { SinkEntry, SinkTail } from '../sink/event-sink.ts'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import { EntryFactory } from '../wire/entries.ts'
import { HEADER } from '../wire/headers.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { createTailRequest, readResumePoint } from './resume-point.ts'
import type { StreamRecord } from './stream-record.ts'

test('reads the keys of the last 2,000 messages, and the position of an event type from any older message', async () => {
  const root = subjectRoot(ADDRESS)
  const stream = createMemoryStream(streamName(ADDRESS))
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  const writer = { type: 'notice', kind: 'writer-changed', state: 'acquired', cluster: 'main' } as const
  const acquired = { ...writer, atMs: 1, relay: 'one', incarnation: 'one-1' }
  const all = entries(1, 2100)
  await sink.publish([new EntryFactory(root, 'one-1', 'main').notice('relay', acquired), ...all])
  const read = async (eventTypes: readonly string[]) =>
    readResumePoint(
      stream.name,
      'main',
      eventTypes,
      await stream.open().tail(createTailRequest(root, eventTypes)),
      undefined,
    )
  const { keys, positions, lastWriter } = await read(['APPLICATION'])
  expect(keys.size).toBe(2000)
  expect(all.slice(-2000).filter(({ key }) => !keys.has(key))).toEqual([])
  expect(positions).toEqual({ APPLICATION: '2100' })
  expect(lastWriter?.relay).toBe('one')
})

test('is complete until the last event, subscription or gap, and not until any other notice', async () => {
  const root = subjectRoot(ADDRESS)
  const stream = createMemoryStream(streamName(ADDRESS))
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  const factory = new EntryFactory(root, 'one-1', 'main')
  const kinds = {
    gap: {
      kind: 'gap',
      fromMs: 0,
      toMs: 5000,
      hostFromMs: 0,
      hostToMs: 5000,
      clockOffsetMs: undefined,
      eventTypes: undefined,
      cause: 'disconnected',
    },
    subscribed: { kind: 'subscribed', attempt: 1, connectionId: undefined, implied: false },
    'duplicate-conflict': { kind: 'duplicate-conflict', eventType: 1024, id: 'one' },
  } as const
  const notice = (kind: keyof typeof kinds, atMs: number) =>
    factory.notice('trade', { type: 'notice', atMs, ...kinds[kind] })
  const completeUntil = async (): Promise<number | undefined> => {
    const tail = await stream.open().tail(createTailRequest(root, []))
    return readResumePoint(stream.name, 'main', [], tail, undefined).completeUntil.trade?.untilMs
  }
  const writer = { type: 'notice', kind: 'writer-changed', state: 'acquired', cluster: 'main' } as const
  const acquired = { ...writer, atMs: 1, relay: 'one', incarnation: 'one-1' }
  await sink.publish([factory.notice('relay', acquired), notice('subscribed', 10)])
  expect(await completeUntil()).toBe(10)
  await sink.publish([notice('gap', 20)])
  expect(await completeUntil()).toBe(20)
  await sink.publish([notice('subscribed', 20)])
  expect(await completeUntil()).toBe(20)
  // The next event after a stalled connection: other events that were sent meanwhile arrive after it.
  await sink.publish([notice('duplicate-conflict', 90)])
  expect(await completeUntil()).toBe(20)
})

describe('the owner of a stream', () => {
  const root = subjectRoot(ADDRESS)
  const writer = (cluster: string) => ({
    ...new EntryFactory(root, 'x', cluster).notice('relay', {
      type: 'notice',
      kind: 'writer-changed',
      state: 'acquired',
      atMs: 1,
      cluster,
      relay: 'one',
      incarnation: 'x',
    }),
  })
  const event = (cluster: string | undefined): SinkEntry => ({
    ...entry(1),
    headers: { ...entry(1).headers, ...(cluster === undefined ? {} : { [HEADER.cluster]: cluster }) },
  })
  const byHand: SinkEntry = { subject: `${root}.by.hand`, key: '', headers: {}, body: '' }

  test.each<[string, readonly SinkEntry[], string | undefined]>([
    ['accepts an empty stream', [], undefined],
    ['accepts its own stream', [writer('main'), event('main')], undefined],
    [
      "accepts its own stream without a writer's notice, which the stream has deleted",
      [event('main')],
      undefined,
    ],
    ['accepts its own stream with a message of another program', [event('main'), byHand], undefined],
    ['accepts a stream that it took over from another cluster', [writer('other'), event('main')], undefined],
    ['accepts a stream whose relay named no cluster', [event(undefined)], undefined],
    [
      'rejects a stream that another cluster took over',
      [writer('main'), writer('other')],
      'a relay of the cluster other',
    ],
    ['rejects events of another cluster', [event('main'), event('other')], 'a relay of the cluster other'],
    ['rejects a stream with messages of other programs only', [byHand], 'messages of no relay'],
  ])('%s', async (_, written, found) => {
    const stream = createMemoryStream(streamName(ADDRESS))
    const sink = stream.open()
    await sink.tail({ maxEntries: 0 })
    await sink.publish(written)
    const tail = await stream.open().tail(createTailRequest(root, ['APPLICATION']))
    const read = () => readResumePoint(stream.name, 'main', ['APPLICATION'], tail, undefined)
    if (found === undefined) expect(read).not.toThrow()
    else
      expect(read).toThrow(
        expect.objectContaining({
          code: 'RELAY_STREAM_MISMATCH',
          details: expect.objectContaining({ found }),
        }),
      )
  })
})

test('rejects a stream of an earlier schema version', async () => {
  const stream = createMemoryStream(streamName(ADDRESS))
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  await sink.publish([{ ...entry(1), headers: { ...entry(1).headers, [HEADER.schema]: '1' } }])
  const tail = await stream.open().tail(createTailRequest(subjectRoot(ADDRESS), []))
  expect(() => readResumePoint(stream.name, 'main', [], tail, undefined)).toThrow(
    expect.objectContaining({
      code: 'RELAY_SCHEMA_UNSUPPORTED',
      details: expect.objectContaining({ received: 1, supported: 2 }),
    }),
  )
})

describe('the record in the store', () => {
  const root = subjectRoot(ADDRESS)
  const until = (untilMs: number) => ({ untilMs, hostUntilMs: untilMs, clockOffsetMs: 0 })
  const RECORD: StreamRecord = {
    runId: 'w',
    streamId: 'a',
    sequence: 100,
    since: until(1000),
    completeUntil: { trade: until(5000), position: until(6000) },
  }
  const EMPTY: SinkTail = { sequence: 100, entries: [], lastOf: [], streamId: 'a' }
  const read = (tail: SinkTail, record: StreamRecord | undefined = RECORD) =>
    readResumePoint('s', 'main', ['APPLICATION'], tail, record)
  const { trade, position } = RECORD.completeUntil
  const { since } = RECORD

  test.each<[string, SinkTail, object]>([
    [
      'completes a purged stream of the same identity',
      EMPTY,
      { isTruncated: false, completeUntil: { trade, position }, since },
    ],
    [
      'completes a stream that has more messages since then',
      { ...EMPTY, sequence: 200 },
      { isTruncated: false, completeUntil: { trade, position }, since },
    ],
    [
      'detects another stream of the same name',
      { ...EMPTY, sequence: 0, streamId: 'b' },
      {
        isTruncated: true,
        completeUntil: { trade: since, position: since, module: since },
        since: undefined,
      },
    ],
    [
      'detects a stream that ends before the stored sequence',
      { ...EMPTY, sequence: 99 },
      { isTruncated: true, completeUntil: { trade: since, position: since, module: since }, since },
    ],
  ])('%s', (_, tail, expected) => {
    expect(read(tail)).toMatchObject(expected)
  })

  test('yields to a later instant in the stream, and does not count if the stream was truncated', async () => {
    const stream = createMemoryStream(streamName(ADDRESS))
    const sink = stream.open()
    await sink.tail({ maxEntries: 0 })
    const entries = new EntryFactory(root, 'x', 'main')
    const writer = {
      type: 'notice',
      kind: 'writer-changed',
      cluster: 'main',
      relay: 'one',
      incarnation: 'x',
    } as const
    const completeUntil = { trade: until(9000), position: until(2000) }
    await sink.publish([entries.notice('relay', { ...writer, state: 'renewed', atMs: 1, completeUntil })])
    const tail = await stream.open().tail(createTailRequest(root, []))
    const record = { ...RECORD, streamId: '', sequence: 1 }
    expect(read(tail, record).completeUntil).toEqual({ trade: until(9000), position: until(6000) })
    expect(read(tail, { ...record, sequence: 2 }).completeUntil).toMatchObject(completeUntil)
  })
})
