/** The rate limiter of operations in virtual time: one counter for each operation and app key. */
import type { RateLimits } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import type { OperationWait } from '../observer.ts'
import { createOperationRateLimiter } from './operation-rate-limiter.ts'

const US = { environment: 'production', region: 'us', appKey: 'key-1' }
const TWO: RateLimits = { us: { limit: 2, windowMs: 2000 } }

function setUp(more: Partial<Parameters<typeof createOperationRateLimiter>[0]> = {}) {
  const clock = createVirtualClock()
  const startMs = clock.now()
  const limiter = createOperationRateLimiter({ identity: US, clock, marginMs: 0, ...more })
  const passed: { readonly operation: string; readonly atMs: number }[] = []
  const failed: unknown[] = []
  const take = (operation: string, count: number, limits: RateLimits | undefined = TWO): void => {
    for (let index = 0; index < count; index += 1)
      limiter.acquire(operation, limits, {}).then(
        () => passed.push({ operation, atMs: clock.now() - startMs }),
        (error: unknown) => failed.push(error),
      )
  }
  return { clock, limiter, passed, failed, take }
}

describe('each operation', () => {
  test('has its own counter', async () => {
    const { clock, passed, take } = setUp()
    take('orders.get', 3)
    take('orders.open', 2)
    await clock.settle()
    expect(passed).toHaveLength(4)
    await clock.advance(2000)
    expect(passed.at(-1)).toEqual({ operation: 'orders.get', atMs: 2000 })
    expect(clock.pendingTimers).toBe(0)
  })

  test('without a published limit passes at once', async () => {
    const { clock, limiter } = setUp()
    for (let index = 0; index < 1000; index += 1) await limiter.acquire('config.get', undefined, {})
    expect(clock.pendingTimers).toBe(0)
  })

  test('has one counter in all processes that share a store', async () => {
    const store = createFailingStore()
    const clock = createVirtualClock()
    const one = createOperationRateLimiter({ identity: US, clock, store, marginMs: 0, maxWaitMs: 0 })
    const other = createOperationRateLimiter({ identity: US, clock, store, marginMs: 0, maxWaitMs: 0 })
    await one.acquire('orders.get', TWO, {})
    await other.acquire('orders.get', TWO, {})
    await expect(one.acquire('orders.get', TWO, {})).rejects.toThrow(
      expect.objectContaining({ code: 'OPERATION_RATE_LIMITED', retryable: true }),
    )
  })
})

describe('the limit', () => {
  const HK: RateLimits = { ...TWO, hk: { limit: 5, windowMs: 1000 } }
  test.each([
    { region: 'us', environment: 'production', limits: HK, expected: 2 },
    { region: 'us', environment: 'sandbox', limits: HK, expected: 30 },
    {
      region: 'us',
      environment: 'sandbox',
      limits: { ...HK, sandbox: { limit: 9, windowMs: 1000 } },
      expected: 9,
    },
    { region: 'hk', environment: 'production', limits: HK, expected: 5 },
    { region: 'hk', environment: 'sandbox', limits: HK, expected: 5 },
    { region: 'hk', environment: 'production', limits: TWO, expected: 2 },
    { region: 'jp', environment: 'production', limits: HK, expected: 2 },
  ])('of $region $environment is $expected', async ({ region, environment, limits, expected }) => {
    const { clock, passed, take } = setUp({ identity: { ...US, region, environment } })
    take('orders.get', 40, limits)
    await clock.settle()
    expect(passed).toHaveLength(expected)
  })

  test('in the option limits replaces the published one', async () => {
    const { clock, passed, take } = setUp({ limits: { 'orders.get': { limit: 7, windowMs: 1000 } } })
    take('orders.get', 40)
    await clock.settle()
    expect(passed).toHaveLength(7)
  })

  test('with several counters counts each of them', async () => {
    const { clock, passed, take } = setUp({ identity: { ...US, region: 'hk' } })
    take('orders.place', 3, { ...TWO, hk: { limit: 1, windowMs: 1000, counter: 'hk' } })
    take('orders.place', 3, { ...TWO, hk: { limit: 2, windowMs: 1000, counter: 'us' } })
    await clock.settle()
    expect(passed).toHaveLength(3)
  })
})

describe('the window', () => {
  test('follows the limit of the request, not that of the first one', async () => {
    const { clock, passed, take } = setUp()
    take('orders.get', 1, { us: { limit: 1, windowMs: 1000 } })
    take('orders.get', 9, { us: { limit: 5, windowMs: 1000 } })
    await clock.settle()
    expect(passed).toHaveLength(6)
  })

  test('of a limit in the option limits keeps the counters of the operation', async () => {
    const { clock, passed, take } = setUp({ limits: { 'orders.place': { limit: 2, windowMs: 1000 } } })
    take('orders.place', 3, { us: { limit: 1, windowMs: 1000, counter: 'one' } })
    take('orders.place', 3, { us: { limit: 1, windowMs: 1000, counter: 'other' } })
    await clock.settle()
    expect(passed).toHaveLength(4)
  })
})

describe('a request that has to wait', () => {
  test('is reported once with the shortest possible wait', async () => {
    const waits: OperationWait[] = []
    const { clock, take } = setUp({
      observer: { onOperationWait: (wait) => waits.push(wait) },
      clientId: 'main',
    })
    take('orders.get', 3)
    await clock.advance(500)
    expect(waits).toEqual([{ clientId: 'main', operation: 'orders.get', ahead: 0, atLeastMs: 2000 }])
  })

  test('longer than maxWaitMs fails, and the error names the limit and the wait', async () => {
    const { clock, failed, take } = setUp({ maxWaitMs: 1000 })
    take('orders.get', 3)
    await clock.settle()
    expect(failed).toMatchObject([
      {
        code: 'OPERATION_RATE_LIMITED',
        details: { operation: 'orders.get', retryAfterMs: 2000 },
        message: expect.stringContaining('2 requests in 2 s for each app key'),
      },
    ])
  })
})

describe('a 429', () => {
  test('pauses its operation alone, for the time that the service asks for', async () => {
    const { clock, limiter, passed, take } = setUp()
    limiter.backOff('orders.get', TWO, 5000)
    take('orders.get', 1)
    take('orders.open', 1)
    await clock.advance(4999)
    expect(passed.map(({ operation }) => operation)).toEqual(['orders.open'])
    await clock.advance(1)
    expect(passed).toHaveLength(2)
  })

  test('without Retry-After pauses it for one window', async () => {
    const { clock, limiter, passed, take } = setUp()
    limiter.backOff('orders.get', TWO, undefined)
    take('orders.get', 1)
    await clock.advance(1999)
    expect(passed).toHaveLength(0)
    await clock.advance(1)
    expect(passed).toHaveLength(1)
  })
})
