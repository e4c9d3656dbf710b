import { Secret, type Store } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore, withoutLock } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { parseStoredAccessToken } from '../access/record.ts'
import { accessTokenStoreKey, clientTokenStoreKey } from '../shared-options.ts'
import { createTestClientService, failure } from '../test/service.ts'
import { isTokensError } from '../tokens-error.ts'
import { createClientTokens } from './client-tokens.ts'
import { parseStoredClientToken } from './machine.ts'

const HOUR_MS = 3_600_000
const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
const RECORD = 'client-token/production/us/app-1/https%3A%2F%2Fapi.test/anna'

function setUp() {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestClientService(clock)
  const open = (shared: Store = store) =>
    createClientTokens({
      endpoints: service.endpoints,
      store: shared,
      identity,
      clock,
      callTimeoutMs: 10_000,
    })
  return { clock, store, service, open, tokens: open() }
}

const fails = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  )

describe('a new pair on request', () => {
  test('renew: refresh refreshes at once, and every caller gets the new pair', async () => {
    const { service, open, tokens } = setUp()
    await tokens.get('anna')
    expect((await tokens.get('anna', { renew: 'refresh' })).accessToken.reveal()).toBe('secret-access-2')
    expect((await open().get('anna')).accessToken.reveal()).toBe('secret-access-2')
    expect(service.calls).toEqual(['create', 'refresh'])
  })

  test('a rejected refresh on request is an error, creates nothing and keeps the pair', async () => {
    const { service, tokens } = setUp()
    await tokens.get('anna')
    service.next.refresh.push(failure('rejected', { status: 417 }))
    const error = await fails(tokens.get('anna', { renew: 'refresh' }))
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.call).toBe('client-refresh')
    expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-1')
    expect(service.calls).toEqual(['create', 'refresh'])
  })

  test('a create that ended the sessions is reported even if its pair may not have been stored', async () => {
    const { clock, store, service, open } = setUp()
    let isArmed = false
    const tokens = open({
      ...store,
      async compareAndSet(...args: Parameters<Store['compareAndSet']>) {
        const isSet = await store.compareAndSet(...args)
        if (!isArmed) return isSet
        isArmed = false
        throw new Error('no answer')
      },
    })
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    service.next.refresh.push(failure('rejected', { status: 417 }))
    isArmed = true
    expect(await fails(tokens.get('anna'))).toMatchObject({ code: 'TOKEN_STORE_FAILED' })
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: true })
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: false })
    expect(service.calls).toEqual(['create', 'refresh', 'create'])
  })

  test.each(['refresh', 'create'] as const)(
    '%s: after a lost response the pair that it may have ended is used for 30 seconds at most',
    async (renew) => {
      const { clock, service, open, tokens } = setUp()
      await tokens.get('anna')
      service.next[renew].push(failure('no-response'))
      if (renew === 'refresh') service.next.refresh.push(failure('rejected', { status: 401 }))
      expect(isTokensError(await fails(tokens.get('anna', { renew })), 'TOKEN_CALL_FAILED')).toBe(true)
      const before = service.calls.length
      expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-1')
      await clock.advance(30_000)
      service.next.refresh.push(failure('rejected', { status: 401 }))
      expect(await open().get('anna')).toMatchObject({ replacedAllSessions: true })
      expect(service.calls.slice(before)).toEqual(['refresh', 'create'])
    },
  )

  test.each(['refresh', 'create'] as const)(
    '%s: after a lost save other processes use the old pair for 30 seconds at most',
    async (renew) => {
      const { clock, store, service, open, tokens } = setUp()
      await tokens.get('anna')
      let writes = 0
      const failing = open({
        ...store,
        async compareAndSet(...args: Parameters<Store['compareAndSet']>) {
          if (args[0] === RECORD) writes += 1
          if (writes === 2) throw new Error('no network')
          return store.compareAndSet(...args)
        },
      })
      expect(await fails(failing.get('anna', { renew }))).toMatchObject({ code: 'TOKEN_STORE_FAILED' })
      await clock.advance(30_000)
      service.next.refresh.push(failure('rejected', { status: 401 }))
      expect(await open().get('anna')).toMatchObject({ replacedAllSessions: true })
      expect(service.calls).toEqual(['create', renew, 'refresh', 'create'])
    },
  )

  test.each(['refresh', 'create'] as const)(
    '%s: nothing is sent if the store cannot record that the pair may end',
    async (renew) => {
      const { clock, store, service, tokens } = setUp()
      await tokens.get('anna')
      store.failures.push('compareAndSet')
      expect(await fails(tokens.get('anna', { renew }))).toMatchObject({ code: 'TOKEN_STORE_FAILED' })
      await clock.advance(HOUR_MS)
      expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-1')
      expect(service.calls).toEqual(['create'])
    },
  )

  test('a refresh that certainly failed leaves the pair unchanged until it expires', async () => {
    const { clock, service, tokens } = setUp()
    await tokens.get('anna')
    service.next.refresh.push(failure('rejected', { status: 417 }), failure('rate-limited'))
    for (let call = 0; call < 2; call += 1) await fails(tokens.get('anna', { renew: 'refresh' }))
    await clock.advance(HOUR_MS)
    expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-1')
    expect(service.calls).toEqual(['create', 'refresh', 'refresh'])
  })

  test('renew: create reports that it has ended the customer\u2019s sessions', async () => {
    const { service, tokens } = setUp()
    expect(await tokens.get('anna', { renew: 'create' })).toMatchObject({ replacedAllSessions: false })
    expect(await tokens.get('anna', { renew: 'create' })).toMatchObject({ replacedAllSessions: true })
    expect(service.calls).toEqual(['create', 'create'])
  })

  test('an unknown value of renew is rejected', async () => {
    const error = await fails(setUp().tokens.get('anna', { renew: 'both' as 'create' }))
    expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.details.option).toBe('renew')
  })
})

