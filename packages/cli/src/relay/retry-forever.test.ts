import { createVirtualClock } from '@brokerwire/core/testing'
import { expect, test } from 'vitest'
import { type RetryOptions, retryForever } from './retry-forever.ts'

function setUp(more: Partial<RetryOptions> = {}) {
  const clock = createVirtualClock()
  const stop = new AbortController()
  const reportsMs: number[] = []
  let isAvailable = false
  let attempts = 0
  const attempt = async (): Promise<string> => {
    attempts += 1
    if (isAvailable) return 'result'
    throw new Error('unavailable')
  }
  const options: RetryOptions = {
    clock,
    signal: stop.signal,
    throwIfPermanent: () => {},
    onFailure: (_, waitedMs) => reportsMs.push(waitedMs),
    ...more,
  }
  const result = retryForever(attempt, options)
  result.catch(() => {})
  const recover = (): void => {
    isAvailable = true
  }
  return { clock, stop, reportsMs, result, recover, attempts: () => attempts }
}

test('reports a failure once a minute, and returns the result when the operation succeeds', async () => {
  const { clock, reportsMs, result, recover, attempts } = setUp()
  for (let second = 0; second < 3 * 60 + 10; second += 1) await clock.advance(1000)
  expect(reportsMs).toHaveLength(4)
  expect(reportsMs[0]).toBe(0)
  for (const [at, waitedMs] of reportsMs.entries()) {
    expect(waitedMs).toBeGreaterThanOrEqual(at * 60_000)
    expect(waitedMs).toBeLessThan(at * 60_000 + 6000 * at + 1)
  }
  expect(attempts()).toBeGreaterThan(36)
  recover()
  await clock.advance(5000)
  expect(await result).toBe('result')
  expect(clock.pendingTimers).toBe(0)
})

test('ends the retries with a permanent error', async () => {
  const { result } = setUp({
    throwIfPermanent: () => {
      throw new Error('rejected credentials')
    },
  })
  await expect(result).rejects.toThrow('rejected credentials')
})

test('ends the retries with the reason of the signal, and leaves no timer', async () => {
  const { clock, stop, result } = setUp()
  await clock.advance(1000)
  stop.abort(new Error('stop'))
  await expect(result).rejects.toThrow('stop')
  expect(clock.pendingTimers).toBe(0)
})
