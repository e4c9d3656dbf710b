import { env } from 'cloudflare:workers'
import type { Clock, Store, StoreLock } from '@brokerwire/core'
import { createVirtualClock } from '@brokerwire/core/testing'
import { behindNetwork, type Network, passTime } from '@brokerwire/testing/object-network'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAesGcmCipher, createEncryptedStore, isStoresError } from '../index.ts'
import { storeContract } from '../testing/index.ts'
import { createDurableObjectStore, type DurableNamespaceLike, type StoreObject } from './index.ts'

// The type that `wrangler types` writes.
const namespace = (env as unknown as { readonly STORE: DurableObjectNamespace<StoreObject> }).STORE
let stores = 0
const freshName = (): string => {
  stores += 1
  return `store ${stores}`
}

describe('the Durable Object fulfills the contract', () => {
  const open = async () => {
    const name = freshName()
    return {
      first: createDurableObjectStore({ namespace, name }),
      second: createDurableObjectStore({ namespace, name }),
    }
  }
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const openAndLose = async () => {
    const { one, other, pass } = twoIsolates()
    const loseLock = async (): Promise<void> => {
      one.network.requests = 'lost'
      await pass(31_000)
      one.network.requests = 'arrive'
    }
    return { first: one.store, second: other.store, loseLock }
  }
  for (const { name, run } of storeContract({ open: openAndLose }).filter((each) =>
    each.name.includes('lost'),
  ))
    test(name, run)
  for (const { name, run } of storeContract({ open })) test(name, run)
})

