import { Secret } from '@brokerwire/core'
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { AccessTokensOptions } from './access-options.ts'
import { createAccessTokens } from './access-tokens.ts'
import type { TokenNotice } from './access-types.ts'
import { createTestStore, type TestStore } from './test/memory-store.ts'
import { createTestService, failure, type TestService } from './test/service.ts'
import { isTokensError } from './tokens-error.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KEY = 'access-token/production/us/app-1'

interface Desk {
  readonly clock: VirtualClock
  readonly store: TestStore
  readonly service: TestService
  open(more?: Partial<AccessTokensOptions>): ReturnType<typeof createAccessTokens>
}

function desk(environment: 'production' | 'sandbox' = 'production'): Desk {
  const clock = createVirtualClock()
  const store = createTestStore()
  const service = createTestService(clock, { production: environment === 'production' })
  const key = { environment, region: 'us', appKey: 'app-1' }
  return {
    clock,
    store,
    service,
    open: (more) => createAccessTokens({ api: service.api, store, key, clock, ...more }),
  }
}

/** Lets time pass until the promise settles; its error is the result. */
async function outcome<T>(clock: VirtualClock, promise: Promise<T>): Promise<T | unknown> {
  let settled = false
  const result = promise
    .catch((error: unknown) => error)
    .finally(() => {
      settled = true
    })
  await clock.settle()
  while (!settled && (await clock.advanceToNextTimer())) await clock.settle()
  return result
}

/** A desk whose token was verified. */
async function verified(): Promise<Desk & { tokens: ReturnType<typeof createAccessTokens> }> {
  const made = desk()
  const tokens = made.open()
  const got = tokens.get()
  await made.clock.settle()
  made.service.approve()
  await outcome(made.clock, got)
  return { ...made, tokens }
}

