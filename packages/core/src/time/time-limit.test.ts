import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { AbortSignalLike } from '../structural.ts'
import { abortable } from './abort.ts'
import { limitedAbort, withTimeout, withTimeoutOrUndefined } from './time-limit.ts'

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

describe('work within a limit', () => {
  const never = () => new Promise<never>(() => {})
  const notLate = (): void => expect.fail('it is not late')

  test('gives what the work gives, or throws what it throws, and leaves no timer and no listener', async () => {
    const clock = createVirtualClock()
    const parent = new AbortController()
    const work = async (): Promise<string> => 'done'
    expect(await withTimeout(clock, 1000, parent.signal, work, notLate)).toBe('done')
    const broken = Promise.reject(new Error('broken'))
    await expect(withTimeout(clock, 1000, parent.signal, () => broken, notLate)).rejects.toThrow('broken')
    expect(clock.pendingTimers).toBe(0)
    parent.abort('too late')
  })

  test('ends when the time is over, whatever the work waits for, and tells it', async () => {
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

  test('an abort is not lateness, keeps its reason, and what the work throws later is swallowed', async () => {
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
  test('gives nothing where the time is over, and is told to stop', async () => {
    const clock = createVirtualClock()
    let told: AbortSignalLike | undefined
    const waiting = withTimeoutOrUndefined(clock, 1000, undefined, (signal) => {
      told = signal
      return abortable(new Promise<string>(() => {}), signal)
    })
    await clock.advance(1000)
    expect([await waiting, told?.aborted, clock.pendingTimers]).toEqual([undefined, true, 0])
  })

  test('throws the reason of a signal that aborts first, and what the work throws in time', async () => {
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
