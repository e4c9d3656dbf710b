import { Secret } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { HOUR_MS, KEY, outcome, setUp, verified } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'

describe('a rejected token', () => {
  const INVALID = { status: 401, code: 'INVALID_TOKEN' }

  test.each([{ status: 401, code: 'UNAUTHORIZED' }, { status: 403, code: 'INVALID_TOKEN' }, { status: 401 }])(
    'another failure does not affect the token: %o',
    async (rejection) => {
      const { service, tokens } = await verified()
      const checks = service.count('check')
      const token = (await tokens.get())?.token as never
      expect(await tokens.reportRejected(token, rejection)).toEqual({ changed: false })
      expect(service.count('check')).toBe(checks)
    },
  )

  test('a token that is still NORMAL at the service is kept', async () => {
    const { tokens } = await verified()
    const token = (await tokens.get())?.token as never
    expect(await tokens.reportRejected(token, INVALID)).toEqual({ changed: false })
  })

  test('a newer token of another process is used without a call', async () => {
    const { clock, service, store, tokens } = await verified()
    const old = (await tokens.get())?.token as never
    store.entries.set(KEY, (store.entries.get(KEY) ?? '').replace('secret-token-1', 'secret-newer'))
    const made = service.calls.length
    const result = await outcome(clock, tokens.reportRejected(old, INVALID))
    expect(result).toMatchObject({ changed: true })
    expect((await tokens.get())?.token.reveal()).toBe('secret-newer')
    expect(service.calls.length).toBe(made)
  })

  test('in production an invalidated token fails the call at once', async () => {
    const { clock, service, store, tokens } = await verified()
    service.last().status = 'INVALID'
    const token = (await tokens.get())?.token as never
    const error = await outcome(clock, tokens.reportRejected(token, INVALID))
    expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') && error.details.lastStatus).toBe('INVALID')
    expect(store.entries.get(KEY)).not.toContain('secret-token-1')
    expect(service.count('create')).toBe(1)
  })

  test('a check rejected with INVALID_TOKEN invalidates the token, too', async () => {
    const { clock, service, tokens } = await verified()
    service.next.check.push(failure('rejected', INVALID))
    const token = (await tokens.get())?.token as never
    const error = await outcome(clock, tokens.reportRejected(token, INVALID))
    expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
  })

  test('in production a rejection with an empty store starts no second factor', async () => {
    const { clock, service, open } = setUp()
    const error = await outcome(clock, open().reportRejected(new Secret('foreign'), INVALID))
    expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
    expect(service.count('create')).toBe(0)
  })

  test('in a sandbox one create is sent, however many callers report it', async () => {
    const { clock, service, open } = setUp('sandbox')
    const tokens = open()
    const token = (await tokens.get())?.token as never
    service.last().status = 'EXPIRED'
    const results = await Promise.all(
      Array.from({ length: 5 }, () => outcome(clock, tokens.reportRejected(token, INVALID))),
    )
    for (const result of results) expect(result).toMatchObject({ changed: true })
    expect(service.count('create')).toBe(2)
  })

  test('during a renewal the pending token is checked, and TOKEN_PENDING is thrown if it still waits', async () => {
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

test('a token that the service has just confirmed as NORMAL is not checked again at once', async () => {
  const { clock, service, tokens } = await verified()
  const before = service.count('check')
  const token = (await tokens.get())?.token as Secret
  for (let call = 0; call < 20; call += 1)
    expect(await tokens.reportRejected(token, { status: 401, code: 'INVALID_TOKEN' })).toEqual({
      changed: false,
    })
  expect(service.count('check') - before).toBe(1)
  await clock.advance(5000)
  await tokens.reportRejected(token, { status: 401, code: 'INVALID_TOKEN' })
  expect(service.count('check') - before).toBe(2)
})
