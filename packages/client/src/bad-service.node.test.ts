/**
 * Faults of the service at the token endpoints. Each leads to a typed error within its deadline, and afterwards the same objects
 * over the same store get a token.
 */
import { type Clock, type FetchLike, systemClock } from '@brokerwire/core'
import { isTokensError } from '@brokerwire/tokens'
import { describe, expect, test } from 'vitest'
import type { BrokerageOptions } from './index.ts'
import { holdLimits } from './test/held-limits.ts'
import { rejection, type SetUp, startSetUp } from './test/set-up.ts'

type Fault = Parameters<SetUp['simulator']['faults']['nextHttp']>[0]

const CREATE = '/auth/tokens/create'
const CHECK = '/auth/tokens/check'
const CLIENT_CREATE = '/auth/client-tokens/create'
const CLIENT_REFRESH = '/auth/client-tokens/refresh'
const TOKEN = '0123456789abcdef0123456789abcdef'
const TEN_MB = 10 * 1024 * 1024
/** Time limit of an attempt. No other timer has this length, and it never passes: see `openFor`. */
const TIMEOUT_MS = 19_999

const text = (body: string, status = 200): Fault => ({ kind: 'respond', status, body })
const json = (fields: object): Fault => text(JSON.stringify(fields))
const later = Date.now() + 86_400_000
const good = { token: TOKEN, expires_at: later, status: 'NORMAL' }

/** Faults of a create, with the code of the error. */
const BAD: Readonly<Record<string, readonly [string, Fault]>> = {
  'malformed JSON': ['TOKEN_CALL_FAILED', text(`{"token":"${TOKEN}`)],
  'an empty body': ['TOKEN_CALL_FAILED', text('')],
  'HTML instead of JSON': ['TOKEN_CALL_FAILED', text('<html><body>maintenance</body></html>')],
  'a list': ['TOKEN_CALL_FAILED', text('[]')],
  'a null': ['TOKEN_CALL_FAILED', text('null')],
  'a token that is a number': ['TOKEN_CALL_FAILED', json({ ...good, token: 7 })],
  'an empty token': ['TOKEN_CALL_FAILED', json({ ...good, token: '' })],
  'a token that no header can carry': ['TOKEN_CALL_FAILED', json({ ...good, token: 'line\nbreak' })],
  'a status that is a number': ['TOKEN_CALL_FAILED', json({ ...good, status: 1 })],
  'an expiry in the past': ['TOKEN_RESPONSE_INVALID', json({ ...good, expires_at: Date.now() - 1000 })],
  'a negative expiry': ['TOKEN_CALL_FAILED', json({ ...good, expires_at: -1 })],
  'an absurd expiry': ['TOKEN_CALL_FAILED', json({ ...good, expires_at: 1e300 })],
  'an expiry that is no number': ['TOKEN_CALL_FAILED', json({ ...good, expires_at: 'soon' })],
  'a token that is INVALID from the start': ['TOKEN_RESPONSE_INVALID', json({ ...good, status: 'INVALID' })],
  'a 500 with HTML': ['TOKEN_CALL_FAILED', text('<html>', 500)],
  'a 417': ['TOKEN_CALL_FAILED', text(JSON.stringify({ error_code: 'ODD', message: 'no' }), 417)],
  'a redirect': ['TOKEN_CALL_FAILED', { kind: 'respond', status: 302, headers: { location: '/elsewhere' } }],
  'no response': ['TOKEN_CALL_FAILED', { kind: 'hang' }],
  'a response byte by byte': ['TOKEN_CALL_FAILED', { kind: 'drip', intervalMs: 40 }],
  'a connection that closes first': ['TOKEN_CALL_FAILED', { kind: 'close' }],
  'a connection that closes in the middle': ['TOKEN_CALL_FAILED', { kind: 'truncate' }],
  '10 MB': ['TOKEN_CALL_FAILED', { kind: 'flood', bytes: TEN_MB }],
}

/** The host's clock, which a test can move ahead. */
function movableClock(aheadMs = 0): Clock & { aheadMs: number } {
  const clock = { aheadMs, now: () => Date.now() + clock.aheadMs, setTimer: systemClock.setTimer }
  return clock
}

/** Faults that end only with the time limit of the attempt. */
const STALLS: readonly string[] = ['hang', 'drip']

declare const fetch: FetchLike

/**
 * Opens a brokerage whose next requests to `path` meet `fault`. If only the time limit ends an attempt, the limit fires when the
 * service has received the request or has begun to respond, because a busy machine may need longer than a fixed time.
 */
