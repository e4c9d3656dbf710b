import { Secret, type Store } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { describe, expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { DAY_MS, KEY, outcome, setUp, verified } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import type { TokenCallOptions } from '../types.ts'
import type { SecondFactorNotice } from './types.ts'

describe('failing creates', () => {
  test.each(['not-sent', 'rate-limited', 'rejected'] as const)(
    'after %s a later get() creates, because no token was created',
    async (kind) => {
      const { clock, service, open } = setUp()
      service.next.create.push(failure(kind, { status: 429, retryAfterMs: 1000 }))
      const tokens = open()
      const error = await outcome(clock, tokens.get())
      expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe(kind)
      expect(isTokensError(error) && error.retryable).toBe(kind !== 'rejected')
      await outcome(clock, tokens.get({ wait: false }))
      expect(service.count('create')).toBe(2)
    },
  )

  test.each(['no-response', 'server-error', 'invalid-response'] as const)(
    'after %s nothing is created for five minutes, because a second factor may be pending',
    async (kind) => {
      const { clock, service, open } = setUp()
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

  test('a service that never responds and a port that throws are failed calls', async () => {
    const { clock, service, open } = setUp()
    const endpoints = { ...service.endpoints, create: () => new Promise<never>(() => {}) }
    const silent = await outcome(clock, open({ endpoints, callTimeoutMs: 3000 }).get())
    expect(isTokensError(silent, 'TOKEN_CALL_FAILED') && silent.details.kind).toBe('no-response')

    const other = setUp('sandbox')
    const broken = {
      ...other.service.endpoints,
      create: () => Promise.reject(new Error('secret-in-message')),
    }
    const error = await outcome(other.clock, other.open({ endpoints: broken }).get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.cause).toBeUndefined()
    expect(await outcome(other.clock, other.open().get())).toHaveProperty('token')
  })

  test.each([
    ['INVALID', 5 * DAY_MS, 'status'],
    ['EXPIRED', 5 * DAY_MS, 'expires_at'],
    ['NORMAL', -1, 'expires_at'],
  ])('a created token that is %s with an expiry %i ms from now is an error', async (status, inMs, field) => {
    const { clock, service, open } = setUp('sandbox')
    const value = { token: new Secret('secret-dead'), status, expiresAtMs: clock.now() + inMs }
    service.next.create.push({ ok: true, value })
    const tokens = open()
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_RESPONSE_INVALID') && error.details.field).toBe(field)
    expect(await outcome(clock, tokens.get())).toHaveProperty('token')
  })

  test('a store that cannot be written fails before a person is asked for a code', async () => {
    const { clock, store, service, open } = setUp()
    store.failures.push('compareAndSet')
    const error = await outcome(clock, open().get())
    expect(isTokensError(error, 'TOKEN_STORE_FAILED') && error.details).toMatchObject({
      operation: 'compareAndSet',
      errorCode: 'ENOSPC',
    })
    expect(service.count('create')).toBe(0)
  })

  test('a token that cannot be saved for a while is not lost', async () => {
    const { clock, store, service, open } = setUp('sandbox')
    const tokens = open()
    service.delayMs = 10
    const got = outcome(clock, tokens.get())
    await clock.settle()
    store.failures.push('compareAndSet', 'compareAndSet', 'compareAndSet')
    expect(await got).toHaveProperty('token')
    expect(service.count('create')).toBe(1)
  })

  test('a token that cannot be saved for more than half a minute is saved at the next call', async () => {
    const { clock, store, service, open } = setUp('sandbox')
    const tokens = open()
    service.delayMs = 10
    const got = outcome(clock, tokens.get())
    await clock.settle()
    for (let attempt = 0; attempt < 7; attempt += 1) store.failures.push('compareAndSet')
    const startMs = clock.now()
    expect(isTokensError(await got, 'TOKEN_STORE_FAILED')).toBe(true)
    expect(clock.now() - startMs).toBe(10 + 30_500)
    expect(await outcome(clock, tokens.get())).toHaveProperty('token')
    expect(service.count('create')).toBe(1)
  })

  test('an unsaved token that another process has replaced is not a renewal: renew() creates another', async () => {
    const { clock, store, service, open } = setUp()
    const [tokens, other] = [open(), open()]
    service.delayMs = 10
    const got = outcome(clock, tokens.get({ wait: false }))
    await clock.settle()
    for (let attempt = 0; attempt < 7; attempt += 1) store.failures.push('compareAndSet')
    expect(isTokensError(await got, 'TOKEN_STORE_FAILED')).toBe(true)
    // After five minutes, a create without a recorded outcome allows another one.
    await clock.advance(310_000)
    expect(isTokensError(await outcome(clock, other.get({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    service.last().status = 'INVALID'
    await clock.advance(310_000)
    await outcome(clock, other.get({ wait: false }))
    expect(service.count('create')).toBe(2)
    expect(isTokensError(await outcome(clock, tokens.renew({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    expect(service.count('create')).toBe(3)
  })

  test('a token with a space inside, which a header can carry, is kept unchanged', async () => {
    const { clock, service, open } = setUp('sandbox')
    const value = { token: new Secret('Bearer 0123'), status: 'NORMAL', expiresAtMs: clock.now() + DAY_MS }
    service.next.create.push({ ok: true, value })
    const first = await outcome(clock, open().get())
    const again = await outcome(clock, open().get())
    expect([first, again].map((token) => (token as { token: Secret }).token.reveal())).toEqual([
      'Bearer 0123',
      'Bearer 0123',
    ])
  })

  test('onSecondFactor is called when a pending token is saved at last', async () => {
    const { clock, store, service, open } = setUp()
    const notices: SecondFactorNotice[] = []
    const tokens = open({ onSecondFactor: (notice) => notices.push(notice) })
    service.delayMs = 10
    const got = outcome(clock, tokens.get({ wait: false }))
    await clock.settle()
    for (let attempt = 0; attempt < 7; attempt += 1) store.failures.push('compareAndSet')
    expect(isTokensError(await got, 'TOKEN_STORE_FAILED')).toBe(true)
    expect(notices).toEqual([])
    expect(isTokensError(await outcome(clock, tokens.get({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    expect(notices).toMatchObject([{ type: 'pending', renewal: false }])
    expect(service.count('create')).toBe(1)
  })

  test.each(['current', 'ended'] as const)(
    'a renewal that could not be saved is saved at the next get(), next to a token that is %s',
    async (old) => {
      const { clock, store, service, tokens, open } = await verified()
      const notices: SecondFactorNotice[] = []
      const mine = open({ onSecondFactor: (notice) => notices.push(notice) })
      if (old === 'ended') {
        service.last().status = 'INVALID'
        const token = (await tokens.get())?.token as Secret
        await tokens.reportRejected(token, { status: 401, code: 'INVALID_TOKEN' }).catch(() => {})
      }
      await clock.advance(600_000)
      service.delayMs = 10
      const renewToken = outcome(clock, mine.renew({ wait: false }))
      await clock.settle()
      if (old === 'current') await clock.advance(15)
      for (let attempt = 0; attempt < 7; attempt += 1) store.failures.push('compareAndSet')
      expect(isTokensError(await renewToken, 'TOKEN_STORE_FAILED')).toBe(true)
      expect(store.entries.get(KEY)).not.toContain('secret-token-2')
      const got = await outcome(clock, mine.get({ wait: false }))
      if (old === 'current') expect(got).toHaveProperty('token')
      else expect(isTokensError(got, 'TOKEN_PENDING')).toBe(true)
      await clock.advance(1000)
      expect(store.entries.get(KEY)).toContain('secret-token-2')
      expect(notices).toMatchObject([{ type: 'pending', renewal: old === 'current' }])
      expect(service.count('create')).toBe(2)
    },
  )

  test('onSecondFactor is not called for an expired window when its token is saved at last', async () => {
    const { clock, store, service, open } = await verified()
    const notices: SecondFactorNotice[] = []
    const mine = open({ onSecondFactor: (notice) => notices.push(notice) })
    await clock.advance(600_000)
    service.delayMs = 10
    const renewToken = outcome(clock, mine.renew({ wait: false }))
    await clock.settle()
    await clock.advance(15)
    for (let attempt = 0; attempt < 7; attempt += 1) store.failures.push('compareAndSet')
    expect(isTokensError(await renewToken, 'TOKEN_STORE_FAILED')).toBe(true)
    await clock.advance(300_000)
    expect(await outcome(clock, mine.get())).toHaveProperty('token')
    await clock.advance(1000)
    expect(notices).toEqual([])
  })

  test.each(['NORMAL', 'INVALID'])(
    'a save without a response is not repeated over newer states of the token: %s',
    async (status) => {
      const { clock, store, service, open } = setUp()
      let cut: 'at the save' | 'yes' | 'no' = 'no'
      const cutOff: Store = {
        ...store,
        get: async (key) => {
          if (cut === 'yes' && key === KEY) throw new Error('no network')
          return store.get(key)
        },
        compareAndSet: async (key, expected, next) => {
          if (cut === 'yes' && key === KEY) throw new Error('no network')
          const isSet = await store.compareAndSet(key, expected, next)
          if (cut === 'at the save' && key === KEY) {
            cut = 'yes'
            throw new Error('no network')
          }
          return isSet
        },
      }
      const notices: SecondFactorNotice[] = []
      const first = open({ store: cutOff, onSecondFactor: (notice) => notices.push(notice) })
      service.delayMs = 10
      const got = outcome(clock, first.get({ wait: false }))
      await clock.settle()
      cut = 'at the save'
      expect(isTokensError(await got, 'TOKEN_STORE_FAILED')).toBe(true)
      expect(store.entries.get(KEY)).toContain('secret-token-1')
      if (status === 'NORMAL') service.approve()
      else service.last().status = status
      const second = open()
      await outcome(clock, second.get())
      const stored = store.entries.get(KEY)
      cut = 'no'
      const again = await outcome(clock, first.get({ wait: false }))
      await clock.settle()
      if (status === 'NORMAL') expect(again).toHaveProperty('token')
      else expect(isTokensError(again, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
      expect(store.entries.get(KEY)).toBe(stored)
      expect(notices).toEqual([])
      expect(service.count('create')).toBe(1)
    },
  )

  test('a rejected create is reported even if the response of the store was lost', async () => {
    const { clock, store, service, open } = await verified()
    await clock.advance(14 * DAY_MS)
    let writes = 0
    const mine = open({
      store: {
        ...store,
        compareAndSet: async (key, expected, next) => {
          const isSet = await store.compareAndSet(key, expected, next)
          if (key === KEY && service.count('create') === 2) writes += 1
          if (writes === 1 && key === KEY) throw new Error('no network')
          return isSet
        },
      },
    })
    service.next.create.push(failure('rejected', { status: 403 }))
    expect(isTokensError(await outcome(clock, mine.renew()), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(writes).toBeGreaterThan(0)
    expect(service.count('create')).toBe(2)
  })

  test('a failing store does not block callers with wait: false', async () => {
    const { clock, store, service, tokens, open } = await verified()
    service.last().status = 'INVALID'
    const token = (await tokens.get())?.token as Secret
    await tokens.reportRejected(token, { status: 401, code: 'INVALID_TOKEN' }).catch(() => {})
    await clock.advance(600_000)
    service.delayMs = 10
    const mine = open()
    const renewToken = outcome(clock, mine.renew({ wait: false }))
    await clock.settle()
    for (let attempt = 0; attempt < 100; attempt += 1) store.failures.push('compareAndSet')
    expect(isTokensError(await renewToken, 'TOKEN_STORE_FAILED')).toBe(true)
    const startMs = clock.now()
    expect(
      isTokensError(await outcome(clock, mine.get({ wait: false })), 'TOKEN_SECOND_FACTOR_REQUIRED'),
    ).toBe(true)
    expect(clock.now() - startMs).toBe(5000)
    await clock.advance(60_000)
    expect(isTokensError(await outcome(clock, mine.get()), 'TOKEN_STORE_FAILED')).toBe(true)
  })

  test('no other process starts a create while a token is being saved', async () => {
    const { clock, store, service, open } = setUp()
    service.delayMs = 10
    const first = open()
      .get()
      .catch(() => {})
    await clock.settle()
    for (let attempt = 0; attempt < 6; attempt += 1) store.failures.push('compareAndSet')
    await clock.advance(20)
    const second = open()
      .get()
      .catch(() => {})
    await clock.advance(31_000)
    expect(store.failures).toEqual([])
    service.approve()
    await clock.advance(10_000)
    await Promise.all([first, second])
    expect(service.count('create')).toBe(1)
  })

  test('a create that waits to be sent is cancelled with its caller, and a sent one is not', async () => {
    const { clock, service, open } = setUp()
    const limited = {
      ...service.endpoints,
      async create(input: object, options: TokenCallOptions) {
        try {
          await sleep(clock, 4000, options.unsentSignal)
        } catch {
          return failure('not-sent')
        }
        return service.endpoints.create(input, options)
      },
    }
    service.delayMs = 1000
    for (const [leavesAtMs, creates] of [
      [3000, 0],
      [4500, 1],
    ] as const) {
      const tokens = open({ endpoints: limited })
      const controller = new AbortController()
      const got = tokens.get({ signal: controller.signal }).catch((reason: unknown) => reason)
      await clock.advance(leavesAtMs)
      controller.abort('gone')
      expect(await got).toBe('gone')
      await clock.advance(10_000)
      expect(service.count('create')).toBe(creates)
    }
    // close() cancels it as well.
    const { open: openOther, service: other, clock: otherClock } = setUp()
    const endpoints = { ...other.endpoints, create: limited.create }
    const tokens = openOther({ endpoints, clock: otherClock })
    const got = tokens.get().catch(() => {})
    await otherClock.settle()
    await tokens.close()
    await got
    expect(other.count('create')).toBe(0)
  })

  test('a port that returns no result leaves the outcome of the call unknown', async () => {
    const token = new Secret('secret-token')
    const error = new Error('secret-in-error')
    for (const nothing of [
      undefined,
      {},
      { ok: true },
      { ok: true, value: {} },
      { ok: true, value: { token: 'text', status: 'NORMAL' } },
      { ok: true, value: { token, status: 7 } },
      { ok: true, value: { token, status: 'NORMAL', expiresAtMs: Number.NaN } },
      { ok: true, value: { token, status: 'NORMAL', issues: {} } },
      { ok: false },
      { ok: false, failure: {} },
      { ok: false, failure: { kind: 'rejected' } },
      { ok: false, failure: { kind: 'odd', error } },
      { ok: false, failure: { kind: 'rejected', error, code: 7 } },
      { ok: false, failure: { kind: 'rejected', error, status: '401' } },
      { ok: false, failure: { kind: 'rate-limited', error, retryAfterMs: '1' } },
      'text',
    ]) {
      const { clock, service, open } = setUp()
      const endpoints = { ...service.endpoints, create: async () => nothing as never }
      const error = await outcome(clock, open({ endpoints }).get())
      expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe('no-response')
      const again = await outcome(clock, open({ endpoints }).get())
      expect(isTokensError(again, 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    }
  })
})

describe('creates that fail in a row', () => {
  /** The instants of the creates while `get()` is called every 100 ms. */
  const createsWithin = async (made: ReturnType<typeof setUp>, forMs: number): Promise<number[]> => {
    const { clock, service, open } = made
    const tokens = open()
    const startMs = clock.now()
    const found: number[] = []
    while (clock.now() - startMs < forMs) {
      await outcome(clock, tokens.get({ wait: false }))
      while (found.length < service.count('create')) found.push(clock.now() - startMs)
      await clock.advance(100)
    }
    return found
  }

  test.each([
    ['sandbox', 'rejected', 401],
    ['sandbox', 'server-error', 500],
    ['production', 'rejected', 401],
  ] as const)('%s, %s: the waits grow to five minutes', async (environment, kind, status) => {
    const made = setUp(environment)
    for (let create = 0; create < 20; create += 1) made.service.next.create.push(failure(kind, { status }))
    const at = await createsWithin(made, 1_300_000)
    const waits = at.slice(1).map((ms, index) => ms - (at[index] as number))
    expect(waits).toEqual([100, 5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000])
  })

  test('get() reports why it does not create, and when it will', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    for (let create = 0; create < 2; create += 1) {
      service.next.create.push(failure('rejected', { status: 401 }))
      expect(isTokensError(await outcome(clock, tokens.get()), 'TOKEN_CALL_FAILED')).toBe(true)
    }
    await clock.advance(2000)
    const error = await outcome(clock, tokens.get())
    if (!isTokensError(error, 'TOKEN_CREATE_TOO_SOON')) throw error
    expect(error.details).toEqual({ outcome: 'failed', retryAfterMs: 3000 })
    expect(error.message).toMatch(/status 401.*; the next create is sent in 3 s at the earliest$/)
    expect(isTokensError(error.cause, 'TOKEN_CALL_FAILED')).toBe(true)
    await clock.advance(3000)
    const pending = await outcome(clock, tokens.get({ wait: false }))
    expect(isTokensError(pending, 'TOKEN_PENDING')).toBe(true)
  })

  test('renew() does not wait, because a person asked for it', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    for (let create = 0; create < 4; create += 1)
      service.next.create.push(failure('rejected', { status: 401 }))
    for (const call of [tokens.get, tokens.get, tokens.renew, tokens.renew])
      expect(isTokensError(await outcome(clock, call()), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(service.count('create')).toBe(4)
  })

  test('a service whose tokens are never usable is not called without end', async () => {
    const made = setUp('sandbox')
    const value = { token: new Secret('secret-dead'), status: 'INVALID', expiresAtMs: undefined }
    for (let create = 0; create < 20; create += 1) made.service.next.create.push({ ok: true, value })
    expect(await createsWithin(made, 30_000)).toHaveLength(4)
  })

  test('creates that were not sent do not count', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    for (let create = 0; create < 5; create += 1) {
      service.next.create.push(failure('not-sent'))
      expect(isTokensError(await outcome(clock, tokens.get()), 'TOKEN_CALL_FAILED')).toBe(true)
    }
    expect(service.count('create')).toBe(5)
  })
})
