import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TokenWait } from '../observer.ts'
import { isTokensError } from '../tokens-error.ts'
import type { TokenCall } from '../types.ts'
import { createTokenRateLimiter } from './rate-limiter.ts'

describe('the window', () => {
  test('ten calls pass at once, the eleventh after 30 seconds and the margin', async () => {
    const clock = createVirtualClock()
    const startMs = clock.now()
    const limiter = createTokenRateLimiter({ clock })
    const passedMs: number[] = []
    for (let index = 0; index < 11; index += 1)
      limiter.acquire('create').then(() => passedMs.push(clock.now() - startMs))
    await clock.advance(30_249)
    expect(passedMs).toHaveLength(10)
    expect(limiter.waiting).toBe(1)
    await clock.advance(1)
    expect(passedMs.at(-1)).toBe(30_250)
    expect(limiter.waiting).toBe(0)
    expect(clock.pendingTimers).toBe(0)
  })

  test('checks pass before creates, and equal calls in the order of arrival', async () => {
    const clock = createVirtualClock()
    const limiter = createTokenRateLimiter({ clock, limit: 1, windowMs: 1000, marginMs: 0 })
    const order: string[] = []
    await limiter.acquire('create')
    const calls: TokenCall[] = ['create', 'check', 'config']
    for (const call of calls) limiter.acquire(call).then(() => order.push(call))
    await clock.advance(10_000)
    expect(order).toEqual(['check', 'config', 'create'])
  })

  test('600 creates and 600 refreshes of client tokens pass in a minute, and access-token calls do not wait for them', async () => {
    const clock = createVirtualClock()
    const startMs = clock.now()
    const limiter = createTokenRateLimiter({ clock })
    const passedMs: number[] = []
    const take = (call: TokenCall, count: number): void => {
      for (let index = 0; index < count; index += 1)
        limiter.acquire(call).then(() => passedMs.push(clock.now() - startMs))
    }
    take('client-create', 600)
    take('client-refresh', 600)
    take('check', 10)
    await clock.settle()
    expect(passedMs).toHaveLength(1210)
    take('client-create', 1)
    await clock.advance(60_249)
    expect(passedMs).toHaveLength(1210)
    await clock.advance(1)
    expect(passedMs.at(-1)).toBe(60_250)
    expect(clock.pendingTimers).toBe(0)
  })

  test('a call that would wait longer than maxWaitMs for earlier calls fails, and the error names the limit and the wait', async () => {
    const clock = createVirtualClock()
    const limiter = createTokenRateLimiter({ clock })
    const found: unknown[] = []
    for (let index = 0; index < 21; index += 1)
      limiter.acquire('create').catch((error: unknown) => found.push(error))
    await clock.settle()
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      code: 'TOKEN_RATE_LIMITED',
      details: { call: 'create', retryAfterMs: 60_500 },
      message:
        'the rate limiter (10 calls in 30 s for each app key) lets this create call pass in 1 min, which is longer than maxWaitMs (1 min)',
    })
  })

  test('a Retry-After of one endpoint delays no other endpoint', async () => {
    const limiter = createTokenRateLimiter({ clock: createVirtualClock() })
    limiter.backOff(30_000, 'client-create')
    await limiter.acquire('check')
    await limiter.acquire('client-refresh')
    limiter.acquire('client-create').catch(() => {})
    await Promise.resolve()
    expect(limiter.waiting).toBe(1)
  })

  test('with scope endpoint each endpoint has its own window', async () => {
    const limiter = createTokenRateLimiter({ clock: createVirtualClock(), limit: 1, scope: 'endpoint' })
    await limiter.acquire('create')
    await limiter.acquire('check')
    expect(limiter.waiting).toBe(0)
  })

  test('a Retry-After delays all calls of the window', async () => {
    const clock = createVirtualClock()
    const limiter = createTokenRateLimiter({ clock })
    limiter.backOff(7000)
    limiter.backOff(Number.NaN)
    let passed = false
    limiter.acquire('check').then(() => {
      passed = true
    })
    await clock.advance(6999)
    expect(passed).toBe(false)
    await clock.advance(1)
    expect(passed).toBe(true)
  })

  test('a clock that is set back makes no wait longer than the window', async () => {
    const clock = createVirtualClock()
    const limiter = createTokenRateLimiter({ clock, limit: 1, windowMs: 1000, marginMs: 0 })
    await limiter.acquire('check')
    limiter.backOff(2000)
    clock.jumpTo(clock.now() - 3_600_000)
    let passed = false
    limiter.acquire('check').then(() => {
      passed = true
    })
    await clock.advance(2000)
    expect(passed).toBe(true)
  })
})