test('the stored pair can be read without a call', async () => {
  const { clock, store, service, tokens } = setUp()
  await tokens.get('anna')
  expect(clientTokenStoreKey(identity, 'anna')).toBe(RECORD)
  const stored = parseStoredClientToken(await store.get(clientTokenStoreKey(identity, 'anna')))
  expect(stored).toMatchObject({ issuedAtMs: clock.now() })
  expect(parseStoredClientToken(undefined)).toBeUndefined()
  expect(parseStoredAccessToken(undefined)).toEqual({})
  expect(accessTokenStoreKey(identity)).toBe('access-token/production/us/app-1/https%3A%2F%2Fapi.test')
  expect(service.calls).toEqual(['create'])
})

describe('lazy refresh', () => {
  test('a pair is created once, used for 80 % of its lifetime, then refreshed, without a timer', async () => {
    const { clock, service, tokens } = setUp()
    const first = await tokens.get('anna')
    expect(first.accessToken.reveal()).toBe('secret-access-1')
    expect(first).toMatchObject({ expiresAtMs: clock.now() + 2 * HOUR_MS, replacedAllSessions: false })
    expect(clock.pendingTimers).toBe(0)
    await clock.advance(1.6 * HOUR_MS - 1)
    expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-1')
    await clock.advance(1)
    expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-2')
    expect(service.calls).toEqual(['create', 'refresh'])
  })

  test('customers share no pairs, and the callers of one customer share one call', async () => {
    const { service, tokens } = setUp()
    const [one, two, other] = await Promise.all([tokens.get('anna'), tokens.get('anna'), tokens.get('bert')])
    expect(one?.accessToken.reveal()).toBe(two?.accessToken.reveal())
    expect(other?.accessToken.reveal()).not.toBe(one?.accessToken.reveal())
    expect(service.calls).toEqual(['create', 'create'])
  })

  test.each(['create', 'refresh'] as const)(
    'a customer whose name looks like a request to %s shares with no other customer',
    async (renew) => {
      const { service, tokens } = setUp()
      const [one, other] = await Promise.all([tokens.get('anna', { renew }), tokens.get(`${renew} anna`)])
      expect(one?.accessToken.reveal()).not.toBe(other?.accessToken.reveal())
      expect(service.calls).toEqual(['create', 'create'])
    },
  )

  test.each([true, false])(
    'two processes refresh one customer\u2019s pair once (store lock: %s)',
    async (locked) => {
      const { clock, store, service, open } = setUp()
      const shared = locked ? store : withoutLock(store)
      const [here, there] = [open(shared), open(shared)]
      await here.get('anna')
      await clock.advance(1.7 * HOUR_MS)
      service.delayMs = 2000
      const both = Promise.all([here.get('anna'), there.get('anna')])
      await clock.advance(30_000)
      const [one, two] = await both
      expect(one.accessToken.reveal()).toBe('secret-access-2')
      expect(two.accessToken.reveal()).toBe('secret-access-2')
      expect(service.mostInFlight).toBe(1)
      expect(service.calls).toEqual(['create', 'refresh'])
      expect(clock.pendingTimers).toBe(0)
    },
  )
})

