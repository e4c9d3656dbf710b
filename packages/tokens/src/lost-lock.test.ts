/** A lock that is lost during a call to the service. The call ends before the next holder begins. */
import { Secret, type Store, type StoreLock } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore, withoutLock } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createAccessTokens } from './access/access-tokens.ts'
import { createClientTokens } from './client/client-tokens.ts'
import { createTokenEndpoints } from './endpoints/token-endpoints.ts'
import { createTestService, failure } from './test/service.ts'
import { outcome } from './test/set-up.ts'
import { isTokensError } from './tokens-error.ts'
import type {
  AccessTokenEndpoints,
  ClientTokenEndpoints,
  ClientTokenPair,
  TokenCallOptions,
} from './types.ts'

const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
const CALL_MS = 50_000

/** A store whose lock a test can take from its holder: the holder is notified, and the lock is free. */
function losable() {
  const base = createFailingStore()
  let loseNow = (): void => {}
  const store: Store = {
    get: base.get,
    compareAndSet: base.compareAndSet,
    async lock(name, options): Promise<StoreLock> {
      const held = await base.lock(name, options as never)
      const lost = new AbortController()
      loseNow = () => {
        lost.abort(new Error('secret-in-message'))
        void held.release()
      }
      return { lost: lost.signal, release: held.release }
    },
  }
  return { base, store, lose: () => loseNow() }
}

/** A slow service that counts the creates in flight and those that were aborted. */
function slowService(clock: ReturnType<typeof createVirtualClock>) {
  const service = createTestService(clock)
  const seen = { inFlight: 0, most: 0, aborted: 0 }
  const endpoints: AccessTokenEndpoints = {
    ...service.endpoints,
    async create(input, options: TokenCallOptions) {
      seen.inFlight += 1
      seen.most = Math.max(seen.most, seen.inFlight)
      try {
        await sleep(clock, CALL_MS, options.signal)
      } catch {
        seen.aborted += 1
        return failure('no-response')
      } finally {
        seen.inFlight -= 1
      }
      return service.endpoints.create(input, options)
    },
  }
  return { service, endpoints, seen }
}

