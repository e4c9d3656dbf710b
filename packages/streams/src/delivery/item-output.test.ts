import { expect, test } from 'vitest'
import type { ItemOf } from '../items/stream-item.ts'
import { BatchStatistics } from './batch-statistics.ts'
import { ItemOutput } from './item-output.ts'
import { ItemQueue } from './item-queue.ts'

function createOutput() {
  const reports: unknown[] = []
  const report = (what: string, value: unknown): void => void reports.push([what, value])
  const queue = new ItemQueue<ItemOf<string>>({ maxItems: 100, maxBytes: 10_000 })
  const statistics = new BatchStatistics<string>(report, () => undefined)
  const shown = (text: string): string => text.replaceAll('secret', '***')
  const output = new ItemOutput({ queue, statistics, report, service: 'trade', shown })
  return { reports, queue, statistics, output }
}

test('events and notices are queued in order; a notice is reported at once, events with their batch', () => {
  const { reports, queue, statistics, output } = createOutput()
  const notice = { type: 'notice', kind: 'ack-backlog-full', atMs: 1, unacked: 2 } as const
  output.event('a', 1, 0)
  output.notify(notice)
  output.event('b', 1, 10)
  expect(queue.takeMany(9)).toEqual(['a', notice, 'b'])
  expect(reports).toEqual([['onNotice', { notice }]])
  statistics.flush(1, 0)
  expect(reports[1]).toMatchObject(['onBatch', { events: 2, bytes: 2 * (512 + 2) + 10 }])
})

test('a message that cannot be decoded is queued and counted with its bytes', () => {
  const { reports, queue, statistics, output } = createOutput()
  const message = {
    reason: 'malformed',
    message: 'wrong',
    bytes: new Uint8Array(5000),
    length: 5000,
  } as const
  output.undecodable(message, 7)
  output.undecodable({ ...message, reason: 'too-large', bytes: undefined }, 8)
  expect(queue.capacity.bytes).toBe((10_000 - 5000 - 2 * (512 + 2 * 5)) / 2 / 2)
  const common = { type: 'undecodable', kind: 'undecodable', service: 'trade', ...message }
  expect(queue.takeMany(9)).toEqual([
    { ...common, receivedAtMs: 7 },
    { ...common, reason: 'too-large', bytes: undefined, receivedAtMs: 8 },
  ])
  statistics.flush(1, 0)
  expect(reports).toMatchObject([['onBatch', { events: 0, undecodable: 2, bytes: 5000 + 2 * (512 + 2 * 5) }]])
})

test('a notice reaches neither the consumer nor the observer with what was sent', () => {
  const { reports, queue, output } = createOutput()
  output.notify({ type: 'notice', kind: 'duplicate-conflict', atMs: 1, eventType: 1024, id: 'a secret id' })
  const notice = queue.take()
  expect(notice).toMatchObject({ id: 'a *** id' })
  expect(reports).toEqual([['onNotice', { notice }]])
})
