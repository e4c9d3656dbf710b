import { sleep } from '@brokerwire/core/internal'
import { describe, expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { DAY_MS, HOUR_MS, outcome, setUp } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import type { SecondFactorNotice } from './types.ts'

describe('the first token', () => {
  test('in a sandbox the token is NORMAL at once, without a poll', async () => {
    const { clock, service, open } = setUp('sandbox')
    const token = await open().get()
    expect(token?.token.reveal()).toBe('secret-token-1')
    expect(token?.expiresAtMs).toBe(clock.now() + 15 * DAY_MS)
    expect(service.count('check')).toBe(0)
  })

  test('in production onSecondFactor is called, and the PENDING token is polled every 5 s until it is verified', async () => {
    const { clock, service, open } = setUp()
    const notices: SecondFactorNotice[] = []
    const got = open({ onSecondFactor: (notice) => notices.push(notice) }).get()
    await clock.settle()
    expect(notices).toMatchObject([{ type: 'pending', remainingMs: 300_000, renewal: false }])
    await clock.advance(12_000)
    const { createdAtMs } = service.last()
    expect(service.calls).toMatchObject([
      { call: 'create', atMs: createdAtMs },
      { call: 'check', atMs: createdAtMs + 5000 },
      { call: 'check', atMs: createdAtMs + 10_000 },
    ])
    service.approve()
    await clock.advance(3000)
    expect((await got)?.token.reveal()).toBe('secret-token-1')
    expect(clock.pendingTimers).toBe(0)
  })

  test('at the end of the window get() fails with TOKEN_VERIFICATION_EXPIRED, and the next get() makes no call', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')).toBe(true)
    expect(service.count('check')).toBe(60)
    const again = await outcome(clock, tokens.get())
    expect(isTokensError(again, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
    expect(service.count('create')).toBe(1)
  })

  test('at the poll timeout get() fails with TOKEN_POLL_TIMEOUT, and the token is kept', async () => {
    const { clock, service, open } = setUp()
    const tokens = open({ pollTimeoutMs: 12_000 })
    const startMs = clock.now()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_POLL_TIMEOUT') && error.retryable).toBe(true)
    expect(service.calls.map(({ atMs }) => atMs - startMs)).toEqual([0, 5000, 10_000, 12_000])
    service.approve()
    const token = await outcome(clock, tokens.get())
    expect(token).toMatchObject({ expiresAtMs: startMs + 15 * DAY_MS })
    expect(service.count('create')).toBe(1)
  })

  test('an unknown status is polled to the timeout', async () => {
    const { clock, service, open } = setUp()
    const got = open().get()
    await clock.settle()
    service.last().status = 'ON_REVIEW'
    const error = await outcome(clock, got)
    expect(isTokensError(error, 'TOKEN_POLL_TIMEOUT') && error.details.lastStatus).toBe('ON_REVIEW')
    expect(service.count('check')).toBe(60)
  })

  test('failed checks are retried, and a rejected check ends the poll', async () => {
    const { clock, service, open } = setUp()
    service.next.check.push(failure('no-response'), failure('server-error', { status: 500 }))
    const tokens = open()
    const got = tokens.get()
    await clock.advance(12_000)
    service.approve()
    expect(await outcome(clock, got)).toHaveProperty('token')

    const other = setUp()
    other.service.next.check.push(failure('rejected', { status: 403, code: 'APP_NOT_ACTIVATED' }))
    const error = await outcome(other.clock, other.open().get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details).toMatchObject({
      call: 'check',
      kind: 'rejected',
      status: 403,
      code: 'APP_NOT_ACTIVATED',
    })
  })

  test('the poll waits for the Retry-After of a check', async () => {
    const { clock, service, open } = setUp()
    service.next.check.push(failure('rate-limited', { status: 429, retryAfterMs: 20_000 }))
    const startMs = clock.now()
    const got = open().get()
    await clock.advance(6000)
    service.approve()
    await outcome(clock, got)
    expect(service.calls.map(({ atMs }) => atMs - startMs)).toEqual([0, 5000, 25_000])
  })

  test('wait: false fails with TOKEN_PENDING, and notices when the token was verified', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    const first = await outcome(clock, tokens.get({ wait: false }))
    expect(isTokensError(first, 'TOKEN_PENDING') && first.details.deadlineMs).toBe(clock.now() + 300_000)
    expect(isTokensError(first) && first.retryable).toBe(true)
    await clock.advance(1000)
    await outcome(clock, tokens.get({ wait: false }))
    expect(service.count('check')).toBe(0)
    service.approve()
    await clock.advance(4000)
    expect(await outcome(clock, tokens.get({ wait: false }))).toHaveProperty('token')
    expect(service.calls.map(({ call }) => call)).toEqual(['create', 'check'])
  })

  test('many callers share one create and one poll, and an aborted caller does not affect the others', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    const impatient = new AbortController()
    const callers = [tokens.get({ signal: impatient.signal }), tokens.get(), tokens.get()]
    const given = callers[0]?.catch((error: unknown) => error)
    await clock.advance(6000)
    impatient.abort(new Error('enough'))
    expect(await given).toHaveProperty('message', 'enough')
    service.approve()
    await clock.advance(5000)
    const [, second, third] = await Promise.allSettled(callers)
    expect(second).toMatchObject({ status: 'fulfilled' })
    expect(third).toMatchObject({ status: 'fulfilled' })
    expect(service.count('create')).toBe(1)
    expect(service.count('check')).toBe(2)
  })

  test('the poll stops when the last caller aborts', async () => {
    const { clock, service, open } = setUp()
    const controller = new AbortController()
    const got = open().get({ signal: controller.signal })
    got.catch(() => {})
    await clock.advance(6000)
    controller.abort(new Error('enough'))
    await expect(got).rejects.toThrow('enough')
    await clock.advance(60_000)
    expect(service.count('check')).toBe(1)
    expect(clock.pendingTimers).toBe(0)
  })

  test('a clock that is set back does not extend the poll', async () => {
    const { clock, service, open } = setUp()
    const got = open().get()
    await clock.advance(6000)
    clock.jumpTo(clock.now() - HOUR_MS)
    const error = await outcome(clock, got)
    expect(isTokensError(error, 'TOKEN_POLL_TIMEOUT')).toBe(true)
    expect(service.count('check')).toBeLessThanOrEqual(61)
  })

  test('a clock that jumps ahead, or a suspended computer, does not discard a verification', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    const got = tokens.get()
    await clock.advance(6000)
    clock.jumpTo(clock.now() + HOUR_MS)
    expect(isTokensError(await outcome(clock, got), 'TOKEN_POLL_TIMEOUT')).toBe(true)
    service.approve()
    expect(await outcome(clock, tokens.get())).toHaveProperty('token')
    expect(service.count('create')).toBe(1)
  })
})

