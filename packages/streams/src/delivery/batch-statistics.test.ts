import { expect, test } from 'vitest'
import type { StreamReporter } from '../observer.ts'
import { BatchStatistics } from './batch-statistics.ts'

function createStatistics(serverTimeMs?: (item: number) => number | undefined) {
  const reports: unknown[] = []
  const report: StreamReporter = (name, value) => void reports.push({ name, ...value })
  return { reports, statistics: new BatchStatistics<number>(report, serverTimeMs) }
}

test('reports a batch once, with the lag of its first and its last event', () => {
  const { reports, statistics } = createStatistics((item) => item)
  statistics.event(10, 100)
  statistics.event(15, 50)
  statistics.event(30, 1)
  statistics.duplicate()
  statistics.filtered()
  statistics.undecodable(9)
  statistics.flush(40, 7)
  statistics.flush(50, 0)
  const counts = { events: 3, duplicates: 1, filtered: 1, undecodable: 1, bytes: 160 }
  const lags = { oldestLagMs: 30, newestLagMs: 10 }
  expect(reports).toEqual([{ name: 'onStreamBatch', ...counts, ...lags, queueDepth: 7 }])
})

test('resets the counters after each batch, and reports no lag for an event without a timestamp', () => {
  const { reports, statistics } = createStatistics(() => undefined)
  statistics.event(1, 10)
  statistics.flush(1, 1)
  statistics.duplicate()
  statistics.flush(2, 0)
  const rest = { filtered: 0, undecodable: 0, oldestLagMs: undefined, newestLagMs: undefined }
  expect(reports).toEqual([
    { name: 'onStreamBatch', events: 1, duplicates: 0, bytes: 10, ...rest, queueDepth: 1 },
    { name: 'onStreamBatch', events: 0, duplicates: 1, bytes: 0, ...rest, queueDepth: 0 },
  ])
})

test('reports nothing without an observer', () => {
  const { reports, statistics } = createStatistics()
  statistics.event(1, 10)
  statistics.flush(1, 1)
  expect(reports).toEqual([])
})
