import { Secret } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { describe, expect, test } from 'vitest'
import { failure } from '../test/service.ts'
import { DAY_MS, HOUR_MS, KEY, outcome, setUp, verified } from '../test/set-up.ts'
import { isTokensError } from '../tokens-error.ts'
import type { ExpiringNotice } from './types.ts'

describe('the end of a token', () => {
  test('in production onExpiring is called 72, 24 and 1 hours before the expiry, and nothing is created', async () => {
    const { clock, service, open } = await verified()
    const notices: ExpiringNotice[] = []
    const tokens = open({ onExpiring: (notice) => notices.push(notice) })
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
    expect(isTokensError(error, 'TOKEN_SECOND_FACTOR_REQUIRED') && error.details.lastStatus).toBe('EXPIRED')
    expect(service.count('create')).toBe(1)
  })

  test('an expired token is checked with the service, which may have extended it', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(16 * DAY_MS)
    service.last().expiresAtMs = clock.now() + DAY_MS
    expect(await outcome(clock, tokens.get())).toMatchObject({ expiresAtMs: clock.now() + DAY_MS })
  })

  test('a token for which the service states no expiry stays usable', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(16 * DAY_MS)
    service.last().expiresAtMs = undefined
    expect(await outcome(clock, tokens.get())).toMatchObject({ expiresAtMs: undefined })
  })

  test('if the check fails get() fails with TOKEN_CALL_FAILED, and the token is kept', async () => {
    const { clock, service, tokens, store } = await verified()
    await clock.advance(16 * DAY_MS)
    service.next.check.push(failure('no-response'))
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.retryable).toBe(true)
    expect(store.entries.get(KEY)).toContain('secret-token-1')
  })

  test('past the expiry a caller with wait: false waits five seconds for a service that does not respond, and calls it once', async () => {
    const { clock, service, tokens } = await verified()
    await clock.advance(16 * DAY_MS)
    const before = service.count('check')
    const startMs = clock.now()
    service.delayMs = HOUR_MS
    const error = await outcome(clock, tokens.get({ wait: false }))
    expect(isTokensError(error, 'TOKEN_CALL_FAILED') && error.details).toMatchObject({
      call: 'check',
      kind: 'no-response',
      errorName: 'TimeoutError',
    })
    expect(clock.now() - startMs).toBe(5000)
    for (let call = 0; call < 20; call += 1) {
      const again = await tokens.get({ wait: false }).catch((caught: unknown) => caught)
      expect(isTokensError(again, 'TOKEN_CALL_FAILED') && again.retryable).toBe(true)
    }
    expect(service.count('check') - before).toBe(1)
  })

  test.each(['get', 'reportRejected'] as const)(
    'a failed check is repeated at most once in a poll interval: %s',
    async (operation) => {
      const { clock, service, tokens } = await verified()
      const token = (await tokens.get())?.token as Secret
      if (operation === 'get') await clock.advance(16 * DAY_MS)
      const before = service.count('check')
      const ask = (): Promise<unknown> =>
        (operation === 'get'
          ? tokens.get({ wait: false })
          : tokens.reportRejected(token, { status: 401, code: 'INVALID_TOKEN' })
        ).catch((caught: unknown) => caught)
      for (let call = 0; call < 60; call += 1) {
        service.next.check.push(failure('server-error', { status: 502 }))
        expect(isTokensError(await ask(), 'TOKEN_CALL_FAILED')).toBe(true)
        service.next.check.length = 0
        await clock.advance(100)
      }
      expect(service.count('check') - before).toBe(2)
      // A caller that waits for the response calls again.
      if (operation === 'get') {
        await outcome(clock, tokens.get())
        expect(service.count('check') - before).toBe(3)
      }
    },
  )

  test('a NORMAL response just before the expiry is not reused after it', async () => {
    const { clock, service, tokens } = await verified()
    const { token } = (await tokens.get()) ?? {}
    await clock.advance((service.last().expiresAtMs ?? 0) - clock.now() - 2000)
    const rejection = { status: 401, code: 'INVALID_TOKEN' }
    expect(await outcome(clock, tokens.reportRejected(token as Secret, rejection))).toEqual({
      changed: false,
    })
    await clock.advance(3000)
    service.last().status = 'EXPIRED'
    expect(isTokensError(await outcome(clock, tokens.get()), 'TOKEN_SECOND_FACTOR_REQUIRED')).toBe(true)
  })

  test('a caller that read the store before a token was extended gets the extended token', async () => {
    const { clock, service, store, open } = await verified()
    await clock.advance(16 * DAY_MS)
    service.last().expiresAtMs = clock.now() + DAY_MS
    const delays: number[] = []
    const slow = {
      ...store,
      get: async (key: string) => {
        const delayMs = delays.shift() ?? 0
        const text = await store.get(key)
        if (delayMs > 0) await sleep(clock, delayMs)
        return text
      },
    }
    const tokens = open({ store: slow })
    service.delayMs = 100
    const first = tokens.get()
    await clock.advance(50)
    delays.push(1000)
    const second = outcome(clock, tokens.get())
    expect(await second).toMatchObject({ expiresAtMs: service.last().expiresAtMs })
    expect(await first).toMatchObject({ expiresAtMs: service.last().expiresAtMs })
  })

  test('a check whose response cannot be saved is not repeated at once by a caller with wait: false', async () => {
    const { clock, service, tokens, store } = await verified()
    await clock.advance(16 * DAY_MS)
    service.last().expiresAtMs = clock.now() + DAY_MS
    const before = service.count('check')
    for (let call = 0; call < 20; call += 1) {
      store.failures.push(...Array.from({ length: 5 }, () => 'compareAndSet' as const))
      const error = await outcome(clock, tokens.get({ wait: false }))
      expect(isTokensError(error, 'TOKEN_STORE_FAILED')).toBe(true)
    }
    expect(service.count('check') - before).toBe(1)
    store.failures.length = 0
    await clock.advance(5000)
    expect(await outcome(clock, tokens.get({ wait: false }))).toHaveProperty('token')
  })

  test('NORMAL past the expiry is reported after one check, however slow the store is', async () => {
    const { clock, service, store, tokens, open } = await verified()
    await tokens.get()
    clock.jumpTo(clock.now() + 16 * DAY_MS)
    const slow = {
      ...store,
      get: async (key: string) => {
        await sleep(clock, 2)
        return store.get(key)
      },
    }
    const mine = open({ store: slow, pollIntervalMs: 1 })
    const before = service.count('check')
    for (let call = 1; call <= 3; call += 1) {
      const error = await outcome(clock, mine.get())
      expect(isTokensError(error, 'TOKEN_RESPONSE_INVALID')).toBe(true)
      expect(service.count('check') - before).toBe(call)
    }
  })

  test('NORMAL past the expiry by this host\u2019s clock is a typed error, and no token ends', async () => {
    const { clock, service, tokens } = await verified()
    const before = service.count('check')
    const startMs = clock.now()
    clock.jumpTo(startMs + 16 * DAY_MS)
    for (let call = 0; call < 20; call += 1) {
      const error = await tokens.get().catch((caught: unknown) => caught)
      expect(isTokensError(error, 'TOKEN_RESPONSE_INVALID') && error.details.field).toBe('expires_at')
    }
    expect(service.count('check') - before).toBe(1)
    await clock.advance(5000)
    await outcome(clock, tokens.get())
    expect(service.count('check') - before).toBe(2)
    // The clock is correct again, and the token has not expired.
    clock.jumpTo(startMs + 20_000)
    expect(await tokens.get()).toMatchObject({ expiresAtMs: service.last().expiresAtMs })
    expect(service.count('check') - before).toBe(2)
    expect(service.count('create')).toBe(1)
  })

  test('a second factor that is given while this host\u2019s clock is ahead does not count as an expired window', async () => {
    const { clock, service, open } = setUp()
    const tokens = open()
    const startMs = clock.now()
    await outcome(clock, tokens.get({ wait: false }))
    service.approve()
    clock.jumpTo(startMs + 16 * DAY_MS)
    const error = await outcome(clock, tokens.get())
    expect(isTokensError(error, 'TOKEN_RESPONSE_INVALID') && error.details.field).toBe('expires_at')
    clock.jumpTo(startMs + 20_000)
    expect(await tokens.get()).toMatchObject({ expiresAtMs: service.last().expiresAtMs })
    expect(service.count('create')).toBe(1)
  })

  test('in a sandbox a token with a lifetime below an hour is renewed in its last fifth', async () => {
    const { clock, service, open } = setUp('sandbox')
    const tokens = open()
    const value = () => ({
      token: new Secret('secret-short'),
      status: 'NORMAL',
      expiresAtMs: clock.now() + HOUR_MS / 2,
    })
    service.next.create.push({ ok: true, value: value() })
    for (let minute = 0; minute < 24; minute += 1) {
      await tokens.get()
      await clock.advance(60_000)
    }
    expect(service.count('create')).toBe(1)
    await tokens.get()
    expect(service.count('create')).toBe(2)
  })

  test('each expiry warning is sent once, however often processes restart', async () => {
    const { clock, service, open } = await verified()
    const notices: ExpiringNotice[] = []
    const start = () => open({ onExpiring: (notice) => notices.push(notice) })
    await clock.advance(15 * DAY_MS - 80 * HOUR_MS)
    for (let hour = 0; hour < 79; hour += 1) {
      await start().get()
      await clock.advance(HOUR_MS)
    }
    expect(notices.map((notice) => notice.type === 'expiring' && notice.thresholdMs / HOUR_MS)).toEqual([
      72, 24,
    ])
    // A new expiry has warnings too.
    service.last().expiresAtMs = clock.now() + 30 * DAY_MS
    await start().renew()
    await clock.advance(28 * DAY_MS)
    await start().get()
    expect(notices).toHaveLength(3)
  })

  test('watch() alone also calls onExpiring', async () => {
    const { clock, open } = await verified()
    const notices: ExpiringNotice[] = []
    const tokens = open({ storePollIntervalMs: 600_000, onExpiring: (notice) => notices.push(notice) })
    const watching = (async () => {
      for await (const change of tokens.watch()) if (change.type === 'ended') return
    })()
    await clock.advance(DAY_MS)
    clock.jumpTo(clock.now() + 14 * DAY_MS - 2 * HOUR_MS)
    await clock.advance(3 * HOUR_MS)
    await watching
    expect(notices.map((notice) => notice.type === 'expiring' && notice.thresholdMs / HOUR_MS)).toEqual([
      24, 1,
    ])
  })

  test('in a sandbox get() renews a token before its expiry and after it', async () => {
    const { clock, service, open } = setUp('sandbox')
    const tokens = open()
    await tokens.get()
    await clock.advance(15 * DAY_MS - HOUR_MS)
    service.next.create.push(failure('no-response'))
    for (let call = 0; call < 20; call += 1)
      expect((await tokens.get())?.token.reveal()).toBe('secret-token-1')
    expect(service.count('create')).toBe(2)
    await clock.advance(30_000)
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
    expect(service.calls.at(-1)?.body).toBe('secret-token-1')
    await clock.advance(20 * DAY_MS)
    expect((await tokens.get())?.token.reveal()).toBe('secret-token-3')
    expect(service.calls.at(-1)?.body).toBe('')
  })

  test('in a sandbox a hanging service delays a usable token by five seconds, once in half a minute', async () => {
    const { clock, service, open } = setUp('sandbox')
    const tokens = open()
    await tokens.get()
    await clock.advance(15 * DAY_MS - HOUR_MS / 2)
    service.delayMs = HOUR_MS
    const startMs = clock.now()
    for (let call = 0; call < 5; call += 1) expect(await outcome(clock, tokens.get())).toHaveProperty('token')
    expect(clock.now() - startMs).toBe(5000)
    expect(service.count('create')).toBe(2)
  })

  test('keepAliveMs checks an idle token, and only an idle one', async () => {
    const { clock, service, open } = setUp('sandbox')
    const tokens = open({ keepAliveMs: DAY_MS })
    await tokens.get()
    await clock.advance(DAY_MS / 2)
    await tokens.get()
    await clock.advance(DAY_MS * 0.9)
    expect(service.count('check')).toBe(0)
    await clock.advance(DAY_MS)
    expect(service.count('check')).toBe(1)
    await tokens.close()
    expect(clock.pendingTimers).toBe(0)
  })
})
