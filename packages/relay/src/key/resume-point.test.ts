/** What the next writer of a stream knows of its end. */
import { describe, expect, test } from 'vitest'
import type { SinkEntry, SinkTail } from '../sink/event-sink.ts'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { ADDRESS, entries, entry } from '../test/entries.ts'
import { EntryFactory } from '../wire/entries.ts'
import { HEADER } from '../wire/headers.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { createTailRequest, readResumePoint } from './resume-point.ts'
import type { StreamRecord } from './stream-record.ts'

test('the last 2,000 messages are known by their keys, and the position of an event type however far back it stands', async () => {
  const root = subjectRoot(ADDRESS)
  const stream = createMemoryStream(streamName(ADDRESS))
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  const holder = { type: 'notice', kind: 'holder', state: 'taken', fleet: 'main' } as const
  const taken = { ...holder, atMs: 1, relay: 'one', incarnation: 'one-1' }
  const all = entries(1, 2100)
  await sink.publish([new EntryFactory(root, 'one-1', 'main').notice('relay', taken), ...all])
  const read = async (eventTypes: readonly string[]) =>
    readResumePoint(
      stream.name,
      'main',
      eventTypes,
      await stream.open().tail(createTailRequest(root, eventTypes)),
      undefined,
    )
  const { keys, positions, holder: found } = await read(['APPLICATION'])
  expect(keys.size).toBe(2000)
  expect(all.slice(-2000).filter(({ key }) => !keys.has(key))).toEqual([])
  expect(positions).toEqual({ APPLICATION: '2100' })
  expect(found?.relay).toBe('one')
})

test('a stream is complete until its last event, subscription or gap: a notice of something that was late said until then', async () => {
  const root = subjectRoot(ADDRESS)
  const stream = createMemoryStream(streamName(ADDRESS))
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  const writer = new EntryFactory(root, 'one-1', 'main')
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
    writer.notice('trade', { type: 'notice', atMs, ...kinds[kind] })
  const completeUntil = async (): Promise<number | undefined> => {
    const tail = await stream.open().tail(createTailRequest(root, []))
    return readResumePoint(stream.name, 'main', [], tail, undefined).completeUntil.trade?.untilMs
  }
  const holder = { type: 'notice', kind: 'holder', state: 'taken', fleet: 'main' } as const
  const taken = { ...holder, atMs: 1, relay: 'one', incarnation: 'one-1' }
  await sink.publish([writer.notice('relay', taken), notice('subscribed', 10)])
  expect(await completeUntil()).toBe(10)
  await sink.publish([notice('gap', 20)])
  expect(await completeUntil()).toBe(20)
  await sink.publish([notice('subscribed', 20)])
  expect(await completeUntil()).toBe(20)
  // The next event of a connection that had stood still: what else was sent meanwhile is behind it.
  await sink.publish([notice('duplicate-conflict', 90)])
  expect(await completeUntil()).toBe(20)
})

describe('whose stream it is', () => {
  const root = subjectRoot(ADDRESS)
  const holder = (fleet: string) => ({
    ...new EntryFactory(root, 'x', fleet).notice('relay', {
      type: 'notice',
      kind: 'holder',
      state: 'taken',
      atMs: 1,
      fleet,
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
    ['empty', [], undefined],
    ['its own', [holder('main'), event('main')], undefined],
    ['its own without a holder, which the stream has deleted', [event('main')], undefined],
    ['its own, and a message of others', [event('main'), byHand], undefined],
    ['taken over from another cluster', [holder('other'), event('main')], undefined],
    ['of a relay that named no cluster', [event(undefined)], undefined],
    ["another cluster's", [holder('main'), holder('other')], 'a relay of the fleet other'],
    ["another cluster's events", [event('main'), event('other')], 'a relay of the fleet other'],
    ['of others', [byHand], 'messages of no relay'],
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

describe('the record in the store', () => {
  const root = subjectRoot(ADDRESS)
  const until = (untilMs: number) => ({ untilMs, hostUntilMs: untilMs, clockOffsetMs: 0 })
  const RECORD: StreamRecord = {
    writer: 'w',
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
      'an empty stream of the same identity was purged',
      EMPTY,
      { isTruncated: false, completeUntil: { trade, position }, since },
    ],
    [
      'it has gone on since then',
      { ...EMPTY, sequence: 200 },
      { isTruncated: false, completeUntil: { trade, position }, since },
    ],
    [
      'another stream of the same name',
      { ...EMPTY, sequence: 0, streamId: 'b' },
      {
        isTruncated: true,
        completeUntil: { trade: since, position: since, module: since },
        since: undefined,
      },
    ],
    [
      'a stream that ends before what was stored',
      { ...EMPTY, sequence: 99 },
      { isTruncated: true, completeUntil: { trade: since, position: since, module: since }, since },
    ],
  ])('%s', (_, tail, expected) => {
    expect(read(tail)).toMatchObject(expected)
  })

  test('what the stream itself says is later, or earlier: the later of both counts, unless the stream lost messages', async () => {
    const stream = createMemoryStream(streamName(ADDRESS))
    const sink = stream.open()
    await sink.tail({ maxEntries: 0 })
    const entries = new EntryFactory(root, 'x', 'main')
    const holder = { type: 'notice', kind: 'holder', fleet: 'main', relay: 'one', incarnation: 'x' } as const
    const completeUntil = { trade: until(9000), position: until(2000) }
    await sink.publish([entries.notice('relay', { ...holder, state: 'held', atMs: 1, completeUntil })])
    const tail = await stream.open().tail(createTailRequest(root, []))
    const record = { ...RECORD, streamId: '', sequence: 1 }
    expect(read(tail, record).completeUntil).toEqual({ trade: until(9000), position: until(6000) })
    expect(read(tail, { ...record, sequence: 2 }).completeUntil).toMatchObject(completeUntil)
  })
})
