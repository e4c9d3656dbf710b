import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { AbortSignalLike } from '../structural.ts'
import { abortable } from './abort.ts'
import { createTimeoutController, withTimeout, withTimeoutOrUndefined } from './time-limit.ts'

test('the signal aborts with a TimeoutError when the time is over', async () => {
  const clock = createVirtualClock()
  const { controller, isLate } = createTimeoutController(clock, 1000)
  await clock.advance(999)
  expect([controller.signal.aborted, isLate()]).toEqual([false, false])
  await clock.advance(1)
  expect([controller.signal.aborted, isLate()]).toEqual([true, true])
  expect(controller.signal.reason).toHaveProperty('name', 'TimeoutError')
})

test('a parent that aborts first is not a timeout, and its reason is kept', async () => {
  const clock = createVirtualClock()
  const parent = new AbortController()
  const { controller, isLate } = createTimeoutController(clock, 1000, undefined, parent.signal)
  parent.abort('enough')
  await clock.advance(1000)
  expect([controller.signal.reason, isLate()]).toEqual(['enough', false])
})

test('release() clears the timer and removes the listener from the parent', () => {
  const clock = createVirtualClock()
  const parent = new AbortController()
  const { controller, release } = createTimeoutController(clock, 1000, parent.signal)
  release()
  parent.abort('enough')
  expect(clock.pendingTimers).toBe(0)
  expect(controller.signal.aborted).toBe(false)
})

describe('work within a limit', () => {
  const never = () => new Promise<never>(() => {})
  const notLate = (): void => expect.fail('it is not late')

  test('returns the result or throws the error of the work, and leaves no timer and no listener', async () => {
    const clock = createVirtualClock()
    const parent = new AbortController()
    const work = async (): Promise<string> => 'done'
    expect(await withTimeout(clock, 1000, parent.signal, work, notLate)).toBe('done')
    const broken = Promise.reject(new Error('broken'))
    await expect(withTimeout(clock, 1000, parent.signal, () => broken, notLate)).rejects.toThrow('broken')
    expect(clock.pendingTimers).toBe(0)
    parent.abort('too late')
  })

  test('ends when the time is over even if the work does not, and aborts the signal of the work', async () => {
    const clock = createVirtualClock()
    let told: AbortSignalLike | undefined
    let late = 0
    const waiting = withTimeout(
      clock,
      1000,
      undefined,
      (signal) => {
        told = signal
        return never()
      },
      () => {
        late += 1
      },
    )
    const ended = expect(waiting).rejects.toHaveProperty('name', 'TimeoutError')
    await clock.advance(999)
    expect([told?.aborted, late]).toEqual([false, 0])
    await clock.advance(1)
    await ended
    expect([told?.aborted, late]).toEqual([true, 1])
  })

  test('an abort is not a timeout, keeps its reason, and a later error of the work is ignored', async () => {
    const clock = createVirtualClock()
    const parent = new AbortController()
    let breakDown: (error: Error) => void = () => {}
    const late = new Promise<never>((_, reject) => {
      breakDown = reject
    })
    const waiting = withTimeout(clock, 1000, parent.signal, () => late, notLate)
    parent.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    expect(clock.pendingTimers).toBe(0)
    breakDown(new Error('late'))
    await new Promise((resolve) => setTimeout(resolve, 0))
  })
})

describe('work that may take too long', () => {
  test('returns undefined after a timeout, and its signal aborts', async () => {
    const clock = createVirtualClock()
    let told: AbortSignalLike | undefined
    const waiting = withTimeoutOrUndefined(clock, 1000, undefined, (signal) => {
      told = signal
      return abortable(new Promise<string>(() => {}), signal)
    })
    await clock.advance(1000)
    expect([await waiting, told?.aborted, clock.pendingTimers]).toEqual([undefined, true, 0])
  })

  test('throws the reason of a signal that aborts first, and errors of the work within the limit', async () => {
    const clock = createVirtualClock()
    const parent = new AbortController()
    const waiting = withTimeoutOrUndefined(clock, 1000, parent.signal, (signal) =>
      abortable(new Promise<string>(() => {}), signal),
    )
    parent.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    const broken = (): Promise<string> => Promise.reject(new Error('broken'))
    await expect(withTimeoutOrUndefined(clock, 1000, undefined, broken)).rejects.toThrow('broken')
    expect(clock.pendingTimers).toBe(0)
  })
})
