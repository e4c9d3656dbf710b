import { env } from 'cloudflare:workers'
import { createVirtualClock } from '@brokerwire/core/testing'
import { describe, expect, test } from 'vitest'
import { storeContract } from '../contract/index.ts'
import { createAesGcmCipher, createEncryptedStore, isStoresError } from '../index.ts'
import { createDurableObjectStore, type DurableNamespaceLike } from './index.ts'

const namespace = (env as unknown as { readonly STORE: DurableObjectNamespace }).STORE
let stores = 0
const freshName = (): string => {
  stores += 1
  return `store ${stores}`
}

describe('the Durable Object keeps the contract', () => {
  const open = async () => {
    const name = freshName()
    return {
      first: createDurableObjectStore({ namespace, name }),
      second: createDurableObjectStore({ namespace, name }),
    }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

describe('encrypted, the Durable Object keeps the contract', () => {
  const open = async () => {
    const name = freshName()
    const cipher = createAesGcmCipher({ keys: [{ id: 'a', key: btoa('k'.repeat(32)) }] })
    const isolate = () =>
      createEncryptedStore({ store: createDurableObjectStore({ namespace, name }), cipher })
    return { first: isolate(), second: isolate() }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

test('objects of other names share nothing', async () => {
  const [one, other] = [freshName(), freshName()].map((name) => createDurableObjectStore({ namespace, name }))
  await one?.compareAndSet('key', undefined, 'value')
  expect(await other?.get('key')).toBeUndefined()
})

test('a holder prolongs its lease, and stops when it lets go', async () => {
  const name = freshName()
  const clock = createVirtualClock()
  let calls = 0
  const counted: DurableNamespaceLike = {
    idFromName: (text) => namespace.idFromName(text),
    get: (id) => ({
      fetch(url, init) {
        calls += 1
        return namespace.get(id).fetch(url, init)
      },
    }),
  }
  const lock = await createDurableObjectStore({ namespace: counted, name, clock }).lock?.('key')
  expect(calls).toBe(1)
  await clock.advance(30_000)
  expect(calls).toBe(4)
  await lock?.release()
  expect(clock.pendingTimers).toBe(0)
  expect(calls).toBe(5)
})

describe('failures', () => {
  const failing = (fetch: ReturnType<DurableNamespaceLike['get']>['fetch']): DurableNamespaceLike => ({
    idFromName: (text) => text,
    get: () => ({ fetch }),
  })
  const caught = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no error',
      (error: unknown) => error,
    )

  test('an object that throws: its words are not kept', async () => {
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

  test('an object that answers with an error', async () => {
    const store = createDurableObjectStore({
      namespace: failing(async () => new Response('', { status: 503 })),
    })
    const error = await caught(store.compareAndSet('key', undefined, 'a'))
    expect(isStoresError(error, 'STORE_IO') && error.retryable && error.details.reason).toBe('status 503')
  })

  test('an empty name', () => {
    expect(() => createDurableObjectStore({ namespace, name: '' })).toThrow(
      'name: expected a non-empty string',
    )
  })
})
