import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { selectModules } from '../module-selection.ts'
import { CursorStore } from './cursor-store.ts'
import { ItemQueue } from './item-queue.ts'
import { PositionTracker, type TypePosition } from './position-tracker.ts'

function createTracker(ack: 'auto' | 'manual', maxUnacked = 2) {
  const cursors = new CursorStore({
    store: undefined,
    clock: createVirtualClock(),
    keys: undefined,
    from: 'cursor',
    complete: () => undefined,
    onRetry: () => {},
    onConflict: () => {},
  })
  const queue = new ItemQueue<never>({ maxItems: 100, maxBytes: 10_000 })
  const selection = selectModules(['A', 'B'].map((eventType) => ({ eventType, bizTypes: undefined })))
  const tracker = new PositionTracker({ selection, cursors, ack, maxUnacked, queue })
  return {
    queue,
    tracker,
    a: tracker.types.get('A') as TypePosition,
    b: tracker.types.get('B') as TypePosition,
  }
}

test('the snapshot has the last position received of each event type, until it is reset', () => {
  const { tracker, a } = createTracker('auto')
  expect(tracker.snapshot()).toEqual(new Map())
  a.received = 'p1'
  expect(tracker.snapshot()).toEqual(new Map([['A', 'p1']]))
  tracker.reset()
  expect(tracker.snapshot()).toEqual(new Map())
})

test("with 'manual' reading stops at the limit of all event types together, and goes on after an ack", () => {
  const { queue, tracker, a, b } = createTracker('manual')
  const first = tracker.receive(a, 'id-1', 'p1')
  expect([tracker.limitReads(), queue.full]).toEqual([false, false])
  tracker.receive(b, 'id-2', 'p2')
  expect([tracker.limitReads(), tracker.unacked, queue.full]).toEqual([true, 2, true])
  first.receiver.ack(first.number, first.id, first.position)
  expect([tracker.unacked, queue.full]).toEqual([1, false])
})

test("with 'auto' only the queue limits reading", () => {
  const { queue, tracker, a } = createTracker('auto', 1)
  tracker.receive(a, 'id-1', 'p1')
  expect([tracker.limitReads(), queue.full]).toEqual([false, false])
})