function openFor(setUp: SetUp, path: string, fault: Fault, more: Partial<BrokerageOptions> = {}, count = 1) {
  const limits = holdLimits(TIMEOUT_MS, more.clock)
  const arrived = (): number => setUp.paths().filter((one) => one === path).length
  let stalls = 0
  const watched: FetchLike = (url, init) => {
    const response = fetch(url, init)
    if (stalls > 0 && new URL(url).pathname === path) {
      stalls -= 1
      const before = arrived()
      const look = (): void => void setImmediate(arrived() === before ? look : limits.end)
      if (fault.kind === 'hang') look()
      else void response.then(() => setImmediate(limits.end))
    }
    return response
  }
  const brokerage = setUp.open({
    ...more,
    clock: limits.clock,
    http: { timeoutMs: TIMEOUT_MS, maxRetries: 0, fetch: watched },
  })
  return {
    ...brokerage,
    /** Starts the fault. */
    misbehave(): void {
      setUp.simulator.faults.nextHttp(fault, { path, count })
      if (STALLS.includes(fault.kind)) stalls += count
    },
  }
}

describe('create', () => {
  for (const [name, [code, fault]] of Object.entries(BAD)) {
    test(name, async () => {
      const setUp = await startSetUp({ environment: 'sandbox' })
      const { accessTokens, http: requests, misbehave } = openFor(setUp, CREATE, fault)
      misbehave()
      const error = await rejection(accessTokens.get())
      expect(isTokensError(error) && error.code).toBe(code)
      setUp.simulator.faults.clear()
      const response = await requests.request({ method: 'GET', path: '/openapi/simulator/echo' })
      expect(response.status).toBe(200)
      expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(2)
    })
  }

  test('in production no other create follows for five minutes if the outcome is unknown, because a person may have been asked', async () => {
    const setUp = await startSetUp()
    const { accessTokens } = setUp.open({ http: { maxRetries: 0 } })
    setUp.simulator.faults.nextHttp({ kind: 'close', processed: true }, { path: CREATE })
    expect(isTokensError(await rejection(accessTokens.get()), 'TOKEN_CALL_FAILED')).toBe(true)
    const error = await rejection(accessTokens.get())
    expect(isTokensError(error, 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    expect(setUp.paths()).toEqual([CREATE])
  })

  test('the message of a wrong app secret has the code of the response and the setting to check', async () => {
    const setUp = await startSetUp()
    const { accessTokens, clientTokens } = setUp.open({ appSecret: 'another-secret' })
    for (const [call, subject] of [
      [() => accessTokens.get(), 'creating an access token'],
      [() => clientTokens.get('anna'), 'creating a client token'],
    ] as const)
      expect(((await rejection(call())) as Error).message).toMatch(
        new RegExp(
          `^${subject} failed: POST /auth/[a-z-]+/create: status 401, [A-Z_]+: .+\\. Check the app key, the app secret, the region, the environment and this host's clock$`,
        ),
      )
  })

  test('in production the next call creates a token if none was created', async () => {
    const setUp = await startSetUp({ secondFactor: 'automatic' })
    const { accessTokens } = setUp.open({ http: { maxRetries: 0 } })
    setUp.simulator.faults.nextHttp(text('{}', 429), { path: CREATE })
    expect(isTokensError(await rejection(accessTokens.get()), 'TOKEN_CALL_FAILED')).toBe(true)
    expect(await accessTokens.get()).toBeDefined()
  })
})

describe('check, while a second factor is awaited', () => {
  /** Statuses of the token, with the error that ends the wait. */
  const DECIDED = ['a token that is INVALID from the start']
  for (const [name, [, fault]] of Object.entries(BAD)) {
    test(name, async () => {
      const setUp = await startSetUp()
      const { accessTokens, misbehave } = openFor(setUp, CHECK, fault)
      expect(isTokensError(await rejection(accessTokens.get({ wait: false })), 'TOKEN_PENDING')).toBe(true)
      misbehave()
      setUp.simulator.approveSecondFactor()
      const first = await accessTokens.get().catch((error: unknown) => error)
      if (DECIDED.includes(name)) {
        expect(isTokensError(first)).toBe(true)
        expect(isTokensError(await rejection(accessTokens.get()), 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
      } else if (name === 'a 417') {
        expect(isTokensError(first, 'TOKEN_CALL_FAILED')).toBe(true)
        expect(await accessTokens.get()).toHaveProperty('token')
      } else {
        expect(first).toHaveProperty('token')
      }
      expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
    })
  }

  test('a response with an expiry in the past is a typed error each time, and the token is kept', async () => {
    const setUp = await startSetUp()
    const clock = movableClock()
    const { accessTokens } = setUp.open({ clock, tokens: { pollIntervalMs: 1 } })
    expect(isTokensError(await rejection(accessTokens.get({ wait: false })), 'TOKEN_PENDING')).toBe(true)
    setUp.simulator.approveSecondFactor()
    const [, fault] = BAD['an expiry in the past'] ?? []
    if (fault === undefined) throw new Error('no fault')
    setUp.simulator.faults.nextHttp(fault, { path: CHECK, count: 4 })
    for (let call = 0; call < 3; call += 1) {
      const error = await rejection(accessTokens.get())
      expect(isTokensError(error, 'TOKEN_RESPONSE_INVALID') && error.details.field).toBe('expires_at')
      // The time until the next call is allowed.
      clock.aheadMs += 2
    }
    expect(await accessTokens.get()).toHaveProperty('token')
    expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
  })

  test('a NORMAL token that becomes PENDING waits, and is usable when it becomes NORMAL again', async () => {
    const setUp = await startSetUp({ environment: 'sandbox' })
    const clock = movableClock()
    // Longer than any pause of a busy machine, and shorter than the window of timestamps.
    const pollIntervalMs = 240_000
    const { accessTokens } = setUp.open({ clock, http: { maxRetries: 0 }, tokens: { pollIntervalMs } })
    const token = await accessTokens.get()
    if (token === undefined) throw new Error('no token')
    setUp.simulator.faults.nextHttp(
      json({ token: token.token.reveal(), expires_at: later, status: 'PENDING' }),
      { path: CHECK },
    )
    const rejected = accessTokens.reportRejected(token.token, { status: 401, code: 'INVALID_TOKEN' })
    const error = await rejection(rejected)
    expect(isTokensError(error, 'TOKEN_PENDING')).toBe(true)
    clock.aheadMs += pollIntervalMs
    expect((await accessTokens.get())?.token.reveal()).toBe(token.token.reveal())
    expect(setUp.paths().filter((path) => path === CREATE)).toHaveLength(1)
  })
})

describe('client tokens', () => {
  const pair = {
    access_token: 'client-access',
    expires_at: later,
    refresh_token: 'client-refresh',
    refresh_expires_at: later,
  }
  const cases: Readonly<Record<string, Fault>> = {
    'malformed JSON': text('{"access_token":"client-acc'),
    'no refresh token': json({ ...pair, refresh_token: undefined }),
    'an empty access token': json({ ...pair, access_token: '' }),
    'one that no header can carry': json({ ...pair, access_token: 'line\nbreak' }),
    'an expiry in the past': json({ ...pair, expires_at: Date.now() - 1000 }),
    'a negative expiry': json({ ...pair, expires_at: -1 }),
    'an expiry that is no number': json({ ...pair, refresh_expires_at: 'soon' }),
    'no response': { kind: 'hang' },
    'a response byte by byte': { kind: 'drip', intervalMs: 40 },
    'a connection that closes in the middle': { kind: 'truncate' },
    '10 MB': { kind: 'flood', bytes: TEN_MB },
  }
  for (const [name, fault] of Object.entries(cases)) {
    test(name, async () => {
      const setUp = await startSetUp({ environment: 'sandbox' })
      const { clientTokens, misbehave } = openFor(setUp, CLIENT_CREATE, fault)
      misbehave()
      expect(isTokensError(await rejection(clientTokens.get('anna')))).toBe(true)
      setUp.simulator.faults.clear()
      const token = await clientTokens.get('anna')
      expect(setUp.simulator.isClientTokenLive(token.accessToken.reveal())).toBe(true)
    })
  }

  describe('a failed refresh uses the current pair until it expires, and creates one only if the service has ended it', () => {
    /** The service has refreshed and the response is lost: the next refresh is rejected, and a create follows. */
    const lost = ['a response byte by byte', 'a connection that closes in the middle']
    for (const [name, fault] of Object.entries(cases)) {
      test(name, async () => {
        const setUp = await startSetUp({ environment: 'sandbox' })
        const first = await setUp.open().clientTokens.get('anna')
        const clock = movableClock(0.85 * 2 * 3_600_000)
        // Without a response the same refresh token is tried once more.
        const brokerage = openFor(setUp, CLIENT_REFRESH, fault, { clock }, 2)
        // Keeps the clock in step with the service's, because this test is about the response to the refresh.
        await brokerage.http.request({ method: 'GET', path: '/openapi/config', authenticated: false })
        brokerage.misbehave()
        const result = await brokerage.clientTokens.get('anna').catch((error: unknown) => error)
        if (name === 'an expiry in the past')
          expect(isTokensError(result, 'TOKEN_RESPONSE_INVALID')).toBe(true)
        else if (lost.includes(name)) expect(result).toMatchObject({ replacedAllSessions: true })
        else {
          const token = result as Awaited<ReturnType<typeof brokerage.clientTokens.get>>
          expect(token.accessToken.reveal()).toBe(first.accessToken.reveal())
          expect(isTokensError(token.refreshFailure, 'TOKEN_CALL_FAILED')).toBe(true)
        }
        const creates = setUp.paths().filter((path) => path === CLIENT_CREATE)
        expect(creates).toHaveLength(lost.includes(name) ? 2 : 1)
        setUp.simulator.faults.clear()
        clock.aheadMs += 31_000
        const token = await brokerage.clientTokens.get('anna')
        expect(token.refreshFailure).toBeUndefined()
        expect(setUp.simulator.isClientTokenLive(token.accessToken.reveal())).toBe(true)
      })
    }
  })
})
