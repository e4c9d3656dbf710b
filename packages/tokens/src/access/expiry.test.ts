import { describe, expect, test } from 'vitest'
import { DAY_MS, desk, HOUR_MS, KEY, outcome, verified } from '../test/desk.ts'
import { failure } from '../test/service.ts'
import { isTokensError } from '../tokens-error.ts'
import { createAccessTokens } from './access-tokens.ts'
import type { TokenNotice } from './types.ts'

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
