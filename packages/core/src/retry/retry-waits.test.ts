import { expect, test } from 'vitest'
import { type BoundedRetry, boundedRetryAfterMs, nextRetry, rejectionWaitMs } from './retry-waits.ts'

/** All attempts after a failure that does not end. */
function retries(random: number): BoundedRetry[] {
  const found: BoundedRetry[] = []
  for (let next = nextRetry(0, random); next !== undefined; next = nextRetry(found.length, random))
    found.push(next)
  return found
}

test('an unknown failure is final after five attempts in about five minutes, with waits that grow', () => {
  expect(retries(0.5)).toEqual([
    { delayMs: 5000, retriesLeft: 4 },
    { delayMs: 15_000, retriesLeft: 3 },
    { delayMs: 40_000, retriesLeft: 2 },
    { delayMs: 90_000, retriesLeft: 1 },
    { delayMs: 150_000, retriesLeft: 0 },
  ])
  for (const random of [0, 1 - Number.EPSILON]) {
    const totalMs = retries(random).reduce((sum, { delayMs }) => sum + delayMs, 0)
    expect(Math.abs(totalMs - 300_000)).toBeLessThanOrEqual(60_000)
  }
})

test('the service may ask for a longer wait of at most five minutes, and not for a shorter one', () => {
  expect(nextRetry(0, 0.5, 60_000)?.delayMs).toBe(60_000)
  expect(nextRetry(0, 0.5, 86_400_000)?.delayMs).toBe(300_000)
  expect(nextRetry(4, 0.5, 1000)?.delayMs).toBe(150_000)
  expect([-1, 0, 7000, Number.MAX_SAFE_INTEGER].map(boundedRetryAfterMs)).toEqual([0, 0, 7000, 300_000])
})

test('waits after refusals double up to five minutes', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 1000].map(rejectionWaitMs)).toEqual([
    5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
  ])
})
