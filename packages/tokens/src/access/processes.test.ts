/** Several objects that share one store, as several processes do. Some of them stop at a random instant, like a killed process. */
import type { Store } from '@brokerwire/core'
import { sleep } from '@brokerwire/core/internal'
import { createVirtualClock, type VirtualClock } from '@brokerwire/core/testing'
import { createFailingStore, withoutLock } from '@brokerwire/testing/failing-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTestService, type TestService } from '../test/service.ts'
import { isTokensError } from '../tokens-error.ts'
import type { AccessTokenEndpoints } from '../types.ts'
import { createAccessTokens } from './access-tokens.ts'

const identity = { environment: 'production', region: 'us', appKey: 'app-1', baseUrl: 'https://api.test' }
const sandboxIdentity = { ...identity, environment: 'sandbox' }

/** Advances the virtual clock until the promise settles, by an hour at most. */
async function passTime<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  promise.then(settle, settle)
  await clock.settle()
  const endMs = clock.now() + 3_600_000
  while (!settled && clock.now() < endMs && (await clock.advanceToNextTimer())) await clock.settle()
  expect(settled).toBe(true)
  return promise
}

test('a check that began before the verification and ended after it does not make the token pending again', async () => {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestService(clock)
  const slow: AccessTokenEndpoints = {
    ...service.endpoints,
    async check(token, options) {
      const result = await service.endpoints.check(token, options)
      await sleep(clock, 2000)
      return result
    },
  }
  const one = createAccessTokens({ endpoints: service.endpoints, store, identity, clock })
  const other = createAccessTokens({ endpoints: slow, store, identity, clock, pollIntervalMs: 4000 })
  const got = one.get()
  await clock.advance(4000)
  const checking = other.get({ wait: false }).catch((error: unknown) => error)
  await clock.advance(500)
  service.approve()
  await clock.advance(500)
  await got
  await clock.advance(1000)
  expect((await other.peek())?.token.reveal()).toBe('secret-token-1')
  await checking
  expect((await one.peek())?.token.reveal()).toBe('secret-token-1')
})

/** A process that can be killed. Afterwards its calls have no effect, and the store releases its locks. */
function killable(
  store: Store,
  endpoints: AccessTokenEndpoints,
): { store: Store; endpoints: AccessTokenEndpoints; kill(): void } {
  let dead = false
  const held = new Set<() => Promise<void>>()
  const forever = new Promise<never>(() => {})
  const alive = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) return forever
    const result = await work()
    return dead ? forever : result
  }
  const { lock } = store
  return {
    store: {
      get: (name) => alive(() => store.get(name)),
      compareAndSet: (name, expected, next) => alive(() => store.compareAndSet(name, expected, next)),
      ...(lock && {
        lock: async (name, options) => {
          const taken = await lock.call(store, name, options)
          if (dead) {
            await taken.release()
            return forever
          }
          held.add(taken.release)
          return {
            release: async () => {
              held.delete(taken.release)
              if (!dead) await taken.release()
            },
          }
        },
      }),
    },
    endpoints: {
      create: (input, options) => alive(() => endpoints.create(input, options)),
      check: (token, options) => alive(() => endpoints.check(token, options)),
    },
    kill() {
      dead = true
      for (const release of held) release().catch(() => {})
    },
  }
}

function pollsInFlight(service: TestService, clock: VirtualClock) {
  let now = 0
  const seen = { most: 0 }
  const endpoints: AccessTokenEndpoints = {
    ...service.endpoints,
    async check(token, options) {
      now += 1
      seen.most = Math.max(seen.most, now)
      await sleep(clock, 100)
      now -= 1
      return service.endpoints.check(token, options)
    },
  }
  return { endpoints, seen }
}

