import { expect, test } from 'vitest'
import { ITEM_BYTES } from '../items/item-bytes.ts'
import type { QueuedItem } from '../items/queued-item.ts'
import { BatchStatistics } from './batch-statistics.ts'
import { ItemOutput } from './item-output.ts'
import { ItemQueue } from './item-queue.ts'

function createOutput() {
  const reports: { readonly name: string; readonly report: unknown }[] = []
  const report = (name: string, value: unknown): void => void reports.push({ name, report: value })
  const queue = new ItemQueue<QueuedItem<string>>({ maxItems: 100, maxBytes: 10_000 })
  const statistics = new BatchStatistics<string>(report, () => undefined)
  const redact = (text: string): string => text.replaceAll('secret', '***')
  const output = new ItemOutput({ queue, statistics, report, service: 'trade', redact })
  return { reports, queue, statistics, output }
}

test('queues events and notices in order, and reports a notice at once and events with their batch', () => {
  const { reports, queue, statistics, output } = createOutput()
  const notice = { type: 'notice', kind: 'ack-backlog-full', atMs: 1, unacked: 2 } as const
  output.event('a', 1, 0)
  output.notify(notice)
  output.event('b', 1, 10)
  expect(queue.shiftMany(9)).toEqual(['a', notice, 'b'])
  expect(reports).toEqual([{ name: 'onStreamNotice', report: { notice } }])
  statistics.flush(1, 0)
  expect(reports[1]).toMatchObject({
    name: 'onStreamBatch',
    report: { events: 2, bytes: 2 * (ITEM_BYTES + 2) + 10 },
  })
})

test('queues a message that cannot be decoded, and counts its bytes', () => {
  const { reports, queue, statistics, output } = createOutput()
  const message = {
    reason: 'malformed',
    message: 'wrong',
    bytes: new Uint8Array(5000),
    length: 5000,
  } as const
  output.undecodable(message, 7)
  output.undecodable({ ...message, reason: 'too-large', bytes: undefined }, 8)
  const bytes = message.length + 2 * (ITEM_BYTES + 2 * message.message.length)
  // The capacity is for the bytes of frames, a quarter of the free bytes of the queue.
  expect(queue.capacity.bytes).toBe((10_000 - bytes) / 4)
  const common = { type: 'undecodable', kind: 'undecodable', service: 'trade', ...message }
  expect(queue.shiftMany(9)).toEqual([
    { ...common, receivedAtMs: 7 },
    { ...common, reason: 'too-large', bytes: undefined, receivedAtMs: 8 },
  ])
  statistics.flush(1, 0)
  expect(reports).toMatchObject([{ name: 'onStreamBatch', report: { events: 0, undecodable: 2, bytes } }])
})

test('removes secrets from a notice for the consumer and for the observer', () => {
  const { reports, queue, output } = createOutput()
  output.notify({ type: 'notice', kind: 'duplicate-conflict', atMs: 1, eventType: 1024, id: 'a secret id' })
  const notice = queue.shift()
  expect(notice).toMatchObject({ id: 'a *** id' })
  expect(reports).toEqual([{ name: 'onStreamNotice', report: { notice } }])
})
