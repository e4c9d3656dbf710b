import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { createClientTokens } from './client/client-tokens.ts'
import { createTestClientService } from './test/service.ts'
import { outcome, setUp, verified } from './test/set-up.ts'
import { isTokensError } from './tokens-error.ts'

describe('a store that does not respond', () => {
  test.each(['get', 'compareAndSet'] as const)(
    '%s fails after a minute, and the next call continues',
    async (operation) => {
      const { clock, store, open } = setUp('sandbox')
      let isHanging = true
      const hang = (): Promise<never> | undefined => (isHanging ? new Promise<never>(() => {}) : undefined)
      const tokens = open({
        store: {
          ...store,
          get: (key) => (operation === 'get' ? hang() : undefined) ?? store.get(key),
          compareAndSet: (key, expected, next) =>
            (operation === 'compareAndSet' ? hang() : undefined) ?? store.compareAndSet(key, expected, next),
        },
      })
      const startMs = clock.now()
      const first = tokens.get().catch((error: unknown) => error)
      await clock.advance(60_000)
      const error = await first
      expect(isTokensError(error, 'TOKEN_STORE_FAILED') && error.details.operation).toBe(operation)
      expect((error as Error).message).toMatch(/ failed: the store did not respond within 1 min$/)
      expect(clock.now() - startMs).toBe(60_000)
      isHanging = false
      expect(await outcome(clock, tokens.get())).toHaveProperty('token')
      expect(clock.pendingTimers).toBe(0)
    },
  )

  test('one read that never ends does not block later ones', async () => {
    const { clock, store, open } = await verified()
    let reads = 0
    const tokens = open({
      store: {
        ...store,
        get(key) {
          reads += 1
          return reads === 1 ? new Promise<never>(() => {}) : store.get(key)
        },
      },
    })
    const [first, second] = [tokens.get(), tokens.get()].map((got) => got.catch((error: unknown) => error))
    const third = (async () => {
      await clock.advance(30_000)
      return tokens.get()
    })()
    await clock.advance(60_000)
    expect(isTokensError(await first, 'TOKEN_STORE_FAILED')).toBe(true)
    expect(isTokensError(await second, 'TOKEN_STORE_FAILED')).toBe(true)
    expect(await third).toHaveProperty('token')
  })

  test('client tokens are not blocked either', async () => {
    const clock = createVirtualClock()
    const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
    const { endpoints } = createTestClientService(clock)
    const store = { ...createFailingStore(), get: () => new Promise<never>(() => {}) }
    const got = outcome(clock, createClientTokens({ endpoints, store, identity, clock }).get('anna'))
    expect(isTokensError(await got, 'TOKEN_STORE_FAILED')).toBe(true)
  })
})
