/** The rate limiter that processes share: several limiters on one store, each with a separate clock. */
import type { Clock } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TokenWait } from '../observer.ts'
import { isTokensError } from '../tokens-error.ts'
import { createTokenRateLimiter, type TokenRateLimiterOptions } from './rate-limiter.ts'

const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
const RECORD = 'rate-limit/production/us/app-1/https%3A%2F%2Fapi.test/app-key'

function setUp() {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const open = (more: TokenRateLimiterOptions = {}) =>
    createTokenRateLimiter({ store, identity, clock, ...more })
  return { clock, store, open, startMs: clock.now() }
}

/** The clock of a host that is ahead of the others. */
const ahead = (clock: Clock, ms: number): Clock => ({ ...clock, now: () => clock.now() + ms })

describe('one window for all', () => {
  test('ten calls of three processes pass at once, the eleventh after 30 seconds and the margin', async () => {
    const { clock, open, startMs } = setUp()
    const processes = [open(), open(), open()]
    const passedMs: number[] = []
    for (let index = 0; index < 11; index += 1)
      processes[index % 3]?.acquire('check').then(() => passedMs.push(clock.now() - startMs))
    await clock.advance(30_249)
    expect(passedMs).toHaveLength(10)
    await clock.advance(1)
    expect(passedMs.at(-1)).toBe(30_250)
    expect(clock.pendingTimers).toBe(0)
  })

  test('calls of a process that has ended still count', async () => {
    const { clock, open } = setUp()
    const first = open()
    for (let index = 0; index < 10; index += 1) await first.acquire('create')
    const waits: TokenWait[] = []
    const passed = open({ observer: { onTokenWait: (wait) => waits.push(wait) } }).acquire('check')
    await clock.advance(10_000)
    expect(waits).toMatchObject([{ call: 'check', ahead: 0, atLeastMs: 30_250 }])
    await clock.advance(20_250)
    await passed
  })

  test('calls of other app keys, and of other endpoints per endpoint, do not count', async () => {
    const { open, store } = setUp()
    for (const other of [
      { ...identity, environment: 'sandbox' },
      { ...identity, region: 'hk' },
      { ...identity, appKey: 'app-2' },
    ])
      await open({ limit: 1, identity: other }).acquire('check')
    const perEndpoint = { limit: 1, scope: 'endpoint' } as const
    await open(perEndpoint).acquire('check')
    await open(perEndpoint).acquire('create')
    await open({ limit: 1 }).acquire('check')
    expect(store.entries.size).toBe(6)
  })

  test('a Retry-After delays all processes', async () => {
    const { clock, open, startMs } = setUp()
    const [first, second] = [open(), open()]
    first.backOff(7000)
    await clock.settle()
    const passed = second.acquire('check').then(() => clock.now() - startMs)
    await clock.advance(60_000)
    expect(await passed).toBe(7000)
  })

  test('a Retry-After delays its own process if the store fails', async () => {
    const { clock, open, store, startMs } = setUp()
    const limiter = open()
    store.failures.push('get')
    limiter.backOff(7000)
    await clock.settle()
    const passed = limiter.acquire('check').then(() => clock.now() - startMs)
    await clock.advance(60_000)
    expect(await passed).toBe(7000)
  })
})