describe('access tokens', () => {
  test('a create in flight when the lock is lost is aborted, and no other is sent for five minutes', async () => {
    const clock = createVirtualClock()
    const { store, lose, base } = losable()
    const { endpoints, seen } = slowService(clock)
    const [one, other] = [0, 1].map(() => createAccessTokens({ endpoints, store, identity, clock }))
    const first = one?.get().catch((error: unknown) => error)
    await clock.advance(20_000)
    const second = other?.get().catch((error: unknown) => error)
    await clock.advance(5000)
    lose()
    await clock.advance(2000)
    const error = await first
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe('no-response')
    expect(isTokensError(await second, 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    expect(seen).toEqual({ inFlight: 0, most: 1, aborted: 1 })
    const text = [...base.entries.values()].join()
    expect(JSON.parse(text)).toMatchObject({ lastCreate: { outcome: 'unknown' } })
  })

  test('with the calls of this package an aborted create counts as possibly sent', async () => {
    const clock = createVirtualClock()
    const { store, lose } = losable()
    let sent = 0
    const { access: endpoints } = createTokenEndpoints({
      async request({ beforeAttempt, signal }) {
        await beforeAttempt()
        sent += 1
        await sleep(clock, CALL_MS, signal)
        throw new Error('not reached')
      },
    })
    const options = { endpoints, store, identity, clock, tokenMode: 'required' } as const
    const [one, other] = [createAccessTokens(options), createAccessTokens(options)]
    const first = one.get().catch((error: unknown) => error)
    await clock.advance(10_000)
    const second = other.get().catch((error: unknown) => error)
    lose()
    await clock.advance(5000)
    const error = await first
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe('no-response')
    expect(isTokensError(await second, 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    expect(sent).toBe(1)
  })

  test('a call whose port ignores the abort ends after a second', async () => {
    const clock = createVirtualClock()
    const { store, lose } = losable()
    const { endpoints } = slowService(clock)
    const ignoringAbort: AccessTokenEndpoints = {
      ...endpoints,
      create: (input) => endpoints.create(input, {}),
    }
    const getting = createAccessTokens({ endpoints: ignoringAbort, store, identity, clock })
      .get()
      .catch((error: unknown) => error)
    await clock.advance(10_000)
    lose()
    await clock.advance(1000)
    const error = await getting
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details.kind).toBe('no-response')
    expect(String((error as Error).stack)).not.toContain('secret-in-message')
  })

  test('a create whose response arrived in time is kept, even if the lock is lost', async () => {
    const clock = createVirtualClock()
    const { store, lose } = losable()
    const { endpoints, service } = slowService(clock)
    const tokens = createAccessTokens({ endpoints, store, identity, clock })
    const getting = tokens.get({ wait: false }).catch((error: unknown) => error)
    await clock.advance(CALL_MS)
    lose()
    expect(isTokensError(await outcome(clock, getting), 'TOKEN_PENDING')).toBe(true)
    expect(service.count('create')).toBe(1)
  })

  test('the response of a suspended process does not replace newer tokens', async () => {
    const clock = createVirtualClock()
    const base = createFailingStore()
    const service = createTestService(clock)
    // Nothing aborts the call of a suspended process. Its response arrives after another process has created a token.
    let resumeCreate = (): void => {}
    const stopped = new Promise<void>((resolve) => {
      resumeCreate = resolve
    })
    const slow: AccessTokenEndpoints = {
      ...service.endpoints,
      async create(input, options) {
        const result = await service.endpoints.create(input, options)
        await stopped
        return result
      },
    }
    const one = createAccessTokens({
      endpoints: slow,
      store: base,
      identity,
      clock,
      callTimeoutMs: 3_600_000,
    })
    const first = one.get({ wait: false }).catch((error: unknown) => error)
    await clock.advance(40_000)
    const other = createAccessTokens({
      endpoints: service.endpoints,
      store: withoutLock(base),
      identity,
      clock,
    })
    // The lease of the suspended process has ended. The five minutes after its create have not.
    const early = await outcome(clock, other.get())
    expect(isTokensError(early, 'TOKEN_CREATE_TOO_SOON')).toBe(true)
    expect(service.count('create')).toBe(1)
    await clock.advance(300_000)
    const second = other.get().catch((error: unknown) => error)
    await clock.advance(30_000)
    expect(service.count('create')).toBe(2)
    service.approve()
    await clock.advance(10_000)
    resumeCreate()
    await clock.settle()
    const [got, found] = [await outcome(clock, second), await outcome(clock, first)]
    expect((got as { token: Secret }).token.reveal()).toBe('secret-token-2')
    expect((found as { token: Secret }).token.reveal()).toBe('secret-token-2')
    expect([...base.entries.values()].join()).not.toContain('secret-token-1')
  })

  test('after the lock is lost during a check, the next holder polls', async () => {
    const clock = createVirtualClock()
    const { store, lose } = losable()
    const service = createTestService(clock)
    const tokens = createAccessTokens({ endpoints: service.endpoints, store, identity, clock })
    const getting = tokens.get().catch((error: unknown) => error)
    await clock.advance(1000)
    service.delayMs = 30_000
    await clock.advance(10_000)
    lose()
    await clock.settle()
    service.delayMs = 0
    service.approve()
    const got = await outcome(clock, getting)
    expect((got as { token: Secret }).token.reveal()).toBe('secret-token-1')
    expect(service.count('create')).toBe(1)
  })
})

describe('client tokens', () => {
  const pairOf = (number: number, nowMs: number): ClientTokenPair => ({
    accessToken: new Secret(`secret-access-${number}`),
    expiresAtMs: nowMs + 7_200_000,
    refreshToken: new Secret(`secret-refresh-${number}`),
    refreshExpiresAtMs: nowMs + 86_400_000,
  })

  test.each(['create', 'refresh'] as const)(
    'a %s in flight when the lock is lost is aborted, and no other call follows it',
    async (call) => {
      const clock = createVirtualClock()
      const { store, lose } = losable()
      const calls: string[] = []
      let delayMs = 0
      const answer = async (name: string, { signal }: TokenCallOptions) => {
        calls.push(name)
        try {
          if (delayMs > 0) await sleep(clock, delayMs, signal)
        } catch {
          return failure('no-response')
        }
        return { ok: true as const, value: pairOf(calls.length, clock.now()) }
      }
      const endpoints: ClientTokenEndpoints = {
        create: (_user, options) => answer('create', options),
        refresh: (_token, options) => answer('refresh', options),
      }
      const tokens = createClientTokens({ endpoints, store, identity, clock })
      if (call === 'refresh') {
        await tokens.get('bert')
        await clock.advance(7_200_000)
      }
      const before = calls.length
      delayMs = CALL_MS
      const getting = tokens.get('bert').catch((error: unknown) => error)
      await clock.advance(10_000)
      lose()
      const error = await outcome(clock, getting)
      expect(isTokensError(error) && error.retryable).toBe(true)
      expect(calls.slice(before)).toEqual([call])
      delayMs = 0
      expect((await tokens.get('bert')).accessToken.reveal()).toMatch(/^secret-access-/)
    },
  )
})
