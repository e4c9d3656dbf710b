/** Cases of the contract with one writer: what is stored, in which order, and what the end of the stream has. */
import { deepStrictEqual } from 'node:assert'
import { ALL, openWriter, requireRejection, requireStored, requireStream } from './assertions.ts'
import { event, events, ROOT, undecodable } from './contract-entries.ts'
import type { Cases } from './fixture.ts'

export const BASIC_CASES: Cases = {
  'has the sequence 0 and no message if the stream is empty': async (fixture) => {
    await using sink = await fixture.openSink()
    const { sequence, entries, lastOf } = await sink.tail({ maxEntries: 10, lastOf: [`${ROOT}.>`] })
    deepStrictEqual({ sequence, entries, lastOf }, { sequence: 0, entries: [], lastOf: [undefined] })
    deepStrictEqual(await sink.publish([]), { sequence: 0 })
  },
  'returns messages as they were published, in order, with sequences from 1 on': async (fixture) => {
    await using sink = await openWriter(fixture)
    deepStrictEqual(await sink.publish(events(1, 3)), { sequence: 3 })
    deepStrictEqual(await sink.publish([event(4, 'FUNDING')]), { sequence: 4 })
    await sink.close()
    await requireStream(fixture, [...events(1, 3), event(4, 'FUNDING')])
  },
  'returns the last messages, and the last one of each requested subject': async (fixture) => {
    await using sink = await openWriter(fixture)
    await sink.publish([event(1, 'FUNDING'), ...events(2, 60)])
    const lastOf = ['FUNDING', 'APPLICATION', 'JOURNAL'].map((name) => `${ROOT}.module.event.*.${name}`)
    const tail = await sink.tail({ maxEntries: 2, lastOf })
    requireStored(tail.entries, events(59, 60), 59)
    const [funding, application, journal] = tail.lastOf
    requireStored(funding === undefined ? [] : [funding], [event(1, 'FUNDING')])
    requireStored(application === undefined ? [] : [application], [event(60)], 60)
    deepStrictEqual(journal, undefined)
    deepStrictEqual((await sink.tail({ maxEntries: 0, lastOf })).entries, [])
  },
  'returns the bytes of an undecodable message': async (fixture) => {
    await using sink = await openWriter(fixture)
    await sink.publish([undecodable(), event(2)])
    await sink.close()
    await requireStream(fixture, [undecodable(), event(2)])
  },
  'stores a message of 256 KiB, and an empty body': async (fixture) => {
    const long = { ...event(1), body: '\u{1f4c8}'.repeat(64 * 1024) }
    const empty = { ...event(2), body: '' }
    await using sink = await openWriter(fixture)
    await sink.publish([long, empty])
    await sink.close()
    await requireStream(fixture, [long, empty])
  },
  'stores calls that overlap in the order of the calls': async (fixture) => {
    await using sink = await openWriter(fixture)
    const calls = Array.from({ length: 40 }, (_, call) => sink.publish(events(call * 25 + 1, call * 25 + 25)))
    const acknowledged = await Promise.all(calls)
    deepStrictEqual(
      acknowledged.map(({ sequence }) => sequence),
      calls.map((_, call) => call * 25 + 25),
    )
    requireStored((await sink.tail(ALL)).entries, events(1, 1000))
  },
  'acknowledges an empty batch after the messages before it': async (fixture) => {
    await using sink = await openWriter(fixture)
    const acknowledged: string[] = []
    await Promise.all([
      sink.publish(events(1, 100)).then(() => acknowledged.push('100 messages')),
      sink.publish([]).then(({ sequence }) => acknowledged.push(`nothing after ${sequence}`)),
    ])
    deepStrictEqual(acknowledged, ['100 messages', 'nothing after 100'])
  },
  'stores a message twice if it is published twice': async (fixture) => {
    await using sink = await openWriter(fixture)
    await sink.publish([event(1), event(1)])
    await sink.close()
    await requireStream(fixture, [event(1), event(1)])
  },
  'rejects messages before the tail was read': async (fixture) => {
    await using sink = await fixture.openSink()
    await requireRejection(sink.publish([event(1)]), 'RELAY_SINK_UNAVAILABLE', 'RELAY_FENCED')
    await sink.tail(ALL)
    await sink.publish([event(1)])
  },
  'rejects every call after it was closed, and may be closed twice': async (fixture) => {
    const sink = await openWriter(fixture)
    await sink.close()
    await sink.close()
    await requireRejection(sink.publish([event(1)]), 'RELAY_CLOSED')
    await requireRejection(sink.tail(ALL), 'RELAY_CLOSED')
    if (sink.probe !== undefined) await requireRejection(sink.probe(), 'RELAY_CLOSED')
  },
  'has every acknowledged message of a writer that was closed while it wrote': async (fixture) => {
    const sink = await openWriter(fixture)
    await sink.publish(events(1, 20))
    const calls = Array.from({ length: 20 }, (_, call) =>
      sink.publish(events(call * 50 + 21, call * 50 + 70)),
    )
    const settled = Promise.allSettled(calls)
    await sink.close()
    let acknowledged = 20
    for (const [at, result] of (await settled).entries()) {
      if (result.status === 'fulfilled') {
        deepStrictEqual(acknowledged, at * 50 + 20, 'messages before an acknowledged one')
        acknowledged = result.value.sequence
      } else await requireRejection(calls[at] as Promise<unknown>, 'RELAY_CLOSED')
    }
    await using next = await fixture.openSink()
    const { entries, sequence } = await next.tail(ALL)
    if (sequence < acknowledged)
      throw new Error(`the stream must have ${acknowledged} messages; received ${sequence}`)
    requireStored(entries, events(1, sequence))
  },
  'stores nothing by a probe': async (fixture) => {
    await using sink = await openWriter(fixture)
    await sink.publish(events(1, 2))
    await sink.probe?.()
    deepStrictEqual(await sink.publish([event(3)]), { sequence: 3 })
    await sink.probe?.()
    await sink.close()
    await requireStream(fixture, events(1, 3))
  },
}
