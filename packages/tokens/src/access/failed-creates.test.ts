import { expect, test } from 'vitest'
import { callFailed } from '../token-call.ts'
import { FailedCreates } from './failed-creates.ts'

const failed = (retryAfterMs?: number) =>
  callFailed('create', { kind: 'rate-limited', status: 429, retryAfterMs, error: new Error('x') })

test('a Retry-After extends the wait, to five minutes at most', () => {
  for (const [retryAfterMs, waitMs] of [
    [undefined, 5000],
    [1000, 5000],
    [60_000, 60_000],
    [86_400_000, 300_000],
  ] as const) {
    const creates = new FailedCreates()
    creates.failed(failed(retryAfterMs), 1000)
    expect(creates.tooSoon(1000)).toBeUndefined()
    creates.failed(failed(retryAfterMs), 1000)
    expect(creates.tooSoon(1000)?.details.retryAfterMs).toBe(waitMs)
    expect(creates.tooSoon(1000 + waitMs)).toBeUndefined()
  }
})

test('if the clock is set back, the wait starts again and has the same length', () => {
  const creates = new FailedCreates()
  creates.failed(failed(), 86_400_000)
  creates.failed(failed(), 86_400_000)
  expect(creates.tooSoon(0)?.details.retryAfterMs).toBe(5000)
  expect(creates.tooSoon(4999)?.details.retryAfterMs).toBe(1)
  expect(creates.tooSoon(5000)).toBeUndefined()
})

test('a successful create ends the wait', () => {
  const creates = new FailedCreates()
  creates.failed(failed(), 0)
  creates.failed(failed(), 0)
  creates.succeeded()
  creates.failed(failed(), 0)
  expect(creates.tooSoon(0)).toBeUndefined()
})
