import { createVirtualClock } from '@brokerwire/core/testing'
import { createFailingStore, withoutLock } from '@brokerwire/testing/failing-store'
import { describe, expect, test } from 'vitest'
import { acquireLock, acquireLockUnlessChanged } from './store-lock.ts'
import { isTokensError } from './tokens-error.ts'

function leased() {
  const clock = createVirtualClock()
  const base = createFailingStore()
  return { clock, base, store: withoutLock(base) }
}

describe('the lease of a store without locks', () => {
  test('it has one holder at a time, and the next one soon after', async () => {
    const { clock, base, store } = leased()
    const first = await acquireLock(store, 'job', clock)
    let second: Awaited<ReturnType<typeof acquireLock>> | undefined
    const waiting = acquireLock(store, 'job', clock).then((held) => {
      second = held
    })
    await clock.advance(120_000)
    expect(second).toBeUndefined()
    expect(first.lost?.aborted).toBe(false)
    await first.release()
    await clock.advance(1000)
    await waiting
    await second?.release()
    expect(base.entries.size).toBe(0)
    expect(clock.pendingTimers).toBe(0)
  })

  test('a dead holder is detected after a lease, however wrong the clocks are', async () => {
    const { clock, base, store } = leased()
    base.entries.set('job/lease', 'another 7')
    const waiting = acquireLock(store, 'job', clock)
    clock.jumpTo(clock.now() + 3_600_000)
    let taken = false
    waiting.then(() => {
      taken = true
    })
    await clock.advance(14_000)
    expect(taken).toBe(false)
    await clock.advance(2000)
    expect(taken).toBe(true)
    await (await waiting).release()
  })

  test('a holder that was suspended too long is notified that it has lost the lock', async () => {
    const { clock, base, store } = leased()
    const held = await acquireLock(store, 'job', clock)
    base.entries.set('job/lease', 'another 0')
    await clock.advance(5000)
    expect(held.lost?.aborted).toBe(true)
    expect(isTokensError(held.lost?.reason, 'TOKEN_STORE_FAILED')).toBe(true)
    await held.release()
    expect(base.entries.get('job/lease')).toBe('another 0')
  })
})

test('a lease survives a store that fails now and then, but only until the lease ends', async () => {
  const { clock, base, store } = leased()
  const held = await acquireLock(store, 'job', clock)
  for (const failures of [1, 4, 8]) {
    for (let failure = 0; failure < failures; failure += 1) base.failures.push('compareAndSet')
    await clock.advance(30_000)
    expect(base.failures).toEqual([])
    expect(held.lost?.aborted).toBe(false)
  }
  for (let failure = 0; failure < 100; failure += 1) base.failures.push('compareAndSet')
  // The last write was at most five seconds ago, so the lease of 15 seconds has ended by then.
  await clock.advance(20_000)
  expect(isTokensError(held.lost?.reason, 'TOKEN_STORE_FAILED')).toBe(true)
  base.failures.length = 0
  await held.release()
})

test('an abort ends the wait with the signal\u2019s reason, and a failing store with this package\u2019s error', async () => {
  const { clock, base, store } = leased()
  const held = await acquireLock(store, 'job', clock)
  const controller = new AbortController()
  const waiting = acquireLock(store, 'job', clock, controller.signal).catch((error: unknown) => error)
  controller.abort(new Error('enough'))
  expect(await waiting).toHaveProperty('message', 'enough')
  await held.release()

  const lock = () => Promise.reject(Object.assign(new Error('secret-in-message'), { code: 'EACCES' }))
  const error = await acquireLock({ ...base, lock }, 'job', clock).catch((caught: unknown) => caught)
  expect(isTokensError(error, 'TOKEN_STORE_FAILED') && error.details).toEqual({
    operation: 'lock',
    errorName: 'Error',
    errorCode: 'EACCES',
  })
})

test('the wait ends if the record has changed, and the lock is not acquired', async () => {
  const clock = createVirtualClock()
  const store = createFailingStore()
  const held = await store.lock('job')
  let changed = false
  const waiting = acquireLockUnlessChanged(store, 'job', clock, {
    pollIntervalMs: 1000,
    changed: async () => changed,
  })
  await clock.advance(5000)
  changed = true
  await clock.advance(1000)
  expect(await waiting).toBeUndefined()
  await held.release()
  const next = await store.lock('job')
  await next.release()
  expect(clock.pendingTimers).toBe(0)
})
