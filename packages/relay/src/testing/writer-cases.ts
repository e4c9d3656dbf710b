/** Cases of the contract with several writers, and with a stream that was cut. */
import { deepStrictEqual } from 'node:assert'
import type { RelayErrorCode } from '../relay-error.ts'
import type { EventSink } from '../sink/event-sink.ts'
import {
  ALL,
  keys,
  openWriter,
  required,
  requireRejection,
  requireStored,
  requireStream,
} from './assertions.ts'
import { event, events, writerNotice } from './contract-entries.ts'
import type { Cases } from './fixture.ts'

/** Requires that a probe rejects with one of these codes, if the sink has a probe. */
async function requireRejectedProbe(sink: EventSink, ...codes: readonly RelayErrorCode[]): Promise<void> {
  for (let attempt = 1; sink.probe !== undefined; attempt += 1) {
    const probed = sink.probe()
    const isRejected = await probed.then(
      () => false,
      () => true,
    )
    // A sink may need several probes until it is certain.
    if (!isRejected && attempt < 20) continue
    await requireRejection(probed, ...codes)
    return
  }
}

export const FENCING_CASES: Cases = {
  'rejects a writer after another one has written, until it reads the tail again': async (fixture) => {
    await using first = await openWriter(fixture)
    await using second = await fixture.openSink()
    await first.publish(events(1, 3))
    deepStrictEqual((await second.tail(ALL)).sequence, 3)
    await second.publish([writerNotice('relay-2')])
    const { details, retryable } = await requireRejection(first.publish(events(11, 300)), 'RELAY_FENCED')
    deepStrictEqual({ ...details, retryable }, { ...details, sequence: 4, relay: 'relay-2', retryable: true })
    const next = await requireRejection(first.publish([event(301)]), 'RELAY_FENCED')
    deepStrictEqual(next.retryable, true)
    await second.publish([event(5)])
    const stored = [...events(1, 3), writerNotice('relay-2'), event(5)]
    deepStrictEqual(keys((await second.tail(ALL)).entries), keys(stored))
    deepStrictEqual((await first.tail(ALL)).sequence, 5)
    await first.publish([event(6)])
    deepStrictEqual(keys((await first.tail(ALL)).entries), keys([...stored, event(6)]))
  },
  'rejects a writer of an empty stream after another one has written': async (fixture) => {
    await using first = await openWriter(fixture)
    await using second = await openWriter(fixture)
    await second.publish([event(1)])
    await requireRejection(first.publish([event(2)]), 'RELAY_FENCED')
    await first.close()
    await second.close()
    await requireStream(fixture, [event(1)])
  },
  'detects by a probe that another writer has written': async (fixture) => {
    await using first = await openWriter(fixture)
    await first.publish([event(1)])
    await using second = await openWriter(fixture)
    await second.publish([writerNotice('relay-2')])
    if (first.probe === undefined) return
    // A probe may leave this to the next write, which the sink must then reject.
    const isDetected = await first.probe().then(
      () => false,
      () => true,
    )
    await requireRejection(first.publish([event(2)]), 'RELAY_FENCED')
    if (isDetected) await requireRejection(first.probe(), 'RELAY_FENCED')
    await first.close()
    await second.close()
    await requireStream(fixture, [event(1), writerNotice('relay-2')])
  },
  'has every acknowledged message once when writers take over from each other while they write': async (
    fixture,
  ) => {
    const acknowledged: string[] = []
    const writers: EventSink[] = []
    const settled: Promise<unknown>[] = []
    for (let turn = 0; turn < 5; turn += 1) {
      // The writer before is not closed, as a process that hangs.
      const sink = await fixture.openSink()
      writers.push(sink)
      for (;;) {
        await sink.tail({ maxEntries: 0 })
        const notice = { ...writerNotice(`relay-${turn}`), key: `writer-${turn}` }
        const isWriter = await sink.publish([notice]).then(
          () => acknowledged.push(notice.key) > 0,
          () => false,
        )
        if (isWriter) break
      }
      for (let call = 0; call < 10; call += 1) {
        const batch = events(turn * 1000 + call * 20 + 1, turn * 1000 + call * 20 + 20)
        const published = sink.publish(batch).then(
          () => acknowledged.push(...batch.map(({ key }) => key)),
          (error: unknown) => requireRejection(Promise.reject(error), 'RELAY_FENCED'),
        )
        settled.push(published)
        if (call === 4) await published
      }
    }
    await Promise.all(settled)
    for (const sink of writers) await sink.close()
    await using reader = await fixture.openSink()
    const { entries, sequence } = await reader.tail(ALL)
    const stored = entries.map(({ key }) => key)
    deepStrictEqual(
      entries.map((entry) => entry.sequence),
      Array.from({ length: sequence }, (_, at) => at + 1),
      'sequences',
    )
    deepStrictEqual(new Set(stored).size, stored.length, 'distinct messages')
    const missing = acknowledged.filter((key) => !stored.includes(key))
    deepStrictEqual(missing, [], 'acknowledged messages that the stream does not have')
    // The messages of one writer are between its notice and that of the next one, and in order.
    const numberOf = (key: string) =>
      key.startsWith('writer-') ? Number(key.slice(7)) * 1000 : eventNumber(key)
    const numbers = stored.map(numberOf)
    deepStrictEqual(
      numbers,
      [...numbers].sort((one, other) => one - other),
      'order',
    )
  },
}

