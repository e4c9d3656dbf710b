import { expect, test } from 'vitest'
import type { StreamNotice } from '../items/notices.ts'
import { BatchStatistics } from './batch-statistics.ts'
import { ItemOutput } from './item-output.ts'
import { ItemQueue } from './item-queue.ts'

function createOutput() {
  const reports: unknown[] = []
  const report = (what: string, value: unknown): void => void reports.push([what, value])
  const queue = new ItemQueue<string | StreamNotice>({ maxItems: 100, maxBytes: 10_000 })
  const statistics = new BatchStatistics<string>(report, () => undefined)
  const shown = (text: string): string => text.replaceAll('secret', '***')
  return { reports, queue, statistics, output: new ItemOutput({ queue, statistics, report, shown }) }
}

test('events and notices are queued in order; a notice is reported at once, events with their batch', () => {
  const { reports, queue, statistics, output } = createOutput()
  const notice = { type: 'notice', kind: 'unacked-limit', atMs: 1, unacked: 2 } as const
  output.event('a', 1, 0)
  output.notify(notice)
  output.event('b', 1, 10)
  expect(queue.takeMany(9)).toEqual(['a', notice, 'b'])
  expect(reports).toEqual([['onNotice', { notice }]])
  statistics.flush(1, 0)
  expect(reports[1]).toMatchObject(['onBatch', { events: 2, bytes: 2 * (512 + 2) + 10 }])
})

test('a notice reaches neither the consumer nor the observer with what was sent', () => {
  const { reports, queue, output } = createOutput()
  output.notify({ type: 'notice', kind: 'conflicting-repeat', atMs: 1, eventType: 1024, id: 'a secret id' })
  const notice = queue.take()
  expect(notice).toMatchObject({ id: 'a *** id' })
  expect(reports).toEqual([['onNotice', { notice }]])
})