describe('with wait: false', () => {
  const pending = async () => {
    const made = setUp()
    const tokens = made.open()
    await outcome(made.clock, tokens.get({ wait: false }))
    await made.clock.advance(5000)
    return { ...made, tokens }
  }

  test('a failing service is checked only once in a poll interval', async () => {
    const { clock, service, tokens } = await pending()
    const before = service.count('check')
    for (let call = 0; call < 20; call += 1) {
      service.next.check.push(failure('server-error'))
      expect(isTokensError(await outcome(clock, tokens.get({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    }
    expect(service.count('check') - before).toBe(1)
  })

  test('it waits five seconds for a service that does not respond', async () => {
    const { clock, service, tokens } = await pending()
    service.delayMs = 3_600_000
    const startMs = clock.now()
    expect(isTokensError(await outcome(clock, tokens.get({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    expect(clock.now() - startMs).toBe(5000)
  })
})

test('an aborted caller does not wait for a store that never responds', async () => {
  const never = (): Promise<never> => new Promise(() => {})
  for (const hanging of [{ get: never }, { compareAndSet: never }, { lock: never }]) {
    const { clock, store, open } = setUp()
    const tokens = open({ store: { ...store, ...hanging } })
    for (const call of [tokens.get, tokens.renew]) {
      const controller = new AbortController()
      const waiting = call({ signal: controller.signal }).catch((reason: unknown) => reason)
      await clock.settle()
      controller.abort('enough')
      expect(await waiting).toBe('enough')
    }
  }
})

test('a thousand callers at once read the store twice, and each sees what was written before its call', async () => {
  const { clock, store, service, open } = setUp('sandbox')
  let reads = 0
  const slow = {
    ...store,
    async get(key: string) {
      reads += 1
      await sleep(clock, 10)
      return store.get(key)
    },
  }
  const tokens = open({ store: slow })
  await outcome(clock, tokens.get())
  reads = 0
  const first = tokens.get()
  await clock.settle()
  // Another process replaces the token during the first read.
  const text = store.entries.get('access-token/sandbox/us/app-1/https%3A%2F%2Fapi.test') ?? ''
  store.entries.set(
    'access-token/sandbox/us/app-1/https%3A%2F%2Fapi.test',
    text.replace('secret-token-1', 'secret-token-2'),
  )
  const others = Array.from({ length: 1000 }, () => tokens.get())
  await clock.advance(100)
  await first
  for (const token of await Promise.all(others)) expect(token?.token.reveal()).toBe('secret-token-2')
  expect(reads).toBe(2)
  expect(service.count('create')).toBe(1)
})

test('close() waits for a store that never responds no longer than for a call and its save', async () => {
  const { clock, store, open } = setUp()
  const tokens = open({
    store: { ...store, compareAndSet: () => new Promise<never>(() => {}) },
    callTimeoutMs: 10_000,
  })
  tokens.get().catch(() => {})
  await clock.settle()
  let disposed = false
  const closing = tokens.close().then(() => {
    disposed = true
  })
  await clock.advance(49_999)
  expect(disposed).toBe(false)
  await clock.advance(1)
  await closing
})
