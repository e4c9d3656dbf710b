import { describe, expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { DAY_MS, KEY, outcome, setUp } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import { createTooSoon, nextCreateAtMs } from './create-budget.ts'
import { parseStoredAccessToken } from './record.ts'

const MINUTE_MS = 60_000
const NOW_MS = 10 * DAY_MS

describe('nextCreateAtMs', () => {
  test.each(['started', 'answered', 'unknown'] as const)('a create whose outcome is %s counts', (outcome) => {
    const record = { lastCreate: { atMs: NOW_MS, outcome } }
    expect(nextCreateAtMs(record, NOW_MS)).toBe(NOW_MS + 5 * MINUTE_MS)
    expect(nextCreateAtMs(record, NOW_MS + 5 * MINUTE_MS - 1)).toBe(NOW_MS + 5 * MINUTE_MS)
    expect(nextCreateAtMs(record, NOW_MS + 5 * MINUTE_MS)).toBeUndefined()
  })
  test('the next create is allowed now if no token was created', () => {
    expect(nextCreateAtMs({}, NOW_MS)).toBeUndefined()
  })
  test('a clock that is set back by less than five minutes does not shorten the wait', () => {
    const record = { lastCreate: { atMs: NOW_MS, outcome: 'started' } } as const
    const afterStepMs = NOW_MS - MINUTE_MS
    expect(nextCreateAtMs(record, afterStepMs)).toBe(afterStepMs + 5 * MINUTE_MS)
    expect(nextCreateAtMs(record, NOW_MS)).toBe(NOW_MS + 5 * MINUTE_MS)
    expect(nextCreateAtMs(record, NOW_MS + 5 * MINUTE_MS)).toBeUndefined()
  })
  test('a create is allowed after a clock is set back by five minutes or more', () => {
    const record = { lastCreate: { atMs: NOW_MS, outcome: 'started' } } as const
    expect(nextCreateAtMs(record, NOW_MS - 5 * MINUTE_MS)).toBeUndefined()
  })
})

test.each([
  [
    'started',
    'a create request was sent 1 min ago and its outcome is unknown; the next one is allowed in 4 min',
  ],
  [
    'unknown',
    'a create request was sent 1 min ago and its outcome is unknown; the next one is allowed in 4 min',
  ],
  ['answered', 'the service responded to a create request 1 min ago; the next one is allowed in 4 min'],
] as const)(
  'the error after a create whose outcome is %s states when the next one is allowed',
  (outcome, message) => {
    const error = createTooSoon({ lastCreate: { atMs: NOW_MS, outcome } }, NOW_MS + MINUTE_MS)
    expect(error).toMatchObject({ message, retryable: true, details: { retryAfterMs: 4 * MINUTE_MS } })
  },
)

test.each(['rejected', 'rate-limited', 'not-sent'] as const)(
  'a create that was %s does not count',
  async (kind) => {
    const { clock, store, service, open } = setUp()
    service.next.create.push(failure(kind, { status: 401 }))
    expect(isTokensError(await outcome(clock, open().get()), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(nextCreateAtMs(parseStoredAccessToken(store.entries.get(KEY)), clock.now())).toBeUndefined()
    await outcome(clock, open().get({ wait: false }))
    expect(service.count('create')).toBe(2)
  },
)

test('a create is in the store before it is sent', async () => {
  const { clock, store, service, open } = setUp()
  let stored: string | undefined
  const endpoints: typeof service.endpoints = {
    ...service.endpoints,
    create(input, options) {
      stored = store.entries.get(KEY)
      return service.endpoints.create(input, options)
    },
  }
  await outcome(clock, open({ endpoints }).get({ wait: false }))
  expect(parseStoredAccessToken(stored).lastCreate).toMatchObject({ outcome: 'started' })
})

test('two processes that hold a broken lock at once send one create, because of the compare-and-set', async () => {
  const { clock, store, service, open } = setUp()
  const noLock = { ...store, lock: async () => ({ release: async () => {} }) }
  service.delayMs = 1000
  const calls = [open({ store: noLock }), open({ store: noLock })].map((tokens) =>
    outcome(clock, tokens.get({ wait: false })),
  )
  const found = await Promise.all(calls)
  expect(service.count('create')).toBe(1)
  expect(found.some((error) => isTokensError(error, 'TOKEN_PENDING'))).toBe(true)
})

test('without a second factor an interrupted create delays the next one by two seconds', async () => {
  const { clock, store, service, open } = setUp('sandbox')
  const sandboxKey = KEY.replace('production', 'sandbox')
  const lastCreate = { atMs: clock.now(), outcome: 'started' }
  store.entries.set(sandboxKey, JSON.stringify({ format: 1, lastCreate }))
  const startMs = clock.now()
  expect(await outcome(clock, open().get())).toHaveProperty('token')
  expect(service.calls.map(({ atMs }) => atMs - startMs)).toEqual([2000])
})
