/** Tests that every sink must pass. */
import { expect, test } from 'vitest'
import type { EventSink } from '../sink/event-sink.ts'
import { entries, entry, keys } from './entries.ts'

/** Opens a new stream for each test. */
export interface SinkPlace {
  /** A writer; several of them may be open. */
  open(): Promise<EventSink>
  close?(): Promise<void>
}

const ALL = { maxEntries: 10_000 }

export function sinkSuite(setUp: () => Promise<SinkPlace>): void {
  const withPlace = (name: string, run: (place: SinkPlace) => Promise<void>): void => {
    test(name, async ({ onTestFinished }) => {
      const place = await setUp()
      onTestFinished(() => place.close?.())
      await run(place)
    })
  }

  withPlace('an empty stream ends with nothing', async (place) => {
    await using sink = await place.open()
    expect(await sink.tail({ maxEntries: 10, lastOf: ['a.*'] })).toMatchObject({
      sequence: 0,
      entries: [],
      lastOf: [undefined],
    })
    expect(await sink.publish([])).toEqual({ sequence: 0 })
  })

  withPlace('what is published comes back as it was, in order, with sequences from 1', async (place) => {
    const sink = await place.open()
    await sink.tail(ALL)
    expect(await sink.publish(entries(1, 3))).toEqual({ sequence: 3 })
    expect(await sink.publish([entry(4, 'FUNDING')])).toEqual({ sequence: 4 })
    await sink.close()
    await using reader = await place.open()
    const tail = await reader.tail({
      maxEntries: 2,
      lastOf: [
        'brokerwire.sandbox.us.team-a.module.event.*.APPLICATION',
        'brokerwire.sandbox.us.team-a.module.event.*.FUNDING',
        'brokerwire.sandbox.us.team-a.module.event.*.JOURNAL',
      ],
    })
    expect(tail).toMatchObject({
      sequence: 4,
      entries: [
        { ...entry(3), sequence: 3 },
        { ...entry(4, 'FUNDING'), sequence: 4 },
      ],
      lastOf: [{ ...entry(3), sequence: 3 }, { ...entry(4, 'FUNDING'), sequence: 4 }, undefined],
    })
  })

  withPlace('calls that overlap are stored in the order of the calls', async (place) => {
    await using sink = await place.open()
    await sink.tail(ALL)
    const calls = Array.from({ length: 40 }, (_, call) =>
      sink.publish(entries(call * 25 + 1, call * 25 + 25)),
    )
    const ends = await Promise.all(calls)
    expect(ends.map(({ sequence }) => sequence)).toEqual(calls.map((_, call) => call * 25 + 25))
    expect(keys((await sink.tail(ALL)).entries)).toEqual(keys(entries(1, 1000)))
  })

  withPlace(
    'an empty batch is acknowledged after what was published before it, and not sooner',
    async (place) => {
      await using sink = await place.open()
      await sink.tail(ALL)
      const acknowledged: string[] = []
      await Promise.all([
        sink.publish(entries(1, 100)).then(() => acknowledged.push('a hundred')),
        sink.publish([]).then(({ sequence }) => acknowledged.push(`none behind ${sequence}`)),
      ])
      expect(acknowledged).toEqual(['a hundred', 'none behind 100'])
    },
  )

  withPlace("the same event published twice is stored twice: to know that is the writer's", async (place) => {
    await using sink = await place.open()
    await sink.tail(ALL)
    await sink.publish([entry(1), entry(1)])
    expect((await sink.tail(ALL)).entries).toHaveLength(2)
  })

  withPlace('nothing is published before the tail was read, or after the end', async (place) => {
    const sink = await place.open()
    await expect(sink.publish([entry(1)])).rejects.toMatchObject({ retryable: true })
    await sink.tail(ALL)
    await sink.close()
    await sink.close()
    await expect(sink.publish([entry(1)])).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
    await expect(sink.tail(ALL)).rejects.toMatchObject({ code: 'RELAY_CLOSED' })
  })
}

/** Tests of sinks that several writers may open at the same time. */
export function fenceSuite(setUp: () => Promise<SinkPlace>): void {
  test('rejects a writer after another one has written, until it reads the tail again', async ({
    onTestFinished,
  }) => {
    const place = await setUp()
    onTestFinished(() => place.close?.())
    await using first = await place.open()
    await using second = await place.open()
    await first.tail(ALL)
    await first.publish(entries(1, 3))
    expect((await second.tail(ALL)).sequence).toBe(3)
    const writerNotice = {
      ...entry(4),
      headers: { ...entry(4).headers, 'Brokerwire-Kind': 'writer-changed' },
      body: '{"relay":"relay-2"}',
    }
    await second.publish([writerNotice])
    const refused = {
      code: 'RELAY_FENCED',
      retryable: true,
      details: { sequence: 4, relay: 'relay-2' },
    }
    await expect(first.publish(entries(11, 300))).rejects.toMatchObject(refused)
    await expect(first.publish([entry(301)])).rejects.toMatchObject({ retryable: true })
    await second.publish([entry(5)])
    expect(keys((await second.tail(ALL)).entries)).toEqual(keys([...entries(1, 5)]))
    expect((await first.tail(ALL)).sequence).toBe(5)
    await first.publish([entry(6)])
    expect(keys((await first.tail(ALL)).entries)).toEqual(keys([...entries(1, 6)]))
  })
}
