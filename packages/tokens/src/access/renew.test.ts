import { Secret } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { DAY_MS, HOUR_MS, KEY, outcome, setUp, verified } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'

describe('renew()', () => {
  test('it checks first, then creates with the previous token, which stays in use until the new one is verified', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(14 * DAY_MS)
    const renewToken = tokens.renew()
    await clock.settle()
    expect(service.calls.slice(-2)).toMatchObject([
      { call: 'check', body: 'secret-token-1' },
      { call: 'create', body: 'secret-token-1' },
    ])
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    service.approve()
    await clock.advance(5000)
    expect((await renewToken)?.token.reveal()).toBe('secret-token-2')
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
  })

  test('a later expiry from the service makes a create unnecessary', async () => {
    const { clock, service, tokens } = await verified()
    service.last().expiresAtMs = clock.now() + 20 * DAY_MS
    expect(await tokens.renew()).toMatchObject({ expiresAtMs: clock.now() + 20 * DAY_MS })
    expect(service.count('create')).toBe(1)
  })

  test('an expiry that moved by less than an hour does not make a create unnecessary', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    service.last().expiresAtMs = (service.last().expiresAtMs ?? 0) + HOUR_MS - 1
    expect(isTokensError(await outcome(clock, tokens.renew({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    expect(service.count('create')).toBe(2)
  })

  test('the first expiry that the service states for a token does not make a create unnecessary', async () => {
    const { clock, service, store, tokens } = await verified()
    const { token } = JSON.parse(store.entries.get(KEY) ?? '').current
    store.entries.set(KEY, JSON.stringify({ format: 1, current: { token } }))
    await clock.advance(HOUR_MS)
    expect(isTokensError(await outcome(clock, tokens.renew({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    expect(service.count('create')).toBe(2)
  })

  test('it creates no second pending token, even if by this host\u2019s clock the window of the first has ended', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    const value = { token: new Secret('secret-token-2'), status: 'PENDING', expiresAtMs: undefined }
    for (const jumpMs of [310_000, HOUR_MS]) {
      clock.jumpTo(clock.now() + jumpMs)
      for (let check = 0; check < 3; check += 1) service.next.check.push({ ok: true, value })
      const error = await outcome(clock, tokens.renew({ wait: false }))
      expect(isTokensError(error, 'TOKEN_PENDING')).toBe(true)
      service.next.check.length = 0
    }
    expect(service.count('create')).toBe(2)
  })

  test.each([
    { status: 401, code: 'ILLEGAL_TIMESTAMP' },
    { status: 403, code: 'ACCOUNT_ACCESS_DENIED' },
    { status: 404 },
  ])('a rejection for another reason than the token, %j, keeps the pending token', async (refusal) => {
    const { clock, service, store, tokens } = await verified()
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    const startMs = clock.now()
    for (const passedMs of [310_000, DAY_MS - 1]) {
      clock.jumpTo(startMs + passedMs)
      service.next.check.push(failure('rejected', refusal))
      const error = await outcome(clock, tokens.renew({ wait: false }))
      expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details).toMatchObject(refusal)
      expect(store.entries.get(KEY)).toContain('secret-token-2')
    }
    expect(service.count('create')).toBe(2)
    // After a day the pending token is abandoned, so that a renewal is possible again.
    clock.jumpTo(startMs + DAY_MS)
    service.next.check.push(failure('rejected', refusal))
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(3)
  })

  test('a new token that is NORMAL is used at once', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    const value = { token: new Secret('secret-next'), status: 'NORMAL', expiresAtMs: clock.now() + DAY_MS }
    service.next.create.push({ ok: true, value })
    expect((await tokens.renew())?.token.reveal()).toBe('secret-next')
  })

  test('it never creates two pending tokens, nor two tokens within five minutes', async () => {
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

  test('a pending token whose window ended unobserved is checked first, then replaced', async () => {
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

  test('get() notices a verification that happened while no process polled', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    await outcome(clock, tokens.renew({ wait: false }))
    service.approve()
    await clock.advance(60_000)
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    await clock.settle()
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
  })

  test('it fails if the window of the new token ended, even if the old token is usable', async () => {
    const { clock, service, open, tokens } = await verified()
    await clock.advance(14 * DAY_MS)
    const other = open()
    const first = tokens.renew().catch((error: unknown) => error)
    await clock.advance(10_000)
    const second = outcome(clock, other.renew())
    for (const error of await Promise.all([first, second]))
      expect(isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')).toBe(true)
    expect((await other.get())?.token.reveal()).toBe('secret-token-1')
    expect(service.count('create')).toBe(2)
  })

  test('it fails if the service ended the pending token', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(14 * DAY_MS)
    const renewToken = tokens.renew()
    await clock.settle()
    service.last().status = 'INVALID'
    const error = await outcome(clock, renewToken)
    expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') && error.details.lastStatus).toBe('INVALID')
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
  })

  test('the error names the status of the new token and states that the old one is usable', async () => {
    const { clock, service, open, tokens } = await verified()
    await clock.advance(14 * DAY_MS)
    const first = outcome(clock, tokens.renew())
    await clock.advance(10_000)
    const second = outcome(clock, open().renew())
    await clock.advance(1000)
    service.last().status = 'INVALID'
    for (const error of await Promise.all([first, second]))
      expect(error).toMatchObject({
        code: 'TOKEN_SECOND_FACTOR_REQUIRED',
        message:
          'the new token has ended (last known status: INVALID), and the token before it stays in use. Call renew() when a person can enter a code',
        details: { lastStatus: 'INVALID' },
      })
  })

  test('a token that is EXPIRED before its window ended by this host\u2019s clock is reported as expired', async () => {
    const { clock, service, open, tokens } = await verified()
    await clock.advance(14 * DAY_MS)
    const first = outcome(clock, tokens.renew())
    await clock.advance(10_000)
    const second = outcome(clock, open().renew())
    await clock.advance(1000)
    service.last().status = 'EXPIRED'
    for (const error of await Promise.all([first, second]))
      expect(isTokensError(error, 'TOKEN_VERIFICATION_EXPIRED')).toBe(true)
  })

  test('a failed check creates nothing, and a rejected one does not prevent the create', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(HOUR_MS)
    service.next.check.push(failure('no-response'))
    expect(isTokensError(await outcome(clock, tokens.renew()), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(service.count('create')).toBe(1)
    service.next.check.push(failure('rejected', { status: 417 }))
    await outcome(clock, tokens.renew({ wait: false }))
    expect(service.count('create')).toBe(2)
  })

  test('it creates a token after the last one has ended', async () => {
    const { clock, service, tokens } = await verified()
    service.last().status = 'INVALID'
    await clock.advance(HOUR_MS)
    const rejected = tokens.reportRejected((await tokens.get())?.token as never, {
      status: 401,
      code: 'INVALID_TOKEN',
    })
    expect(isTokensError(await outcome(clock, rejected), 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
    const renewToken = tokens.renew()
    await clock.settle()
    service.approve()
    expect(await outcome(clock, renewToken)).toHaveProperty('token')
  })
})

describe('renew() while another create is in flight', () => {
  const value = (status: string) => ({ token: new Secret('secret-first'), status, expiresAtMs: undefined })
  const OUTCOMES: readonly [
    name: string,
    answer: ReturnType<typeof failure> | { ok: true; value: never },
    code: string | undefined,
  ][] = [
    ['whose outcome is not known', failure('server-error'), 'TOKEN_CREATE_TOO_SOON'],
    ['that is not answered', failure('no-response'), 'TOKEN_CREATE_TOO_SOON'],
    [
      'that gives a token that is over',
      { ok: true, value: value('INVALID') as never },
      'TOKEN_CREATE_TOO_SOON',
    ],
    ['that gives a token', { ok: true, value: value('NORMAL') as never }, undefined],
    ['that gives a pending token', { ok: true, value: value('PENDING') as never }, 'TOKEN_PENDING'],
  ]
  describe.each([
    ['of this process', false],
    ['of another process', true],
  ])('%s', (_, isOther) => {
    test.each(OUTCOMES)('%s: one create is sent', async (_name, answer, code) => {
      const { clock, service, open } = setUp()
      service.delayMs = 1000
      service.next.create.push(answer)
      const here = open()
      const first = here.get({ wait: false }).catch(() => {})
      await clock.advance(500)
      const renewToken = await outcome(clock, (isOther ? open() : here).renew({ wait: false }))
      await first
      if (code === undefined) expect(renewToken).toHaveProperty('token')
      else expect(isTokensError(renewToken, code as never)).toBe(true)
      expect(service.count('create')).toBe(1)
    })
  })

  test('if the other create was never sent, renew() sends its own', async () => {
    const { clock, service, open } = setUp()
    service.delayMs = 1000
    service.next.create.push(failure('not-sent'))
    const first = open()
      .get({ wait: false })
      .catch(() => {})
    await clock.advance(500)
    expect(isTokensError(await outcome(clock, open().renew({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    await first
    expect(service.count('create')).toBe(2)
    expect(service.mostCreatesInFlight).toBe(1)
  })
})
