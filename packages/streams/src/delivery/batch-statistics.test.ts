import { expect, test } from 'vitest'
import type { Reporter } from '../observer.ts'
import { BatchStatistics } from './batch-statistics.ts'

function begin(serverTimeMs?: (item: number) => number | undefined) {
  const reports: unknown[] = []
  const report: Reporter = (what, value) => void reports.push([what, value])
  return { reports, statistics: new BatchStatistics<number>(report, serverTimeMs) }
}

test('a batch is reported once, with the lag of its first and last event', () => {
  const { reports, statistics } = begin((item) => item)
  statistics.event(10, 100)
  statistics.event(15, 50)
  statistics.event(30, 1)
  statistics.duplicate()
  statistics.filtered()
  statistics.undecodable(9)
  statistics.flush(40, 7)
  statistics.flush(50, 0)
  const counts = { events: 3, repeats: 1, filtered: 1, undecodable: 1, bytes: 160 }
  expect(reports).toEqual([['onBatch', { ...counts, oldestLagMs: 30, newestLagMs: 10, queueDepth: 7 }]])
})

test('counts begin again with each batch, and an event without a timestamp has no lag', () => {
  const { reports, statistics } = begin(() => undefined)
  statistics.event(1, 10)
  statistics.flush(1, 1)
  statistics.duplicate()
  statistics.flush(2, 0)
  const lags = { oldestLagMs: undefined, newestLagMs: undefined }
  expect(reports).toEqual([
    ['onBatch', { events: 1, repeats: 0, filtered: 0, undecodable: 0, bytes: 10, ...lags, queueDepth: 1 }],
    ['onBatch', { events: 0, repeats: 1, filtered: 0, undecodable: 0, bytes: 0, ...lags, queueDepth: 0 }],
  ])
})

test('without an observer nothing is reported', () => {
  const { reports, statistics } = begin()
  statistics.event(1, 10)
  statistics.flush(1, 1)
  expect(reports).toEqual([])
})
