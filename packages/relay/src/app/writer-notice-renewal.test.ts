/** The schedule for renewing the notice of a stream's writer. */
import { expect, test } from 'vitest'
import type { Retention } from '../sink/event-sink.ts'
import { WriterNoticeRenewal } from './writer-notice-renewal.ts'

test.each<[Retention, number, number, number, boolean]>([
  [{}, 1e12, 1e12, 1e12, false],
  [{ maxAgeMs: 60_000 }, 14_000, 1e12, 1e12, false],
  [{ maxAgeMs: 60_000 }, 15_000, 0, 0, true],
  [{ maxBytes: 1024 * 1024 }, 1e12, 1000, 256 * 1024 - 1, false],
  [{ maxBytes: 1024 * 1024 }, 0, 1000, 256 * 1024, true],
  [{ maxMessages: 100 }, 1e12, 24, 1e12, false],
  [{ maxMessages: 100 }, 0, 25, 0, true],
  // A stream with one message has the notice or an event: both name the cluster.
  [{ maxMessages: 1 }, 1e12, 0, 0, false],
])(
  'with limits %j, after %d ms, %d messages and %d bytes, a renewal is due: %s',
  (retention, elapsedMs, messages, bytes, isDue) => {
    const renewal = new WriterNoticeRenewal()
    renewal.elapsed(elapsedMs)
    renewal.published(messages, bytes)
    expect(renewal.isDue(retention)).toBe(isDue)
    renewal.renewed()
    expect(renewal.isDue(retention)).toBe(false)
  },
)