describe('waits', () => {
  test('checks pass before creates within a process', async () => {
    const { clock, open } = setUp()
    const limiter = open({ limit: 1, windowMs: 1000, marginMs: 0 })
    const order: string[] = []
    await limiter.acquire('create')
    for (const call of ['create', 'check', 'config'] as const)
      limiter.acquire(call).then(() => order.push(call))
    await clock.advance(10_000)
    expect(order).toEqual(['check', 'config', 'create'])
  })

  test('they are reported from the first read of the store on', async () => {
    const { clock, open } = setUp()
    const waits: TokenWait[] = []
    const onTokenWait = (wait: TokenWait): void => {
      waits.push(wait)
      throw new Error('observer')
    }
    const limiter = open({ limit: 1, windowMs: 1000, marginMs: 0, observer: { onTokenWait } })
    await limiter.acquire('create')
    await clock.advance(400)
    const first = limiter.acquire('create')
    await clock.settle()
    await clock.advance(100)
    const second = limiter.acquire('create')
    expect(limiter.waiting).toBe(2)
    expect(waits).toMatchObject([
      { call: 'create', ahead: 0, atLeastMs: 600 },
      { call: 'create', ahead: 1, atLeastMs: 1500 },
    ])
    await clock.advance(5000)
    await Promise.all([first, second])
  })

  test('aborted calls free their slots', async () => {
    const { clock, open } = setUp()
    const limiter = open()
    for (let round = 0; round < 3; round += 1) {
      const controller = new AbortController()
      const waits = Array.from({ length: 10 }, () =>
        limiter.acquire('check', { signal: controller.signal }).catch((reason: unknown) => reason),
      )
      controller.abort('enough')
      expect(new Set(await Promise.all(waits))).toEqual(new Set(['enough']))
      await clock.settle()
    }
    for (let call = 0; call < 10; call += 1) await limiter.acquire('check')
    expect(limiter.waiting).toBe(0)
    expect(clock.pendingTimers).toBe(0)
  })

  test('they end with the reason of the signal and leave no timer', async () => {
    const { clock, open } = setUp()
    const limiter = open({ limit: 1, windowMs: 1000 })
    await limiter.acquire('create')
    const controller = new AbortController()
    const { signal } = controller
    const waiting = limiter.acquire('check', { signal }).catch((error: unknown) => error)
    await clock.settle()
    expect(clock.pendingTimers).toBe(1)
    controller.abort(new Error('enough'))
    expect(await waiting).toHaveProperty('message', 'enough')
    await clock.settle()
    expect(limiter.waiting).toBe(0)
    expect(clock.pendingTimers).toBe(0)
    await expect(limiter.acquire('check', { signal })).rejects.toThrow('enough')
    const later = limiter.acquire('check')
    await clock.advance(2000)
    await later
  })
})

describe('the store', () => {
  test.each(['get', 'compareAndSet'] as const)(
    'if it fails at %s, no call is sent uncounted',
    async (operation) => {
      const { open, store } = setUp()
      const limiter = open()
      store.failures.push(operation)
      const error = await limiter.acquire('check').catch((caught: unknown) => caught)
      expect(isTokensError(error, 'TOKEN_STORE_FAILED') && error.details.operation).toBe(operation)
      expect(limiter.waiting).toBe(0)
      await limiter.acquire('check')
    },
  )

  test.each(['', 'x', '[]', '{"format":1,"passed":7}', '{"format":1,"passed":"x -5 NaN"}'])(
    'if it holds %j, the count starts again',
    async (text) => {
      const { open, store } = setUp()
      store.entries.set(RECORD, text)
      await open().acquire('check')
      expect(JSON.parse(store.entries.get(RECORD) ?? '')).toMatchObject({ format: 1 })
    },
  )

  test('a record of a newer version is not overwritten', async () => {
    const { open, store } = setUp()
    store.entries.set(RECORD, '{"format":2}')
    const error = await open()
      .acquire('check')
      .catch((caught: unknown) => caught)
    expect(isTokensError(error, 'TOKEN_RECORD_INVALID')).toBe(true)
    expect(store.entries.get(RECORD)).toBe('{"format":2}')
  })

  test('its record stays small, however many calls pass', async () => {
    const { clock, open, store } = setUp()
    const limiter = open({ maxWaitMs: 3_600_000 })
    const all = Promise.all(Array.from({ length: 200 }, () => limiter.acquire('create')))
    await clock.advance(3_600_000)
    await all
    expect(store.entries.get(RECORD)?.length).toBeLessThan(250)
  })
})