const eventNumber = (key: string): number => Number(/:e-(\d+):/.exec(key)?.[1])

export const TRUNCATION_CASES: Cases = {
  'rejects a writer whose acknowledged messages were removed, until it reads the tail again': async (
    fixture,
  ) => {
    const truncate = required('truncate', fixture.truncate)
    await using sink = await openWriter(fixture)
    await sink.publish(events(1, 5))
    await truncate(2)
    const { details, retryable } = await requireRejection(sink.publish([event(6)]), 'RELAY_STREAM_TRUNCATED')
    deepStrictEqual({ ...details, retryable }, { ...details, acknowledged: 5, retryable: true })
    await requireRejection(sink.publish([event(7)]), 'RELAY_STREAM_TRUNCATED')
    const { sequence, entries } = await sink.tail(ALL)
    deepStrictEqual(sequence, 2)
    requireStored(entries, events(1, 2))
    deepStrictEqual(await sink.publish([event(3)]), { sequence: 3 })
    await sink.close()
    await requireStream(fixture, events(1, 3))
  },
  'detects by a probe that acknowledged messages were removed': async (fixture) => {
    const truncate = required('truncate', fixture.truncate)
    await using sink = await openWriter(fixture)
    await sink.publish(events(1, 5))
    await truncate(2)
    await requireRejectedProbe(sink, 'RELAY_STREAM_TRUNCATED')
    await requireRejection(sink.publish([event(6)]), 'RELAY_STREAM_TRUNCATED')
    await sink.close()
    await requireStream(fixture, events(1, 2))
  },
  'rejects a writer whose stream was deleted, and starts a new stream with another identity': async (
    fixture,
  ) => {
    const truncate = required('truncate', fixture.truncate)
    await using sink = await fixture.openSink()
    const { streamId } = await sink.tail(ALL)
    await sink.publish(events(1, 3))
    await truncate(0)
    await requireRejection(sink.publish([event(4)]), 'RELAY_STREAM_TRUNCATED')
    const tail = await sink.tail(ALL)
    deepStrictEqual([tail.sequence, tail.entries], [0, []])
    if (streamId !== undefined && tail.streamId === streamId)
      throw new Error(`streamId must change when the stream is deleted; received ${streamId} twice`)
    deepStrictEqual(await sink.publish([event(1)]), { sequence: 1 })
  },
}

export const FENCING_AND_TRUNCATION_CASES: Cases = {
  'rejects a writer whose last messages were replaced by as many of another writer': async (fixture) => {
    const truncate = required('truncate', fixture.truncate)
    await using first = await openWriter(fixture)
    await first.publish(events(1, 4))
    await truncate(3)
    await using second = await openWriter(fixture)
    deepStrictEqual(await second.publish([event(14)]), { sequence: 4 })
    // A sink may leave this to the probe, which the relay calls every few seconds.
    await requireRejectedProbe(first, 'RELAY_FENCED', 'RELAY_STREAM_TRUNCATED')
    await requireRejection(first.publish([event(5)]), 'RELAY_FENCED', 'RELAY_STREAM_TRUNCATED')
    await first.close()
    await second.close()
    await requireStream(fixture, [...events(1, 3), event(14)])
  },
}
