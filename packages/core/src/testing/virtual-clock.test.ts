import { describe, expect, test, vi } from 'vitest'
import { sleep } from '../time/clock.ts'
import { createVirtualClock } from './virtual-clock.ts'

describe('virtual time', () => {
  test('does not pass until the test advances it', async () => {
    const clock = createVirtualClock(5_000)
    await clock.settle()
    expect(clock.now()).toBe(5_000)
    await clock.advance(7)
    expect(clock.now()).toBe(5_007)
  })

  test('fires each timer at its own instant, in the order of time and then of setting', async () => {
    const clock = createVirtualClock(0)
    const seen: string[] = []
    const at = (name: string, delayMs: number): unknown =>
      clock.setTimer(() => seen.push(`${name}@${clock.now()}`), delayMs)
    at('late', 30)
    at('first', 10)
    at('second', 10)
    at('beyond', 31)
    await clock.advance(30)
    expect(seen).toEqual(['first@10', 'second@10', 'late@30'])
    expect(clock.pendingTimers).toBe(1)
  })

  test('work that a timer starts can set the next timer within the same advance()', async () => {
    const clock = createVirtualClock(0)
    const instants: number[] = []
    const ticking = (async () => {
      for (let tick = 0; tick < 3; tick += 1) {
        await sleep(clock, 10)
        instants.push(clock.now())
      }
    })()
    await clock.advance(30)
    await ticking
    expect(instants).toEqual([10, 20, 30])
  })

  test('a negative or NaN delay is due at once; an infinite one never', async () => {
    const clock = createVirtualClock(0)
    const due = vi.fn()
    const never = vi.fn()
    clock.setTimer(due, -5)
    clock.setTimer(due, Number.NaN)
    clock.setTimer(never, Number.POSITIVE_INFINITY)
    await clock.advance(0)
    expect(due).toHaveBeenCalledTimes(2)
    expect(await clock.advanceToNextTimer()).toBe(false)
    expect(never).not.toHaveBeenCalled()
  })

  test('a cancelled timer does not fire', async () => {
    const clock = createVirtualClock()
    const callback = vi.fn()
    clock.setTimer(callback, 1)()
    await clock.advance(5)
    expect(callback).not.toHaveBeenCalled()
    expect(clock.pendingTimers).toBe(0)
  })

  test('advanceToNextTimer() returns false if there is no timer', async () => {
    const clock = createVirtualClock(0)
    const callback = vi.fn()
    clock.setTimer(callback, 250)
    expect(await clock.advanceToNextTimer()).toBe(true)
    expect(clock.now()).toBe(250)
    expect(callback).toHaveBeenCalledTimes(1)
    expect(await clock.advanceToNextTimer()).toBe(false)
  })

  test('jumpTo() changes the time of day, not the timers', async () => {
    const clock = createVirtualClock(0)
    const callback = vi.fn()
    clock.setTimer(callback, 100)
    clock.jumpTo(1_000_000)
    expect(clock.now()).toBe(1_000_000)
    await clock.advance(99)
    expect(callback).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(callback).toHaveBeenCalledTimes(1)
    expect(clock.now()).toBe(1_000_100)
    clock.jumpTo(50)
    await clock.advance(1)
    expect(clock.now()).toBe(51)
  })

  test('advance() rejects with the error of a timer', async () => {
    const clock = createVirtualClock()
    clock.setTimer(() => {
      throw new Error('from the timer')
    }, 1)
    await expect(clock.advance(1)).rejects.toThrow('from the timer')
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('advance(%d) is a RangeError', async (ms) => {
    await expect(createVirtualClock().advance(ms)).rejects.toThrow(RangeError)
  })

  test('a day of five-second polls passes quickly', async () => {
    const clock = createVirtualClock(0)
    let polls = 0
    const poll = (): void => {
      polls += 1
      clock.setTimer(poll, 5_000)
    }
    poll()
    await clock.advance(86_400_000)
    expect(polls).toBe(17_281)
  })
})