describe('nothing logs a customer out without need', () => {
  test.each(['no-response', 'server-error', 'invalid-response'] as const)(
    '%s: the same refresh token is tried once more',
    async (kind) => {
      const { clock, service, tokens } = setUp()
      await tokens.get('anna')
      await clock.advance(1.7 * HOUR_MS)
      service.next.refresh.push(failure(kind))
      expect(await tokens.get('anna')).toMatchObject({
        replacedAllSessions: false,
        refreshFailure: undefined,
      })
      expect(service.calls).toEqual(['create', 'refresh', 'refresh'])
    },
  )

  test('if the response of a refresh is lost and the second try is rejected, a create follows and is reported', async () => {
    const { clock, service, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    service.loseResponses = 1
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: true })
    expect(service.calls).toEqual(['create', 'refresh', 'refresh', 'create'])
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: false })
  })

  test.each([
    ['401', failure('rejected', { status: 401, code: 'INVALID_TOKEN' })],
    ['401 without a code', failure('rejected', { status: 401 })],
    ['417', failure('rejected', { status: 417, code: 'INVALID_PARAMETER' })],
  ])('a definite rejection, %s, is followed by a create', async (_name, answer) => {
    const { clock, service, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    service.next.refresh.push(answer)
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: true })
  })

  test.each([
    ['the clock is wrong', failure('rejected', { status: 401, code: 'ILLEGAL_TIMESTAMP' })],
    ['the signature is missing', failure('rejected', { status: 401, code: 'MISSING_SIGNATURE' })],
    ['403', failure('rejected', { status: 403, code: 'APP_NOT_ACTIVATED' })],
    ['429', failure('rate-limited', { status: 429, retryAfterMs: 5000 })],
    ['not sent', failure('not-sent')],
  ])(
    '%s: the token is returned until it expires, then get() fails, and nothing is created',
    async (_name, answer) => {
      const { clock, service, tokens } = setUp()
      await tokens.get('anna')
      await clock.advance(1.7 * HOUR_MS)
      service.next.refresh.push(answer, answer)
      const token = await tokens.get('anna')
      expect(token.accessToken.reveal()).toBe('secret-access-1')
      expect(token.refreshFailure?.details.kind).toBe(answer.failure.kind)
      await tokens.get('anna')
      expect(service.calls).toEqual(['create', 'refresh'])
      await clock.advance(HOUR_MS)
      const error = await fails(tokens.get('anna'))
      expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.call).toBe('client-refresh')
      expect(service.calls).toEqual(['create', 'refresh', 'refresh'])
      expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-2')
    },
  )

  test('after a failed refresh of one process the others do not try for 30 seconds', async () => {
    const { clock, service, open, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    service.next.refresh.push(failure('not-sent'))
    expect((await tokens.get('anna')).refreshFailure?.details.kind).toBe('not-sent')
    await clock.advance(29_999)
    expect((await open().get('anna')).accessToken.reveal()).toBe('secret-access-1')
    await clock.advance(1)
    expect((await open().get('anna')).accessToken.reveal()).toBe('secret-access-2')
    expect(service.calls).toEqual(['create', 'refresh', 'refresh'])
  })

  test('after the refresh token has expired a create is sent without a refresh', async () => {
    const { clock, service, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(15 * 24 * HOUR_MS)
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: true })
    expect(service.calls).toEqual(['create', 'create'])
  })

  test('a failed create changes nothing', async () => {
    const { clock, service, tokens } = setUp()
    service.next.create.push(failure('server-error', { status: 500 }))
    expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_CALL_FAILED')).toBe(true)
    await tokens.get('anna')
    await clock.advance(15 * 24 * HOUR_MS)
    service.next.create.push(failure('no-response'))
    expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(await tokens.get('anna')).toMatchObject({ replacedAllSessions: true })
  })

  test('a port that returns no pair leaves the outcome of the call unknown', async () => {
    const { clock, store, service } = setUp()
    const secret = new Secret('secret-token')
    const pair = { accessToken: secret, expiresAtMs: 1e13, refreshToken: secret, refreshExpiresAtMs: 1e13 }
    for (const name of Object.keys(pair)) {
      const create = async () => ({ ok: true as const, value: { ...pair, [name]: undefined } as never })
      const endpoints = { ...service.endpoints, create }
      const error = await fails(createClientTokens({ endpoints, store, identity, clock }).get('anna'))
      expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe('no-response')
    }
  })

  test('a malformed record is an error and is kept', async () => {
    const { store, service, tokens } = setUp()
    for (const text of ['', '{"format":1}', 'secret', '{"format":1,"accessToken":"a","expiresAtMs":"x"}']) {
      store.entries.set(RECORD, text)
      const error = await fails(tokens.get('anna'))
      expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe('malformed')
    }
    store.entries.set(RECORD, '{"format":7}')
    const error = await fails(tokens.get('anna'))
    expect(isTokensError(error, 'TOKEN_RECORD_INVALID') && error.details.reason).toBe('newer-format')
    expect(service.calls).toEqual([])
  })
})