describe('clocks that differ', () => {
  test.each([-20_000, 20_000])(
    'by %i ms: the window holds, and no wait is longer than one window',
    async (skewMs) => {
      const { clock, open, startMs } = setUp()
      const [right, wrong] = [open(), open({ clock: ahead(clock, skewMs) })]
      for (let index = 0; index < 10; index += 1) await right.acquire('check')
      const passed = wrong.acquire('check').then(() => clock.now() - startMs)
      await clock.advance(60_000)
      const waitedMs = await passed
      // The host that is ahead cannot notice it: it sends its call too early by the difference.
      expect(waitedMs).toBe(skewMs > 0 ? 10_250 : 30_250)
    },
  )

  test('by an hour: no call waits longer than one window', async () => {
    const { clock, open, startMs } = setUp()
    const [right, wrong] = [open(), open({ clock: ahead(clock, 3_600_000) })]
    for (let index = 0; index < 10; index += 1) await wrong.acquire('check')
    const passed = right.acquire('check').then(() => clock.now() - startMs)
    await clock.advance(60_000)
    expect(await passed).toBe(30_250)
  })

  test('that are set back repeatedly: no call waits longer than one window', async () => {
    const { clock, open } = setUp()
    const limiters = [open({ limit: 1 }), open({ limit: 1 })]
    for (let round = 0; round < 8; round += 1) {
      for (const limiter of limiters) {
        let isPassed = false
        limiter.acquire('check').then(() => {
          isPassed = true
        })
        await clock.advance(30_250)
        expect(isPassed).toBe(true)
        clock.jumpTo(clock.now() - 25_000)
      }
    }
    expect(clock.pendingTimers).toBe(0)
  })

  test('a learned clock lag is forgotten, because it may come from this clock before it was set back', async () => {
    const { clock, open } = setUp()
    const [early, late] = [open(), open()]
    await early.acquire('check')
    clock.jumpTo(clock.now() - 29_000)
    const second = early.acquire('check')
    await clock.advance(3_600_000)
    await second
    const passedMs: number[] = []
    const take = (limiter: typeof early): void => {
      for (let index = 0; index < 10; index += 1)
        limiter.acquire('check').then(() => passedMs.push(clock.now()))
    }
    take(late)
    await clock.advance(2000)
    take(early)
    await clock.advance(60_000)
    expect(passedMs).toHaveLength(20)
    expect((passedMs[10] ?? 0) - (passedMs[0] ?? 0)).toBeGreaterThanOrEqual(30_000)
  })

  test('a clock that is set back makes no wait longer than the window', async () => {
    const { clock, open } = setUp()
    const limiter = open({ limit: 1, windowMs: 1000, marginMs: 0 })
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

test('no sequence of calls, aborts and pauses in four processes lets more than ten through in 30 seconds', async () => {
  const process = fc.integer({ min: 0, max: 3 })
  const step = fc.oneof(
    fc.record({ type: fc.constant('call' as const), process, abort: fc.boolean() }),
    fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
    fc.record({ type: fc.constant('back-off' as const), process, ms: fc.integer({ min: 0, max: 5000 }) }),
  )
  // Clocks differ by no more than the margin.
  const skews = fc.array(fc.integer({ min: 0, max: 250 }), { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), skews, async (steps, skewsMs) => {
      const { clock, open } = setUp()
      const limiters = skewsMs.map((ms) => open({ clock: ahead(clock, ms), maxWaitMs: 3_600_000 }))
      const passed: number[] = []
      let wanted = 0
      for (const item of steps) {
        if (item.type === 'pass') await clock.advance(item.ms)
        else if (item.type === 'back-off') limiters[item.process]?.backOff(item.ms)
        else {
          const controller = new AbortController()
          limiters[item.process]?.acquire('check', { signal: controller.signal }).then(
            () => passed.push(clock.now()),
            () => {},
          )
          if (item.abort) controller.abort()
          else wanted += 1
        }
      }
      await clock.advance(3_600_000)
      expect(limiters.map(({ waiting }) => waiting)).toEqual([0, 0, 0, 0])
      expect(passed.length).toBeGreaterThanOrEqual(wanted)
      for (const [index, atMs] of passed.entries()) {
        const tenth = passed[index + 10]
        if (tenth !== undefined) expect(tenth - atMs).toBeGreaterThanOrEqual(30_000)
      }
      expect(clock.pendingTimers).toBe(0)
    }),
    { numRuns: 40 },
  )
})

test.each([
  ['options', null],
  ['identity', { store: createFailingStore() }],
  ['identity.region', { store: createFailingStore(), identity: { ...identity, region: '' } }],
  ['identity', { identity }],
  ['store.get', { store: {} as never, identity }],
])('option %s is checked', (option, options) => {
  let error: unknown
  try {
    createTokenRateLimiter(options as TokenRateLimiterOptions)
  } catch (caught) {
    error = caught
  }
  expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.details.option).toBe(option)
})