describe('the first token', () => {
  test('sandbox: NORMAL at once, without a poll', async () => {
    const { clock, service, open } = desk('sandbox')
    const token = await open().get()
    expect(token?.token.reveal()).toBe('secret-token-1')
    expect(token?.expiresAtMs).toBe(clock.now() + 15 * DAY_MS)
    expect(service.count('check')).toBe(0)
  })

  test('production: PENDING, a person is told, polled every 5 s until verified', async () => {
    const { clock, service, open } = desk()
    const notices: TokenNotice[] = []
    const got = open({ notify: (notice) => notices.push(notice) }).get()
    await clock.settle()
    expect(notices).toMatchObject([{ type: 'pending', remainingMs: 300_000, renewal: false }])
    await clock.advance(12_000)
    expect(service.calls.map(({ call, atMs }) => [call, atMs - service.last().createdAtMs])).toEqual([
      ['create', 0],
      ['check', 5000],
      ['check', 10_000],
    ])
    service.approve()
    await clock.advance(3000)
    expect((await got)?.token.reveal()).toBe('secret-token-1')
    expect(clock.pendingTimers).toBe(0)
  })

  test('the window’s end: TOKEN_VERIFICATION_EXPIRED, and the next get() asks nobody', async () => {
    const { clock, service, open } = desk()
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')).toBe(true)
    expect(service.count('check')).toBe(60)
    const again = await outcome(clock, tokens.get())
    expect(isTokensError(again, 'TOKEN_NEEDS_SECOND_FACTOR')).toBe(true)
    expect(service.count('create')).toBe(1)
  })

  test('the poll’s timeout is another result: TOKEN_POLL_TIMEOUT, and the token is kept', async () => {
    const { clock, service, open } = desk()
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
    const { clock, service, open } = desk()
    const got = open().get()
    await clock.settle()
    service.last().status = 'ON_REVIEW'
    const error = await outcome(clock, got)
    expect(isTokensError(error, 'TOKEN_POLL_TIMEOUT') && error.details.lastStatus).toBe('ON_REVIEW')
    expect(service.count('check')).toBe(60)
  })

  test('checks that fail are repeated; a refusal ends the poll', async () => {
    const { clock, service, open } = desk()
    service.next.check.push(failure('no-answer'), failure('server-error', { status: 500 }))
    const tokens = open()
    const got = tokens.get()
    await clock.advance(12_000)
    service.approve()
    expect(await outcome(clock, got)).toHaveProperty('token')

    const other = desk()
    other.service.next.check.push(failure('refused', { status: 403, code: 'APP_NOT_ACTIVATED' }))
    const error = await outcome(other.clock, other.open().get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details).toMatchObject({
      call: 'check',
      kind: 'refused',
      status: 403,
      code: 'APP_NOT_ACTIVATED',
    })
  })

  test('Retry-After of a check is kept', async () => {
    const { clock, service, open } = desk()
    service.next.check.push(failure('rate-limited', { status: 429, retryAfterMs: 20_000 }))
    const startMs = clock.now()
    const got = open().get()
    await clock.advance(6000)
    service.approve()
    await outcome(clock, got)
    expect(service.calls.map(({ atMs }) => atMs - startMs)).toEqual([0, 5000, 25_000])
  })

  test('wait: false fails with TOKEN_PENDING, and still finds out when it was verified', async () => {
    const { clock, service, open } = desk()
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

  test('many callers share one create and one poll; one who gives up leaves the others alone', async () => {
    const { clock, service, open } = desk()
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
    expect([second?.status, third?.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(service.count('create')).toBe(1)
    expect(service.count('check')).toBe(2)
  })

  test('when the last caller gives up, the poll stops', async () => {
    const { clock, service, open } = desk()
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

  test('a clock that is set back lengthens no poll', async () => {
    const { clock, service, open } = desk()
    const got = open().get()
    await clock.advance(6000)
    clock.jumpTo(clock.now() - HOUR_MS)
    const error = await outcome(clock, got)
    expect(isTokensError(error, 'TOKEN_POLL_TIMEOUT')).toBe(true)
    expect(service.count('check')).toBeLessThanOrEqual(61)
  })

  test('a clock that jumps ahead, or a computer that slept, throws no verification away', async () => {
    const { clock, service, open } = desk()
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

describe('failing creates', () => {
  test.each(['not-sent', 'rate-limited', 'refused'] as const)(
    '%s: nothing was created, so a later get() creates',
    async (kind) => {
      const { clock, service, open } = desk()
      service.next.create.push(failure(kind, { status: 429, retryAfterMs: 1000 }))
      const tokens = open()
      const error = await outcome(clock, tokens.get())
      expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe(kind)
      expect(isTokensError(error) && error.retryable).toBe(kind !== 'refused')
      await outcome(clock, tokens.get({ wait: false }))
      expect(service.count('create')).toBe(2)
    },
  )

  test.each(['no-answer', 'server-error', 'bad-answer'] as const)(
    '%s: a second factor may be under way, so five minutes nothing is created',
    async (kind) => {
      const { clock, service, open } = desk()
      service.next.create.push(failure(kind))
      const tokens = open()
      expect(isTokensError(await outcome(clock, tokens.get()), 'TOKEN_CALL_FAILED')).toBe(true)
      await clock.advance(100_000)
      for (const call of [tokens.get, tokens.renew]) {
        const error = await outcome(clock, call())
        expect(isTokensError(error, 'TOKEN_CREATE_TOO_SOON') && error.details.retryAfterMs).toBe(200_000)
      }
      await clock.advance(200_000)
      await outcome(clock, tokens.get({ wait: false }))
      expect(service.count('create')).toBe(2)
    },
  )

  test('a service that never answers, and a port that throws', async () => {
    const { clock, service, open } = desk()
    const api = { ...service.api, create: () => new Promise<never>(() => {}) }
    const silent = await outcome(clock, open({ api, callTimeoutMs: 3000 }).get())
    expect(isTokensError(silent, 'TOKEN_CALL_FAILED') && silent.details.kind).toBe('no-answer')

    const other = desk('sandbox')
    const broken = { ...other.service.api, create: () => Promise.reject(new Error('secret-in-message')) }
    const error = await outcome(other.clock, other.open({ api: broken }).get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.cause).toBeUndefined()
    expect(await outcome(other.clock, other.open().get())).toHaveProperty('token')
  })

  test.each([
    ['INVALID', 5 * DAY_MS, 'status'],
    ['EXPIRED', 5 * DAY_MS, 'expires_at'],
    ['NORMAL', -1, 'expires_at'],
  ])('a token that comes %s, with an expiry %i ms from now', async (status, inMs, field) => {
    const { clock, service, open } = desk('sandbox')
    const value = { token: new Secret('secret-dead'), status, expiresAtMs: clock.now() + inMs }
    service.next.create.push({ ok: true, value })
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_ANSWER_INVALID') && error.details.field).toBe(field)
    expect(await outcome(clock, tokens.get())).toHaveProperty('token')
  })

  test('a store that cannot be written is found out before anybody is asked for a code', async () => {
    const { clock, store, service, open } = desk()
    store.failures.push('compareAndSet')
    const error = await outcome(clock, open().get())
    expect(isTokensError(error, 'TOKEN_STORE_FAILED') && error.details).toMatchObject({
      operation: 'compareAndSet',
      errorCode: 'ENOSPC',
    })
    expect(service.count('create')).toBe(0)
  })

  test('a token that cannot be saved for a while is not lost', async () => {
    const { clock, store, service, open } = desk('sandbox')
    const tokens = open()
    service.delayMs = 10
    const got = outcome(clock, tokens.get())
    await clock.settle()
    store.failures.push('compareAndSet', 'compareAndSet', 'compareAndSet')
    expect(isTokensError(await got, 'TOKEN_STORE_FAILED')).toBe(true)
    expect(await outcome(clock, tokens.get())).toHaveProperty('token')
    expect(service.count('create')).toBe(1)
  })
})

describe('the end of a token', () => {
  test('production announces it 72, 24 and 1 hours before, and creates nothing', async () => {
    const { clock, service, store } = await verified()
    const notices: TokenNotice[] = []
    const tokens = createAccessTokens({
      api: service.api,
      store,
      clock,
      key: { environment: 'production', region: 'us', appKey: 'app-1' },
      notify: (notice) => notices.push(notice),
    })
    for (let hour = 0; hour < 15 * 24 - 1; hour += 1) {
      await clock.advance(HOUR_MS)
      await tokens.get()
    }
    expect(notices.map((notice) => notice.type === 'expiring' && notice.thresholdMs / HOUR_MS)).toEqual([
      72, 24, 1,
    ])
    await clock.advance(HOUR_MS)
    service.last().status = 'EXPIRED'
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR') && error.details.lastStatus).toBe('EXPIRED')
    expect(service.count('create')).toBe(1)
  })

  test('the service may have moved the expiry: it is asked before a token is given up', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(16 * DAY_MS)
    service.last().expiresAtMs = clock.now() + DAY_MS
    expect(await outcome(clock, tokens.get())).toMatchObject({ expiresAtMs: clock.now() + DAY_MS })
  })

  test('a service that states no expiry is taken at its word', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(16 * DAY_MS)
    service.last().expiresAtMs = undefined
    expect(await outcome(clock, tokens.get())).toMatchObject({ expiresAtMs: undefined })
  })

  test('a service that cannot be asked: TOKEN_CALL_FAILED, and the token is kept', async () => {
    const { clock, service, tokens, store } = await verified()
    await clock.advance(16 * DAY_MS)
    service.next.check.push(failure('no-answer'))
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.retryable).toBe(true)
    expect(store.texts.get(KEY)).toContain('secret-token-1')
  })

  test('sandbox renews by itself, before the end and after it', async () => {
    const { clock, service, open } = desk('sandbox')
    const tokens = open()
    await tokens.get()
    await clock.advance(15 * DAY_MS - HOUR_MS)
    service.next.create.push(failure('no-answer'))
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
    expect(service.calls.at(-1)?.body).toBe('secret-token-1')
    await clock.advance(20 * DAY_MS)
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-3')
    expect(service.calls.at(-1)?.body).toBe('')
  })

  test('keep-alive checks an idle token, and only an idle one', async () => {
    const { clock, service, open } = desk('sandbox')
    const tokens = open({ keepAliveMs: DAY_MS })
    await tokens.get()
    await clock.advance(DAY_MS / 2)
    await tokens.get()
    await clock.advance(DAY_MS * 0.9)
    expect(service.count('check')).toBe(0)
    await clock.advance(DAY_MS)
    expect(service.count('check')).toBe(1)
    await tokens[Symbol.asyncDispose]()
    expect(clock.pendingTimers).toBe(0)
  })
})

describe('renew()', () => {
  test('checks first, then creates with the previous token; the old one serves until the new one is verified', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(14 * DAY_MS)
    const renewed = tokens.renew()
    await clock.settle()
    expect(service.calls.slice(-2).map(({ call, body }) => [call, body])).toEqual([
      ['check', 'secret-token-1'],
      ['create', 'secret-token-1'],
    ])
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    service.approve()
    await clock.advance(5000)
    expect((await renewed)?.token.reveal()).toBe('secret-token-2')
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
  })

  test('an expiry that the service has moved is all that is needed', async () => {
    const { clock, service, tokens } = await verified()
    service.last().expiresAtMs = clock.now() + 20 * DAY_MS
    expect(await tokens.renew()).toMatchObject({ expiresAtMs: clock.now() + 20 * DAY_MS })
    expect(service.count('create')).toBe(1)
  })

  test('comes back NORMAL: used at once', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    const value = { token: new Secret('secret-next'), status: 'NORMAL', expiresAtMs: clock.now() + DAY_MS }
    service.next.create.push({ ok: true, value })
    expect((await tokens.renew())?.token.reveal()).toBe('secret-next')
  })

  test('never two pending tokens, and no create within five minutes', async () => {
    const { clock, service, tokens } = await verified()
    expect(isTokensError(await outcome(clock, tokens.renew()), 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    await clock.advance(HOUR_MS)
    const first = await outcome(clock, tokens.renew({ wait: false }))
    const second = await outcome(clock, tokens.renew({ wait: false }))
    expect([first, second].every((error) => isTokensError(error, 'TOKEN_PENDING'))).toBe(true)
    expect(service.count('create')).toBe(2)
    service.last().status = 'INVALID'
    await clock.advance(10_000)
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    await clock.settle()
    expect(isTokensError(await outcome(clock, tokens.renew()), 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    await clock.advance(300_000)
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(3)
  })

  test('a window that ended while nobody looked: checked first, then replaced', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(3)
    await clock.advance(60_000)
    service.approve()
    await outcome(clock, tokens.renew())
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-3')
  })

  test('verified while nobody looked: get() notices in passing', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    service.approve()
    await clock.advance(60_000)
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    await clock.settle()
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
  })

  test('a check that fails creates nothing; one that is refused does not stop it', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    service.next.check.push(failure('no-answer'))
    expect(isTokensError(await outcome(clock, tokens.renew()), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(service.count('create')).toBe(1)
    service.next.check.push(failure('refused', { status: 417 }))
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(2)
  })

  test('after the end: the way back', async () => {
    const { clock, service, tokens } = await verified()
    service.last().status = 'INVALID'
    await clock.advance(HOUR_MS)
    const rejected = tokens.reportRejected((await tokens.get())?.token as never, {
      status: 401,
      code: 'INVALID_TOKEN',
    })
    expect(isTokensError(await outcome(clock, rejected), 'TOKEN_NEEDS_SECOND_FACTOR')).toBe(true)
    const renewed = tokens.renew()
    await clock.settle()
    service.approve()
    expect(await outcome(clock, renewed)).toHaveProperty('token')
  })
})

describe('a rejected token', () => {
  const INVALID = { status: 401, code: 'INVALID_TOKEN' }

  test.each([{ status: 401, code: 'UNAUTHORIZED' }, { status: 403, code: 'INVALID_TOKEN' }, { status: 401 }])(
    'another failure does not touch it: %o',
    async (rejection) => {
      const { service, tokens } = await verified()
      const checks = service.count('check')
      const token = (await tokens.get())?.token as never
      expect(await tokens.reportRejected(token, rejection)).toEqual({ changed: false })
      expect(service.count('check')).toBe(checks)
    },
  )

  test('still NORMAL at the service: nothing changes', async () => {
    const { tokens } = await verified()
    const token = (await tokens.get())?.token as never
    expect(await tokens.reportRejected(token, INVALID)).toEqual({ changed: false })
  })

  test('another process holds a newer one: it is used, without a call', async () => {
    const { clock, service, store, tokens } = await verified()
    const old = (await tokens.get())?.token as never
    store.texts.set(KEY, (store.texts.get(KEY) ?? '').replace('secret-token-1', 'secret-newer'))
    const made = service.calls.length
    const result = await outcome(clock, tokens.reportRejected(old, INVALID))
    expect(result).toMatchObject({ changed: true })
    expect((await tokens.get())?.token.reveal()).toBe('secret-newer')
    expect(service.calls.length).toBe(made)
  })

  test('production: invalidated, and the call fails at once', async () => {
    const { clock, service, store, tokens } = await verified()
    service.last().status = 'INVALID'
    const token = (await tokens.get())?.token as never
    const error = await outcome(clock, tokens.reportRejected(token, INVALID))
    expect(isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR') && error.details.lastStatus).toBe('INVALID')
    expect(store.texts.get(KEY)).not.toContain('secret-token-1')
    expect(service.count('create')).toBe(1)
  })

  test('a check refused with INVALID_TOKEN says as much', async () => {
    const { clock, service, tokens } = await verified()
    service.next.check.push(failure('refused', INVALID))
    const token = (await tokens.get())?.token as never
    const error = await outcome(clock, tokens.reportRejected(token, INVALID))
    expect(isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR')).toBe(true)
  })

  test('production, an empty store: a rejection starts no second factor', async () => {
    const { clock, service, open } = desk()
    const error = await outcome(clock, open().reportRejected(new Secret('foreign'), INVALID))
    expect(isTokensError(error, 'TOKEN_NEEDS_SECOND_FACTOR')).toBe(true)
    expect(service.count('create')).toBe(0)
  })

  test('sandbox: one create, however many callers report it', async () => {
    const { clock, service, open } = desk('sandbox')
    const tokens = open()
    const token = (await tokens.get())?.token as never
    service.last().status = 'EXPIRED'
    const results = await Promise.all(
      Array.from({ length: 5 }, () => outcome(clock, tokens.reportRejected(token, INVALID))),
    )
    for (const result of results) expect(result).toMatchObject({ changed: true })
    expect(service.count('create')).toBe(2)
  })

  test('during a renewal: the pending token is looked at, and TOKEN_PENDING if it still waits', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    const token = (await tokens.get())?.token as never
    const [first] = service.tokens
    if (first !== undefined) first.status = 'INVALID'
    await clock.advance(10_000)
    const error = await outcome(clock, tokens.reportRejected(token, INVALID))
    expect(isTokensError(error, 'TOKEN_PENDING')).toBe(true)
    service.approve()
    await clock.advance(10_000)
    expect(await outcome(clock, tokens.reportRejected(token, INVALID))).toMatchObject({ changed: true })
  })

  test('a NORMAL token that changes back to PENDING waits like any other', async () => {
    const { clock, service, tokens } = await verified()
    service.next.check.push({
      ok: true,
      value: { token: (await tokens.get())?.token as never, expiresAtMs: undefined, status: 'PENDING' },
    })
    const token = (await tokens.get())?.token as never
    const error = await outcome(clock, tokens.reportRejected(token, INVALID))
    expect(isTokensError(error, 'TOKEN_PENDING')).toBe(true)
    await clock.advance(5000)
    expect(await outcome(clock, tokens.get({ wait: false }))).toHaveProperty('token')
    expect(service.count('create')).toBe(1)
  })
})

describe('tokenMode', () => {
  test('none: no token and no call', async () => {
    const { service, open } = desk()
    const tokens = open({ tokenMode: 'none' })
    expect(await tokens.get()).toBeUndefined()
    expect(await tokens.renew()).toBeUndefined()
    expect(service.calls).toEqual([])
  })

  test('ask: asked once, and a failure is asked again', async () => {
    const { clock, service, open } = desk('sandbox')
    let answers = 0
    const config: NonNullable<typeof service.api.config> = async (callOptions) => {
      answers += 1
      return answers === 1 ? failure('no-answer') : (service.api.config?.(callOptions) ?? failure('not-sent'))
    }
    const tokens = open({ tokenMode: 'ask', api: { ...service.api, config } })
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.call).toBe('config')
    expect(await Promise.all([tokens.get(), tokens.get(), tokens.get()])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await tokens.get()).toBeUndefined()
    expect(service.count('config')).toBe(1)
  })
})

describe('records', () => {
  test.each([
    '',
    '{',
    '{"format":1,"current":{}}',
    '{"format":1,"lastCreate":{"atMs":1,"outcome":"?"}}',
    '[]',
    '{"format":1,"current":"secret"}',
  ])('one that cannot be read: %s', async (text) => {
    const { clock, store, service, open } = desk()
    store.texts.set(KEY, text)
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe('malformed')
    expect(isTokensError(error) && error.cause).toBeUndefined()
    expect(service.calls).toEqual([])
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(1)
  })

  test('one of a newer format is never overwritten', async () => {
    const { clock, store, open } = desk()
    store.texts.set(KEY, '{"format":2}')
    const tokens = open()
    for (const call of [tokens.get, tokens.renew]) {
      const error = await outcome(clock, call())
      expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe('newer-format')
    }
    expect(store.texts.get(KEY)).toBe('{"format":2}')
  })

  test('environment, region and app key keep tokens apart', async () => {
    const { clock, store, service } = desk('sandbox')
    for (const key of [
      { environment: 'sandbox', region: 'us', appKey: 'a/b' },
      { environment: 'sandbox', region: 'us/a', appKey: 'b' },
      { environment: 'sandbox', region: 'hk', appKey: 'b' },
    ])
      await createAccessTokens({ api: service.api, store, clock, key }).get()
    expect([...store.texts.keys()]).toHaveLength(3)
    expect(service.count('create')).toBe(3)
  })
})

test('disposed: waits end with TOKEN_CLOSED, and a create that was sent is saved', async () => {
  const { clock, store, service, open } = desk()
  service.delayMs = 1000
  const tokens = open()
  const got = outcome(clock, tokens.get())
  await clock.settle()
  const disposed = tokens[Symbol.asyncDispose]()
  expect(isTokensError(await got, 'TOKEN_CLOSED')).toBe(true)
  await disposed
  expect(store.texts.get(KEY)).toContain('secret-token-1')
  expect(isTokensError(await outcome(clock, tokens.get()), 'TOKEN_CLOSED')).toBe(true)
  expect(clock.pendingTimers).toBe(0)
})