describe('waits', () => {
  test('they are reported, and an error of the observer does not end them', async () => {
    const clock = createVirtualClock()
    const waits: TokenWait[] = []
    const onTokenWait = (wait: TokenWait): void => {
      waits.push(wait)
      throw new Error('observer')
    }
    const limiter = createTokenRateLimiter({
      clock,
      limit: 1,
      windowMs: 1000,
      marginMs: 0,
      observer: { onTokenWait },
    })
    await limiter.acquire('create')
    await clock.advance(400)
    const both = [limiter.acquire('create'), limiter.acquire('create')]
    await clock.settle()
    expect(waits).toMatchObject([
      { call: 'create', ahead: 0, atLeastMs: 600 },
      { call: 'create', ahead: 1, atLeastMs: 1600 },
    ])
    await clock.advance(5000)
    await Promise.all(both)
  })

  test('a back-off longer than maxWaitMs ends calls that already wait', async () => {
    const clock = createVirtualClock()
    const waits: TokenWait[] = []
    const limiter = createTokenRateLimiter({
      clock,
      limit: 2,
      observer: { onTokenWait: (wait) => waits.push(wait) },
    })
    await limiter.acquire('check')
    await limiter.acquire('check')
    const waiting = ['check', 'create'].map((call) =>
      limiter.acquire(call as TokenCall).catch((error: unknown) => error),
    )
    await clock.advance(1000)
    limiter.backOff(3_600_000)
    for (const error of await Promise.all(waiting)) {
      expect(isTokensError(error, 'TOKEN_RATE_LIMITED') && error.details.retryAfterMs).toBe(3_600_000)
    }
    expect(limiter.waiting).toBe(0)
    expect(clock.pendingTimers).toBe(0)
    expect(waits).toHaveLength(2)
  })

  test('a call waits for the end of a back-off within maxWaitMs, which is reported once', async () => {
    const clock = createVirtualClock()
    const waits: TokenWait[] = []
    const limiter = createTokenRateLimiter({
      clock,
      limit: 1,
      observer: { onTokenWait: (wait) => waits.push(wait) },
    })
    await limiter.acquire('check')
    const waiting = limiter.acquire('check')
    await clock.advance(1000)
    limiter.backOff(45_000)
    await clock.advance(44_999)
    expect(limiter.waiting).toBe(1)
    expect(waits).toHaveLength(1)
    await clock.advance(1)
    await waiting
    expect(clock.pendingTimers).toBe(0)
  })

  test('acquire() rejects for a wrong argument and does not throw', async () => {
    const limiter = createTokenRateLimiter({ clock: createVirtualClock() })
    for (const wait of [limiter.acquire('odd' as never), limiter.acquire('check', { signal: 1 as never })])
      await expect(wait).rejects.toMatchObject({ code: 'TOKEN_OPTION_INVALID' })
  })

  test('during a back-off the error names the limit if the limit is the longer wait', async () => {
    const clock = createVirtualClock()
    const limiter = createTokenRateLimiter({ clock, limit: 1, maxWaitMs: 10_000 })
    await limiter.acquire('check')
    limiter.backOff(5000)
    await expect(limiter.acquire('check')).rejects.toThrow('the rate limiter (1 calls in 30 s')
    limiter.backOff(60_000)
    await expect(limiter.acquire('check')).rejects.toThrow('the service returned 429')
  })

  test('they end with the reason of the signal and free their slot', async () => {
    const clock = createVirtualClock()
    const limiter = createTokenRateLimiter({ clock, limit: 1, windowMs: 1000 })
    await limiter.acquire('create')
    const controller = new AbortController()
    const waiting = limiter.acquire('check', { signal: controller.signal }).catch((error: unknown) => error)
    controller.abort(new Error('enough'))
    expect(await waiting).toHaveProperty('message', 'enough')
    expect(limiter.waiting).toBe(0)
    expect(clock.pendingTimers).toBe(0)
    await expect(limiter.acquire('check', { signal: controller.signal })).rejects.toThrow('enough')
  })
})

