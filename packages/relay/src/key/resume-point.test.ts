/** What the next writer of a stream knows of its end. */
import { expect, test } from 'vitest'
import { createMemoryStream } from '../sink/memory-sink.ts'
import { ADDRESS, entries } from '../test/entries.ts'
import { Entries } from '../wire/entries.ts'
import { streamName, subjectRoot } from '../wire/subjects.ts'
import { readResumePoint, tailRequest } from './resume-point.ts'

test('the last 2,000 messages are known by their keys, and the position of an event type however far back it stands', async () => {
  const root = subjectRoot(ADDRESS)
  const stream = createMemoryStream(streamName(ADDRESS))
  const sink = stream.open()
  await sink.tail({ maxEntries: 0 })
  const holder = { type: 'notice', kind: 'holder', state: 'taken', fleet: 'main' } as const
  const taken = { ...holder, atMs: 1, relay: 'one', incarnation: 'one-1' }
  const all = entries(1, 2100)
  await sink.publish([new Entries(root, 'one-1').notice('relay', taken), ...all])
  const read = async (eventTypes: readonly string[]) =>
    readResumePoint(stream.name, 'main', eventTypes, await stream.open().tail(tailRequest(root, eventTypes)))
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
  const writer = new Entries(root, 'one-1')
  const kinds = {
    gap: { kind: 'gap', fromMs: 0, toMs: 5000, eventTypes: undefined, cause: 'disconnected' },
    subscribed: { kind: 'subscribed', attempt: 1, connectionId: undefined, implied: false },
    'conflicting-repeat': { kind: 'conflicting-repeat', eventType: 1024, id: 'one' },
  } as const
  const notice = (kind: keyof typeof kinds, atMs: number) =>
    writer.notice('trade', { type: 'notice', atMs, ...kinds[kind] })
  const completeUntil = async (): Promise<number | undefined> => {
    const tail = await stream.open().tail(tailRequest(root, []))
    return readResumePoint(stream.name, 'main', [], tail).completeUntilMs.trade
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
  await sink.publish([notice('conflicting-repeat', 90)])
  expect(await completeUntil()).toBe(20)
})