describe.each([
  ['a store with a lock', true],
  ['a store without', false],
])('eight processes over %s', (_name, locked) => {
  test('one process creates, one polls, and all get the same token', async () => {
    const clock = createVirtualClock()
    const base = createFailingStore()
    const store = locked ? base : withoutLock(base)
    const service = createTestService(clock)
    service.delayMs = 50
    const { endpoints, seen } = pollsInFlight(service, clock)
    const processes = Array.from({ length: 8 }, () =>
      createAccessTokens({ endpoints, store, identity, clock }),
    )
    const all = Promise.all(processes.map((tokens) => tokens.get()))
    await clock.advance(21_000)
    service.approve()
    const got = await passTime(clock, all)
    expect(new Set(got.map((token) => token?.token.reveal()))).toEqual(new Set(['secret-token-1']))
    expect(service.count('create')).toBe(1)
    expect(seen.most).toBe(1)
    expect(service.count('check')).toBeLessThanOrEqual(6)
    await Promise.all(processes.map((tokens) => tokens.close()))
    expect(clock.pendingTimers).toBe(0)
  })

  test('all processes see a renewal at their next get()', async () => {
    const clock = createVirtualClock()
    const base = createFailingStore()
    const store = locked ? base : withoutLock(base)
    const service = createTestService(clock, { production: false })
    const processes = Array.from({ length: 8 }, () =>
      createAccessTokens({ endpoints: service.endpoints, store, identity: sandboxIdentity, clock }),
    )
    await passTime(clock, Promise.all(processes.map((tokens) => tokens.get())))
    const [first, ...others] = processes
    await passTime(clock, Promise.resolve(first?.renew()))
    for (const tokens of others) expect((await tokens.get())?.token.reveal()).toBe('secret-token-2')
  })

  test('if all report the same rejected token, one create is sent', async () => {
    const clock = createVirtualClock()
    const base = createFailingStore()
    const store = locked ? base : withoutLock(base)
    const service = createTestService(clock, { production: false })
    service.delayMs = 50
    const processes = Array.from({ length: 8 }, () =>
      createAccessTokens({ endpoints: service.endpoints, store, identity: sandboxIdentity, clock }),
    )
    const [token] = await passTime(clock, Promise.all(processes.map((tokens) => tokens.get())))
    service.last().status = 'INVALID'
    const results = await passTime(
      clock,
      Promise.all(
        processes.map((tokens) =>
          tokens.reportRejected(token?.token as never, { status: 401, code: 'INVALID_TOKEN' }),
        ),
      ),
    )
    expect(results.every(({ changed }) => changed)).toBe(true)
    expect(service.count('create')).toBe(2)
    expect(service.mostCreatesInFlight).toBe(1)
  })
})

test('processes killed at any instant never send two creates in five minutes, and the others get one token', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (killsAtMs, locked) => {
        const clock = createVirtualClock()
        const base = createFailingStore()
        const store = locked ? base : withoutLock(base)
        const service = createTestService(clock)
        service.delayMs = 100
        const processes = Array.from({ length: 5 }, () => {
          const { kill, ...ports } = killable(store, service.endpoints)
          return { kill, tokens: createAccessTokens({ ...ports, identity, clock, callTimeoutMs: 5000 }) }
        })
        const waiting = processes.map(({ tokens }) => tokens.get().catch((error: unknown) => error))
        let passedMs = 0
        for (const [index, atMs] of [...killsAtMs].sort((one, other) => one - other).entries()) {
          await clock.advance(atMs - passedMs)
          passedMs = atMs
          processes[index]?.kill()
        }
        await clock.advance(60_000)
        for (const token of service.tokens) token.status = 'NORMAL'
        const survivors = processes.slice(killsAtMs.length)
        const first = await passTime(clock, Promise.all(waiting.slice(killsAtMs.length)))
        for (const found of first)
          if (found instanceof Error) expect(isTokensError(found, 'TOKEN_CREATE_TOO_SOON')).toBe(true)
        // Callers that got TOKEN_CREATE_TOO_SOON wait and call again.
        await clock.advance(300_000)
        const again = Promise.all(survivors.map(({ tokens }) => tokens.get()))
        await clock.advance(10_000)
        for (const token of service.tokens) token.status = 'NORMAL'
        const got = await passTime(clock, again)
        const texts = new Set(got.map((token) => token?.token.reveal()))
        expect(texts.size).toBe(1)
        expect([...texts][0]).toMatch(/^secret-token-/)
        const createsMs = service.calls.filter(({ call }) => call === 'create').map(({ atMs }) => atMs)
        for (const [index, atMs] of createsMs.slice(1).entries())
          expect(atMs - (createsMs[index] ?? 0)).toBeGreaterThanOrEqual(300_000)
        const [text] = [...base.entries.entries()]
          .filter(([name]) => name.startsWith('access-token'))
          .map(([, value]) => value)
        expect(() => JSON.parse(text ?? '')).not.toThrow()
      },
    ),
    { numRuns: 25 },
  )
})

test('a process that is killed during each create sends one create in five minutes', async () => {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const service = createTestService(clock)
  service.delayMs = 1000
  const errors: unknown[] = []
  for (let restart = 0; restart < 20; restart += 1) {
    const { kill, ...ports } = killable(store, service.endpoints)
    const tokens = createAccessTokens({ ...ports, identity, clock })
    const ask = restart % 2 === 0 ? tokens.get : tokens.renew
    ask({ wait: false }).catch((error: unknown) => errors.push(error))
    await clock.advance(500)
    kill()
    await clock.advance(2500)
  }
  expect(service.count('create')).toBe(1)
  expect(errors.map((error) => isTokensError(error, 'TOKEN_CREATE_TOO_SOON'))).toEqual(Array(19).fill(true))
  expect(String(errors[0])).toMatch(
    /a create request was sent 3 s ago and its outcome is unknown; the next one is allowed in 4 min 57 s/,
  )
})
