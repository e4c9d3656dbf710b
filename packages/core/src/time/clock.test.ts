import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createVirtualClock } from '../testing/virtual-clock.ts'
import { sleep, systemClock, timerDelay } from './clock.ts'

const LONGEST_HOST_DELAY_MS = 2 ** 31 - 1

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test("returns the host's time", () => {
    expect(systemClock.now()).toBe(1_000)
  })

  test('calls back once, after the delay and not before', () => {
    const callback = vi.fn()
    systemClock.setTimer(callback, 50)
    vi.advanceTimersByTime(49)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1000)
    expect(callback).toHaveBeenCalledTimes(1)
  })

  test('a cancelled timer does not fire; cancelling it again or late has no effect', () => {
    const callback = vi.fn()
    const cancel = systemClock.setTimer(callback, 50)
    cancel()
    cancel()
    vi.advanceTimersByTime(100)
    expect(callback).not.toHaveBeenCalled()
  })

  test('a delay that the host does not support does not fire at once', () => {
    const callback = vi.fn()
    systemClock.setTimer(callback, LONGEST_HOST_DELAY_MS + 10)
    vi.advanceTimersByTime(LONGEST_HOST_DELAY_MS + 9)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledTimes(1)
  })

  test('a long delay can be cancelled in its second part', () => {
    const callback = vi.fn()
    const cancel = systemClock.setTimer(callback, LONGEST_HOST_DELAY_MS + 10)
    vi.advanceTimersByTime(LONGEST_HOST_DELAY_MS + 5)
    cancel()
    vi.advanceTimersByTime(100)
    expect(callback).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('an infinite delay never fires', () => {
    const callback = vi.fn()
    systemClock.setTimer(callback, Number.POSITIVE_INFINITY)
    vi.advanceTimersByTime(3 * LONGEST_HOST_DELAY_MS)
    expect(callback).not.toHaveBeenCalled()
  })
})

test.each([
  [5, 5],
  [0, 0],
  [-1, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('a delay of %d is kept as %d', (given, kept) => {
  expect(timerDelay(given)).toBe(kept)
})

describe('sleep', () => {
  test('ends after the delay', async () => {
    const clock = createVirtualClock()
    const done = vi.fn()
    sleep(clock, 100).then(done)
    await clock.advance(99)
    expect(done).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(done).toHaveBeenCalledTimes(1)
  })

  test('rejects with the reason of an abort, and clears the timer', async () => {
    const clock = createVirtualClock()
    const controller = new AbortController()
    const sleeping = sleep(clock, 100, controller.signal)
    expect(clock.pendingTimers).toBe(1)
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    expect(clock.pendingTimers).toBe(0)
  })

  test('sets no timer if the signal has aborted', async () => {
    const clock = createVirtualClock()
    await expect(sleep(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    expect(clock.pendingTimers).toBe(0)
  })

  test('an abort after the end has no effect', async () => {
    const clock = createVirtualClock()
    const controller = new AbortController()
    const sleeping = sleep(clock, 1, controller.signal)
    await clock.advance(1)
    controller.abort()
    expect(await sleeping).toBeUndefined()
  })
})