test('no sequence of calls, aborts and pauses lets more than ten through in 30 seconds', async () => {
  const step = fc.oneof(
    fc.record({
      type: fc.constant('call' as const),
      call: fc.constantFrom<TokenCall>('check', 'create', 'config'),
      abort: fc.boolean(),
    }),
    fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
    fc.record({ type: fc.constant('back-off' as const), ms: fc.integer({ min: 0, max: 5000 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = createVirtualClock()
      const limiter = createTokenRateLimiter({ clock, maxWaitMs: 3_600_000 })
      const passed: number[] = []
      let wanted = 0
      for (const item of steps) {
        if (item.type === 'pass') await clock.advance(item.ms)
        else if (item.type === 'back-off') limiter.backOff(item.ms)
        else {
          const controller = new AbortController()
          limiter.acquire(item.call, { signal: controller.signal }).then(
            () => passed.push(clock.now()),
            () => {},
          )
          if (item.abort) controller.abort()
          else wanted += 1
        }
      }
      await clock.advance(3_600_000)
      expect(limiter.waiting).toBe(0)
      expect(passed.length).toBeGreaterThanOrEqual(wanted)
      for (const [index, atMs] of passed.entries()) {
        const tenth = passed[index + 10]
        if (tenth !== undefined) expect(tenth - atMs).toBeGreaterThanOrEqual(30_000)
      }
    }),
    { numRuns: 40 },
  )
})

test.each([
  ['limit', { limit: 0 }],
  ['windowMs', { windowMs: 1.5 }],
  ['clientLimit', { clientLimit: 0 }],
  ['clientWindowMs', { clientWindowMs: 86_400_001 }],
  ['marginMs', { marginMs: -1 }],
  ['scope', { scope: 'world' as never }],
])('option %s is checked', (option, options) => {
  let error: unknown
  try {
    createTokenRateLimiter(options)
  } catch (caught) {
    error = caught
  }
  expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.details.option).toBe(option)
})

describe.each([
  ['of one process', false],
  ['of all processes that share a store', true],
])('a Retry-After for the window %s', (_, shared) => {
  const setUp = (more: { readonly maxWaitMs?: number } = {}) => {
    const clock = createVirtualClock()
    const sharedOptions = shared
      ? {
          store: createFailingStore(),
          identity: { environment: 'e', region: 'r', appKey: 'k', baseUrl: 'https://api.test' },
        }
      : {}
    return { clock, limiter: createTokenRateLimiter({ clock, ...sharedOptions, ...more }) }
  }

  test('a wait of more than a minute fails with TOKEN_RATE_LIMITED, which states the wait', async () => {
    const { clock, limiter } = setUp()
    limiter.backOff(120_000)
    await clock.settle()
    const error = await limiter.acquire('create').catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'TOKEN_RATE_LIMITED',
      details: { call: 'create', retryAfterMs: 120_000 },
      retryable: true,
    })
    expect(limiter.waiting).toBe(0)
    await clock.advance(60_000)
    const passed = limiter.acquire('create')
    await clock.advance(60_000)
    await passed
    expect(clock.pendingTimers).toBe(0)
  })

  test('a shorter wait that is requested later does not end it', async () => {
    const { clock, limiter } = setUp()
    limiter.backOff(60_000)
    await clock.advance(1000)
    limiter.backOff(1000)
    await clock.settle()
    let passed = false
    const waiting = limiter.acquire('check').then(() => {
      passed = true
    })
    await clock.advance(58_999)
    expect(passed).toBe(false)
    await clock.advance(1)
    await waiting
  })

  test('it is kept for an hour at most', async () => {
    const { clock, limiter } = setUp()
    limiter.backOff(Number.MAX_SAFE_INTEGER)
    await clock.settle()
    const error = await limiter.acquire('check').catch((caught: unknown) => caught)
    expect(isTokensError(error, 'TOKEN_RATE_LIMITED') && error.details.retryAfterMs).toBe(3_600_000)
    await clock.advance(3_600_000)
    await limiter.acquire('check')
  })

  test('the longest wait is an option', async () => {
    const { clock, limiter } = setUp({ maxWaitMs: 0 })
    limiter.backOff(1)
    await clock.settle()
    expect(
      isTokensError(await limiter.acquire('check').catch((error: unknown) => error), 'TOKEN_RATE_LIMITED'),
    ).toBe(true)
  })
})
