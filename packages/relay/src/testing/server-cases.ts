/** Cases of the contract with a server that is killed, and with a message that it does not accept. */
import { deepStrictEqual } from 'node:assert'
import type { EventSink, PublishAck } from '../sink/event-sink.ts'
import { oversizedHeaders } from '../wire/headers.ts'
import { ALL, openWriter, required, requireStored, requireStream } from './assertions.ts'
import { event, events } from './contract-entries.ts'
import type { Cases, SinkFixture } from './fixture.ts'

/** Opens a writer. Retries while the client of the sink has not reconnected. */
async function openPatiently(fixture: SinkFixture): Promise<EventSink> {
  const sink = await fixture.openSink()
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sink.tail({ maxEntries: 0 })
      return sink
    } catch (error) {
      if (attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

export const RESTART_CASES: Cases = {
  'stores each message once and in order while its server is killed and restarted': async (fixture) => {
    const restart = required('restart', fixture.restart)
    await using sink = await openWriter(fixture)
    const calls: Promise<PublishAck>[] = []
    const publishMore = (): void => {
      for (let call = 0; call < 20; call += 1) {
        const first = calls.length * 10 + 1
        calls.push(sink.publish(events(first, first + 9)))
      }
    }
    for (let round = 0; round < 2; round += 1) {
      publishMore()
      await calls[round * 20 + 3]
      const restarted = restart()
      publishMore()
      await restarted
    }
    const acknowledged = await Promise.all(calls)
    deepStrictEqual(
      acknowledged.map(({ sequence }) => sequence),
      calls.map((_, call) => (call + 1) * 10),
    )
    await sink.close()
    await requireStream(fixture, events(1, calls.length * 10))
  },
  'continues after a restart of its server, as does a new writer': async (fixture) => {
    const restart = required('restart', fixture.restart)
    await using sink = await openWriter(fixture)
    await sink.publish(events(1, 3))
    await restart()
    deepStrictEqual(await sink.publish([event(4)]), { sequence: 4 })
    await sink.close()
    await restart()
    await using next = await openPatiently(fixture)
    deepStrictEqual(await next.publish([event(5)]), { sequence: 5 })
    await next.close()
    await requireStream(fixture, events(1, 5))
  },
}

export const SIZE_CASES: Cases = {
  'reports a message that is too large, and stores its replacement': async (fixture) => {
    const bytes = required('oversizedBytes', fixture.oversizedBytes)
    await using sink = await openWriter(fixture)
    const checkSize = required('checkSize', sink.checkSize?.bind(sink))
    deepStrictEqual(checkSize(event(1)), undefined, 'checkSize of a small message')
    const long = { ...event(2), body: 'x'.repeat(bytes) }
    const oversize = required('the result of checkSize for oversizedBytes', checkSize(long))
    if (!(oversize.messageBytes > oversize.maxBytes) || oversize.setting === '')
      throw new Error(
        `checkSize must return a limit that the message exceeds; received ${JSON.stringify(oversize)}`,
      )
    const replacement = { ...long, headers: oversizedHeaders(long.headers, oversize), body: '' }
    deepStrictEqual(checkSize(replacement), undefined, 'checkSize of the replacement')
    deepStrictEqual(await sink.publish([event(1), replacement, event(3)]), { sequence: 3 })
    requireStored((await sink.tail(ALL)).entries, [event(1), replacement, event(3)])
  },
}