describe('an encrypted Durable Object fulfills the contract', () => {
  const open = async () => {
    const name = freshName()
    const cipher = createAesGcmCipher({ keys: [{ id: 'a', key: btoa('k'.repeat(32)) }] })
    const isolate = () =>
      createEncryptedStore({ store: createDurableObjectStore({ namespace, name }), cipher })
    return { first: isolate(), second: isolate() }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

test('objects of different names share nothing', async () => {
  const [one, other] = [freshName(), freshName()].map((name) => createDurableObjectStore({ namespace, name }))
  await one?.compareAndSet('key', undefined, 'value')
  expect(await other?.get('key')).toBeUndefined()
})

/** Two isolates, each with its own network, and an object with the same clock. */
function twoIsolates() {
  const clock = createVirtualClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const name = freshName()
  const isolate = () => {
    const { namespace: own, network } = behindNetwork(namespace, clock)
    return { store: createDurableObjectStore({ namespace: own, name, clock }), network }
  }
  const [one, other] = [isolate(), isolate()]
  const networks = [one.network, other.network]
  return { clock, one, other, pass: (delayMs: number) => passTime(clock, networks, delayMs) }
}

async function requireLock(isolate: { readonly store: Store }): Promise<StoreLock> {
  const lock = await isolate.store.lock?.('key')
  if (lock === undefined) throw new TypeError('expected a lock')
  return lock
}

/** Waits for the lock, and records when it was acquired. */
function waitFor(isolate: { readonly store: Store }, clock: Clock) {
  const waiting = { atMs: Number.POSITIVE_INFINITY, lock: requireLock(isolate) }
  waiting.lock.then(
    () => {
      waiting.atMs = clock.now()
    },
    () => {},
  )
  return waiting
}

describe('the lease', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('is extended by its holder until the release', async () => {
    const { clock, one, other, pass } = twoIsolates()
    const lock = await requireLock(one)
    const next = waitFor(other, clock)
    await pass(60_000)
    expect(one.network.calls.map(({ op }) => op)).toEqual(['lock', ...Array(6).fill('extend')])
    expect(next.atMs).toBe(Number.POSITIVE_INFINITY)
    await lock.release()
    await pass(2000)
    await (await next.lock).release()
    expect(lock.lost?.aborted).toBe(false)
    expect(clock.pendingTimers).toBe(0)
  })

  const cuts: Readonly<Record<string, (network: Network) => void>> = {
    'whose requests are lost': (network) => {
      network.requests = 'lost'
    },
    'whose requests are never answered': (network) => {
      network.requests = 'silent'
    },
    'whose requests come 20 s late': (network) => {
      network.requestDelayMs = 20_000
      network.answerDelayMs = 20_000
    },
    'whose answers come 30 s late': (network) => {
      network.answerDelayMs = 30_000
    },
  }
  for (const [name, cut] of Object.entries(cuts)) {
    test(`is reported as lost to a holder ${name} 5 s before another holder acquires it`, async () => {
      const { clock, one, other, pass } = twoIsolates()
      const startMs = clock.now()
      const lock = await requireLock(one)
      const next = waitFor(other, clock)
      let lostAtMs = Number.POSITIVE_INFINITY
      lock.lost?.addEventListener('abort', () => {
        lostAtMs = clock.now()
      })
      cut(one.network)
      await pass(120_000)
      expect(lostAtMs).toBe(startMs + 25_000)
      expect(isStoresError(lock.lost?.reason, 'STORE_LOCK_LOST') && lock.lost.reason.details).toEqual({
        reason: 'not extended',
      })
      expect(next.atMs).toBeGreaterThanOrEqual(startMs + 30_000)
      await (await next.lock).release()
    })
  }

  test('survives a broken network of 14 s', async () => {
    const { clock, one, other, pass } = twoIsolates()
    const lock = await requireLock(one)
    const next = waitFor(other, clock)
    for (const requests of ['lost', 'silent'] as const) {
      one.network.requests = requests
      await pass(14_000)
      one.network.requests = 'arrive'
      await pass(30_000)
    }
    expect(lock.lost?.aborted).toBe(false)
    expect(next.atMs).toBe(Number.POSITIVE_INFINITY)
    await lock.release()
    await pass(2000)
    await (await next.lock).release()
  })

  test('is not acquired again by an extension that is in flight at the release', async () => {
    const { clock, one, other, pass } = twoIsolates()
    const lock = await requireLock(one)
    await pass(9000)
    one.network.requestDelayMs = 5000
    await pass(1000)
    one.network.requestDelayMs = 0
    expect(one.network.calls.map(({ op }) => op)).toEqual(['lock', 'extend'])
    await lock.release()
    const releasedAtMs = clock.now()
    await pass(6000)
    const next = waitFor(other, clock)
    await pass(1000)
    expect(next.atMs - releasedAtMs).toBeLessThan(7000)
    expect(lock.lost?.aborted).toBe(false)
    await (await next.lock).release()
  })

  test('is requested again if its response took 25 s', async () => {
    const { one, other, pass } = twoIsolates()
    one.network.answerDelayMs = 26_000
    const taking = requireLock(one)
    await pass(20_000)
    one.network.answerDelayMs = 0
    await pass(10_000)
    const lock = await taking
    expect(one.network.calls.map(({ op }) => op)).toEqual(['lock', 'lock'])
    expect(lock.lost?.aborted).toBe(false)
    const controller = new AbortController()
    const next = other.store.lock?.('key', { signal: controller.signal })
    await pass(5000)
    controller.abort('still held')
    await expect(next).rejects.toBe('still held')
    await lock.release()
  })

  test('ends the wait at once if the caller aborts, and a late lock is released', async () => {
    const { clock, one, other, pass } = twoIsolates()
    one.network.answerDelayMs = 10_000
    const controller = new AbortController()
    const taking = one.store.lock?.('key', { signal: controller.signal })
    await pass(1000)
    controller.abort('enough')
    await expect(taking).rejects.toBe('enough')
    const next = waitFor(other, clock)
    const leftAtMs = clock.now()
    await pass(20_000)
    expect(next.atMs - leftAtMs).toBeLessThan(12_000)
    await (await next.lock).release()
  })

  test('is not released by a holder that has lost it, even by a second release', async () => {
    const { clock, one, other, pass } = twoIsolates()
    const lock = await requireLock(one)
    one.network.requests = 'lost'
    await pass(31_000)
    const next = await requireLock(other)
    await expect(lock.release()).rejects.toMatchObject({ code: 'STORE_IO' })
    one.network.requests = 'arrive'
    await lock.release()
    const third = waitFor(one, clock)
    await pass(5000)
    expect(third.atMs).toBe(Number.POSITIVE_INFINITY)
    expect(next.lost?.aborted).toBe(false)
    await next.release()
    await pass(2000)
    await (await third.lock).release()
  })
})

test('stores a value of the maximum length, and rejects a longer one', async () => {
  const store = createDurableObjectStore({ namespace, name: freshName() })
  const largest = '\u20ac'.repeat(1_000_000 - 'key'.length)
  expect(await store.compareAndSet('key', undefined, largest)).toBe(true)
  expect((await store.get('key')) === largest).toBe(true)
  const error = await store.compareAndSet('key', largest, `${largest}x`).catch((caught: unknown) => caught)
  expect(isStoresError(error, 'STORE_OPTION_INVALID') && error.details).toEqual({
    option: 'next',
    expected: 'at most 1000000 characters with the key',
    received: '1000001',
  })
})

describe('a failure of the object', () => {
  const failing = (fetch: ReturnType<DurableNamespaceLike['get']>['fetch']): DurableNamespaceLike => ({
    idFromName: (text) => text,
    get: () => ({ fetch }),
  })
  const caught = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no error',
      (error: unknown) => error,
    )

  test('is reported without the message if the object throws', async () => {
    const store = createDurableObjectStore({
      namespace: failing(async () => {
        throw new TypeError('hunter2')
      }),
    })
    const error = await caught(store.get('key'))
    expect(isStoresError(error, 'STORE_IO') && error.details).toEqual({
      operation: 'get',
      reason: 'TypeError',
    })
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('hunter2')
  })

  test('is reported if the object responds with an error status', async () => {
    const store = createDurableObjectStore({
      namespace: failing(async () => new Response('', { status: 503 })),
    })
    const error = await caught(store.compareAndSet('key', undefined, 'a'))
    expect(isStoresError(error, 'STORE_IO') && error.retryable && error.details.reason).toBe('status 503')
  })

  test('is reported after 30 s if the object never responds', async () => {
    const clock = createVirtualClock()
    const store = createDurableObjectStore({ namespace: failing(() => new Promise(() => {})), clock })
    for (const call of [
      () => store.get('key'),
      () => store.compareAndSet('key', undefined, 'a'),
      () => store.lock?.('key'),
    ]) {
      const error = caught(Promise.resolve(call()))
      await clock.advance(30_000)
      expect(await error).toMatchObject({ code: 'STORE_IO', details: { reason: 'TimeoutError' } })
    }
  })

  test('is reported for an invalid response, which is never an absent value or a lost race', async () => {
    for (const json of ['{}', '{"value":7}', '[]', 'null', '{"value":"hunter2', '"hunter2"']) {
      const store = createDurableObjectStore({ namespace: failing(async () => new Response(json)) })
      for (const call of [
        () => store.get('key'),
        () => store.compareAndSet('key', undefined, 'a'),
        () => store.lock?.('key'),
      ]) {
        const error = await caught(Promise.resolve(call()))
        expect(isStoresError(error, 'STORE_IO'), json).toBe(true)
        expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('hunter2')
        expect(error).not.toHaveProperty('cause')
      }
    }
  })

  test('is reported as corrupt if a stored value is not a string', async () => {
    const store = createDurableObjectStore({
      namespace: failing(async () => Response.json({ corrupt: true })),
    })
    for (const call of [store.get('key'), store.compareAndSet('key', undefined, 'a')])
      expect(isStoresError(await caught(call), 'STORE_CORRUPT')).toBe(true)
  })

  test('is reported as a wrong option if the namespace is not bound', () => {
    expect(() => createDurableObjectStore({ namespace: undefined as never })).toThrow('namespace')
  })

  test('is reported as a wrong option if the name is empty', () => {
    expect(() => createDurableObjectStore({ namespace, name: '' })).toThrow('name must be a non-empty string')
  })
})
