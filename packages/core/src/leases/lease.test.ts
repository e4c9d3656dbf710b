import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../testing/index.ts'
import { sleep } from '../time/clock.ts'
import { createLease } from './lease.ts'

type Answer = boolean | 'failed' | 'never'

/** Creates a lease whose store sends scripted responses. Without a script the response is `true`. */
function setUp(answerAfterMs = 0) {
  const clock = createVirtualClock(0)
  const askedAtMs: number[] = []
  const answers: Answer[] = []
  const state = { answerAfterMs }
  const ask = async (): Promise<boolean> => {
    askedAtMs.push(clock.now())
    const answer = answers.shift() ?? true
    if (state.answerAfterMs > 0) await sleep(clock, state.answerAfterMs)
    if (answer === 'never') return new Promise(() => {})
    if (answer === 'failed') throw new Error('the store is unavailable')
    return answer
  }
  const lease = createLease({
    clock,
    validMs: 25_000,
    extendMs: 10_000,
    retryMs: 2000,
    extend: ask,
    lostReason: (why) => why,
  })
  return { clock, askedAtMs, answers, state, ask, lease }
}

describe('a lease', () => {
  test('is extended until end(), and sends no request afterwards', async () => {
    const { clock, askedAtMs, ask, lease } = setUp()
    expect(await lease.acquire(ask)).toBe(true)
    await clock.advance(3_600_000)
    expect(lease.lost.aborted).toBe(false)
    expect(askedAtMs).toHaveLength(361)
    lease.end()
    expect(clock.pendingTimers).toBe(0)
    await clock.advance(60_000)
    expect(askedAtMs).toHaveLength(361)
    expect(lease.lost.aborted).toBe(false)
  })

  test('that is not granted is never extended', async () => {
    const { clock, answers, ask, lease } = setUp()
    answers.push(false)
    expect(await lease.acquire(ask)).toBe(false)
    expect(clock.pendingTimers).toBe(0)
    answers.push('failed')
    await expect(lease.acquire(ask)).rejects.toThrow('the store is unavailable')
    expect(clock.pendingTimers).toBe(0)
    expect(lease.lost.aborted).toBe(false)
  })

  test.each(['failed', 'never'] as const)(
    'whose extension is %s is lost before it expires',
    async (answer) => {
      const { clock, answers, ask, lease } = setUp()
      await lease.acquire(ask)
      answers.push(...Array<Answer>(100).fill(answer))
      await clock.advance(24_999)
      expect(lease.lost.aborted).toBe(false)
      await clock.advance(1)
      expect(lease.lost.aborted).toBe(true)
      expect(lease.lost.reason).toBe('not extended')
      expect(clock.pendingTimers).toBe(0)
    },
  )

  test.each(['failed', 'never'] as const)('survives seven requests in a row that are %s', async (answer) => {
    const { clock, askedAtMs, answers, ask, lease } = setUp()
    await lease.acquire(ask)
    answers.push(...Array<Answer>(7).fill(answer))
    await clock.advance(120_000)
    expect(lease.lost.aborted).toBe(false)
    expect(askedAtMs.slice(0, 10)).toEqual([0, 10, 12, 14, 16, 18, 20, 22, 24, 34].map((at) => at * 1000))
    lease.end()
  })

  test('that another holder has is lost at once', async () => {
    const { clock, answers, ask, lease } = setUp()
    await lease.acquire(ask)
    answers.push(false)
    await clock.advance(10_000)
    expect(lease.lost.reason).toBe('taken over')
    expect(clock.pendingTimers).toBe(0)
  })

  test('is valid from the request on, so a response after 9 s leaves 16 s', async () => {
    const { clock, answers, state, ask, lease } = setUp(9000)
    const taken = lease.acquire(ask)
    await clock.advance(9000)
    expect(await taken).toBe(true)
    answers.push(...Array<Answer>(100).fill('failed'))
    state.answerAfterMs = 0
    await clock.advance(15_999)
    expect(lease.lost.aborted).toBe(false)
    await clock.advance(1)
    expect(lease.lost.reason).toBe('not extended')
  })

  test('that is granted after it has expired is not held', async () => {
    const { clock, ask, lease } = setUp(25_000)
    const taken = lease.acquire(ask)
    await clock.advance(25_000)
    expect(await taken).toBe(false)
    expect(lease.lost.aborted).toBe(false)
    expect(clock.pendingTimers).toBe(0)
  })

  test('a late response does not shorten a lease that was extended since', async () => {
    const { clock, answers, state, ask, lease } = setUp()
    await lease.acquire(ask)
    await clock.advance(9999)
    state.answerAfterMs = 12_000
    await clock.advance(1)
    state.answerAfterMs = 0
    // One request at 10 s with its response at 22 s, and one request with its response at 12 s.
    await clock.advance(2000)
    answers.push(...Array<Answer>(100).fill('failed'))
    await clock.advance(24_999)
    expect(lease.lost.aborted).toBe(false)
    await clock.advance(1)
    expect(lease.lost.aborted).toBe(true)
  })

  test('that has ended is not lost by a later response', async () => {
    const { clock, answers, state, ask, lease } = setUp()
    await lease.acquire(ask)
    state.answerAfterMs = 5000
    answers.push(false)
    await clock.advance(10_000)
    lease.end()
    await clock.advance(60_000)
    expect(lease.lost.aborted).toBe(false)
    expect(clock.pendingTimers).toBe(0)
  })

  test('is not lost if the clock is set', async () => {
    const { clock, ask, lease } = setUp()
    await lease.acquire(ask)
    for (const jumpMs of [86_400_000, -86_400_000]) {
      clock.jumpTo(clock.now() + jumpMs)
      await clock.advance(30_000)
      expect(lease.lost.aborted).toBe(false)
    }
    lease.end()
  })
})

describe('options of a lease', () => {
  const least = {
    clock: createVirtualClock(),
    validMs: 1,
    extendMs: 1,
    retryMs: 1,
    extend: async () => true,
    lostReason: String,
  }

  test.each([
    ['clock', { clock: undefined }],
    ['validMs', { validMs: 0 }],
    ['extendMs', { extendMs: Number.NaN }],
    ['retryMs', { retryMs: undefined }],
    ['extend', { extend: true }],
    ['lostReason', { lostReason: undefined }],
    ['extendms', { extendms: 5 }],
  ])('%s is checked', (option, change) => {
    expect(() => createLease({ ...least, ...change } as never)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', details: expect.objectContaining({ option }) }),
    )
  })
})