describe('saved before it is used', () => {
  test('if the store fails get() fails, and the new pair is saved at the next call', async () => {
    const { clock, store, service, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    store.failures.push('compareAndSet')
    expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_STORE_FAILED')).toBe(true)
    expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-2')
    expect(store.entries.get(RECORD)).toContain('secret-refresh-2')
    expect(service.calls).toEqual(['create', 'refresh'])
  })

  test.each(['refresh', 'create'] as const)(
    'a pair of a %s that expired before it was saved is refreshed, without an error',
    async (call) => {
      const { clock, store, service, tokens } = setUp()
      await tokens.get('anna')
      await clock.advance(1.7 * HOUR_MS)
      if (call === 'create') service.next.refresh.push(failure('rejected', { status: 417 }))
      store.failures.push('compareAndSet')
      expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_STORE_FAILED')).toBe(true)
      await clock.advance(3 * HOUR_MS)
      const before = service.calls.length
      const got = await tokens.get('anna')
      expect(service.calls.slice(before)).toEqual(['refresh'])
      expect(got.expiresAtMs).toBeGreaterThan(clock.now())
      expect(got.replacedAllSessions).toBe(call === 'create')
      expect((await tokens.get('anna')).replacedAllSessions).toBe(false)
    },
  )

  test.each([1000, 3000])(
    'pairs that expire before they are saved cause one call and an error, with refresh tokens of %i ms',
    async (lifeMs) => {
      const { clock, store, service, open } = setUp()
      const slow: Store = {
        ...store,
        compareAndSet: async (key, expected, next) => {
          await sleep(clock, 2000)
          return store.compareAndSet(key, expected, next)
        },
      }
      const short = (name: string) => ({
        accessToken: new Secret(`secret-access-${name}`),
        expiresAtMs: clock.now() + 1000,
        refreshToken: new Secret(`secret-refresh-${name}`),
        refreshExpiresAtMs: clock.now() + lifeMs,
      })
      const tokens = open(slow)
      service.next.create.push({ ok: true, value: short('a') })
      const error = fails(tokens.get('anna'))
      await clock.advance(60_000)
      expect(isTokensError(await error, 'TOKEN_RESPONSE_INVALID')).toBe(true)
      expect(service.calls).toEqual(['create'])
    },
  )

  test('a pair that another process saved in between is the newer one', async () => {
    const { clock, store, service, open, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    service.delayMs = 20_000
    const stopped = createClientTokens({
      endpoints: service.endpoints,
      store: withoutLock(store),
      identity,
      clock,
    })
    const slow = stopped.get('anna')
    await clock.advance(1000)
    // As after the end of its lease, another process refreshes, and is faster.
    service.delayMs = 0
    const other = await open().get('anna')
    await clock.advance(30_000)
    expect((await slow).accessToken.reveal()).toBe(other.accessToken.reveal())
    expect(store.entries.get(RECORD)).toContain(other.accessToken.reveal())
  })

  test('an unsaved pair is kept if another process records that its refresh has failed', async () => {
    const { clock, store, service, open } = setUp()
    const [here, there] = [open(), open()]
    await here.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    store.failures.push('compareAndSet')
    expect(isTokensError(await fails(here.get('anna')), 'TOKEN_STORE_FAILED')).toBe(true)
    service.next.refresh.push(failure('rate-limited'))
    expect(await there.get('anna')).toHaveProperty('refreshFailure.code', 'TOKEN_CALL_FAILED')
    for (const tokens of [here, there])
      expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-2')
    expect(service.calls).toEqual(['create', 'refresh', 'refresh'])
  })

  test('renew: create sends a create although the pair of a refresh is unsaved', async () => {
    const { clock, store, service, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    store.failures.push('compareAndSet')
    expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_STORE_FAILED')).toBe(true)
    const token = await tokens.get('anna', { renew: 'create' })
    expect(token.accessToken.reveal()).toBe('secret-access-3')
    expect(token.replacedAllSessions).toBe(true)
    expect(service.calls).toEqual(['create', 'refresh', 'create'])
  })

  test('renew: create returns the unsaved pair of a create, which has ended the sessions', async () => {
    const { store, service, tokens } = setUp()
    store.failures.push('compareAndSet')
    expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_STORE_FAILED')).toBe(true)
    expect((await tokens.get('anna', { renew: 'create' })).accessToken.reveal()).toBe('secret-access-1')
    expect(service.calls).toEqual(['create'])
  })

  test('a holder that lost its lock and whose refresh failed does not overwrite the next holder\u2019s pair', async () => {
    const { clock, store, service, open } = setUp()
    const unlocked = { ...store, lock: async () => ({ release: async () => {} }) }
    const [late, next] = [open(unlocked), open(unlocked)]
    await late.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    service.next.refresh.push(failure('rate-limited'))
    const failed = late.get('anna')
    service.delayMs = 3000
    const got = next.get('anna')
    await clock.advance(10_000)
    expect(await failed).toHaveProperty('refreshFailure.code', 'TOKEN_CALL_FAILED')
    expect((await got).accessToken.reveal()).toBe('secret-access-2')
    expect((await late.get('anna')).accessToken.reveal()).toBe('secret-access-2')
    expect(service.calls).toEqual(['create', 'refresh', 'refresh'])
  })

  test('an aborted caller does not lose the pair', async () => {
    const { clock, store, service, tokens } = setUp()
    service.delayMs = 1000
    const controller = new AbortController()
    const got = tokens.get('anna', { signal: controller.signal })
    const error = fails(got)
    await clock.advance(500)
    controller.abort(new Error('enough'))
    expect(await error).toHaveProperty('message', 'enough')
    await clock.advance(1000)
    expect(store.entries.get(RECORD)).toContain('secret-refresh-1')
  })

  test('close() waits for a call that was sent', async () => {
    const { clock, store, service, tokens } = setUp()
    service.delayMs = 1000
    const got = fails(tokens.get('anna'))
    await clock.settle()
    const disposed = tokens.close()
    await clock.advance(1000)
    await disposed
    await got
    expect(store.entries.get(RECORD)).toContain('secret-refresh-1')
    expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_CLOSED')).toBe(true)
  })

  test('close() aborts a get() that waits for the lock of another process', async () => {
    const { clock, store, tokens } = setUp()
    const lock = await store.lock?.(RECORD)
    const error = fails(tokens.get('anna'))
    await clock.settle()
    await tokens.close()
    expect(await error).toMatchObject({
      code: 'TOKEN_CLOSED',
      message: 'get() was aborted by close() or called after it. Create the client tokens again',
    })
    await lock?.release()
  })

  test('a pair that arrives expired is an error, and its refresh token is kept', async () => {
    const { clock, service, tokens } = setUp()
    await tokens.get('anna')
    await clock.advance(1.7 * HOUR_MS)
    const { Secret } = await import('@brokerwire/core')
    service.next.refresh.push({
      ok: true,
      value: {
        accessToken: new Secret('secret-old'),
        expiresAtMs: clock.now() - 1,
        refreshToken: new Secret('secret-refresh-x'),
        refreshExpiresAtMs: clock.now() + HOUR_MS,
      },
    })
    const error = await fails(tokens.get('anna'))
    expect(isTokensError(error, 'TOKEN_RESPONSE_INVALID') && error.details.field).toBe('expires_at')
  })
})

test.each<[string, unknown]>([
  ['empty', ''],
  ['a number', 5],
  ['missing', undefined],
  ['too long', 'x'.repeat(1025)],
  ['half a character', '\ud800'],
])('a customer id is checked: %s', async (_name, id) => {
  const { tokens } = setUp()
  const error = await fails(tokens.get(id as string))
  expect(isTokensError(error, 'TOKEN_OPTION_INVALID') && error.details.option).toBe('clientUserId')
})

test('options are checked by name', () => {
  const { service, store, clock } = setUp()
  const good = { endpoints: service.endpoints, store, identity, clock }
  for (const [option, change] of [
    ['endpoints.create', { endpoints: {} }],
    ['endpoints.refresh', { endpoints: { create: service.endpoints.create } }],
    ['store.get', { store: {} }],
    ['identity', { identity: null }],
    ['identity.appKey', { identity: { ...identity, appKey: '' } }],
    ['identity.region', { identity: { ...identity, region: 'us\n' } }],
    ['callTimeoutMs', { callTimeoutMs: 0 }],
    ['observer', { observer: 'x' }],
  ] as const) {
    const make = (): unknown => createClientTokens({ ...good, ...change } as never)
    expect(make).toThrow(
      expect.objectContaining({ code: 'TOKEN_OPTION_INVALID', details: expect.objectContaining({ option }) }),
    )
  }
})

describe('a store that does not keep what it is given', () => {
  test('one create is sent, get() fails with TOKEN_STORE_FAILED, and the pair is saved when the store works again', async () => {
    const { store, service, open } = setUp()
    let isWell = false
    const sick: Store = {
      ...withoutLock(store),
      lock: (acquireLock, options) => store.lock(acquireLock, options as never),
      compareAndSet: (...change) => (isWell ? store.compareAndSet(...change) : Promise.resolve(false)),
    }
    const tokens = open(sick)
    for (let call = 0; call < 3; call += 1)
      expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_STORE_FAILED')).toBe(true)
    isWell = true
    expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-1')
    expect(service.calls).toEqual(['create'])
  })

  test('a pair that another process wrote in between is used', async () => {
    const { clock, store, service, open } = setUp()
    service.delayMs = 100
    const [here, there] = [open(), open({ ...store, lock: async () => ({ release: async () => {} }) })]
    const both = Promise.all([here.get('anna'), there.get('anna')])
    await clock.advance(1000)
    const [one, two] = await both
    expect(one.accessToken.reveal()).toBe(two.accessToken.reveal())
    expect(service.calls).toHaveLength(2)
  })
})

test('ended sessions are reported once at the next call if the caller of the create had aborted', async () => {
  const { clock, service, tokens } = setUp()
  await tokens.get('anna')
  await clock.advance(1.7 * HOUR_MS)
  service.next.refresh.push(failure('rejected', { status: 417 }))
  service.delayMs = 1000
  const controller = new AbortController()
  const waiting = fails(tokens.get('anna', { signal: controller.signal }))
  await clock.advance(1500)
  controller.abort('gone')
  expect(await waiting).toBe('gone')
  await clock.advance(2000)
  expect((await tokens.get('anna')).replacedAllSessions).toBe(true)
  expect((await tokens.get('anna')).replacedAllSessions).toBe(false)
  expect(service.calls).toEqual(['create', 'refresh', 'create'])
})

test('a pair that arrived while this host\u2019s clock was ahead is never returned after its expiry', async () => {
  const { clock, service, tokens } = setUp()
  const startMs = clock.now()
  clock.jumpTo(startMs + 10 * HOUR_MS)
  const value = {
    accessToken: new Secret('secret-access-early'),
    expiresAtMs: startMs + 2 * HOUR_MS,
    refreshToken: new Secret('secret-refresh-early'),
    refreshExpiresAtMs: startMs + 15 * 24 * HOUR_MS,
  }
  service.next.create.push({ ok: true, value })
  expect(isTokensError(await fails(tokens.get('anna')), 'TOKEN_RESPONSE_INVALID')).toBe(true)
  clock.jumpTo(startMs + HOUR_MS)
  expect((await tokens.get('anna')).accessToken.reveal()).toBe('secret-access-early')
  clock.jumpTo(startMs + 2 * HOUR_MS)
  service.next.refresh.push({ ok: true, value: { ...value, expiresAtMs: startMs + 4 * HOUR_MS } })
  expect((await tokens.get('anna')).expiresAtMs).toBe(startMs + 4 * HOUR_MS)
  expect(service.calls).toEqual(['create', 'refresh'])
})
