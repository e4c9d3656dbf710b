import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { limitedAbort } from './time-limit.ts'

test('it aborts when the time is over, with a TimeoutError', async () => {
  const clock = createVirtualClock()
  const { controller, isLate } = limitedAbort(clock, 1000)
  await clock.advance(999)
  expect([controller.signal.aborted, isLate()]).toEqual([false, false])
  await clock.advance(1)
  expect([controller.signal.aborted, isLate()]).toEqual([true, true])
  expect(controller.signal.reason).toHaveProperty('name', 'TimeoutError')
})

test('a parent that aborts first is not lateness, and keeps its reason', async () => {
  const clock = createVirtualClock()
  const parent = new AbortController()
  const { controller, isLate } = limitedAbort(clock, 1000, undefined, parent.signal)
  parent.abort('enough')
  await clock.advance(1000)
  expect([controller.signal.reason, isLate()]).toEqual(['enough', false])
})

test('released: no timer is left, and the parent is not listened to', () => {
  const clock = createVirtualClock()
  const parent = new AbortController()
  const { controller, release } = limitedAbort(clock, 1000, parent.signal)
  release()
  parent.abort('enough')
  expect(clock.pendingTimers).toBe(0)
  expect(controller.signal.aborted).toBe(false)
})
