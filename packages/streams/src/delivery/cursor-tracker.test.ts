import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { selectModules } from '../module-selection.ts'
import { CursorTracker, type TypeCursor } from './cursor-tracker.ts'
import { ItemQueue } from './item-queue.ts'
import { ProgressStore } from './progress-store.ts'

function createTracker(ack: 'auto' | 'manual', maxUnacked = 2) {
  const records = new ProgressStore({
    store: undefined,
    clock: createVirtualClock(),
    keys: undefined,
    from: 'cursor',
    handledUntil: () => undefined,
    onRetry: () => {},
    onConflict: () => {},
  })
  const queue = new ItemQueue<never>({ maxItems: 100, maxBytes: 10_000 })
  const selection = selectModules(['A', 'B'].map((eventType) => ({ eventType, bizTypes: undefined })))
  const tracker = new CursorTracker({ selection, records, ack, maxUnacked, queue })
  return {
    queue,
    tracker,
    a: tracker.types.get('A') as TypeCursor,
    b: tracker.types.get('B') as TypeCursor,
  }
}

test('snapshot() returns the last position received of each event type, until reset()', () => {
  const { tracker, a } = createTracker('auto')
  expect(tracker.snapshot()).toEqual(new Map())
  a.received = 'p1'
  expect(tracker.snapshot()).toEqual(new Map([['A', 'p1']]))
  tracker.reset()
  expect(tracker.snapshot()).toEqual(new Map())
})

test("with 'manual', stops reading at the limit of all event types together, and resumes after an ack", () => {
  const { queue, tracker, a, b } = createTracker('manual')
  const first = tracker.add(a, 'id-1', 'p1')
  expect(tracker.limitReads()).toBe(false)
  expect(queue.full).toBe(false)
  tracker.add(b, 'id-2', 'p2')
  expect(tracker.limitReads()).toBe(true)
  expect(tracker.unacked).toBe(2)
  expect(queue.full).toBe(true)
  first.receiver.ack(first.number, first.id, first.position)
  expect(tracker.unacked).toBe(1)
  expect(queue.full).toBe(false)
})

test("with 'auto', only the queue limits reading", () => {
  const { queue, tracker, a } = createTracker('auto', 1)
  tracker.add(a, 'id-1', 'p1')
  expect(tracker.limitReads()).toBe(false)
  expect(queue.full).toBe(false)
})
