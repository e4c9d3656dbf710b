/** The object without a Worker, with storage in memory. Leases expire by the object's clock. */
import { afterEach, expect, test, vi } from 'vitest'
import { type DurableStorageLike, StoreObject } from './index.ts'
import type { Operation } from './protocol.ts'

afterEach(() => {
  vi.useRealTimers()
})

function setUp() {
  const records = new Map<string, unknown>()
  const storage: DurableStorageLike = {
    get: async (key) => records.get(key),
    put: async (key, value) => void records.set(key, value),
    delete: async (key) => records.delete(key),
  }
  const object = new StoreObject({ storage })
  const answer = async (operation: Operation): Promise<unknown> => {
    const response = await object.fetch<Response>({ json: async () => operation })
    return response.json()
  }
  const run = async (operation: Operation): Promise<unknown> =>
    ((await answer(operation)) as { value: unknown }).value
  return { records, answer, run }
}

test('a lease expires after 30 s, and not before', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] })
  const { run } = setUp()
  expect(await run({ op: 'lock', key: 'k', token: 'one' })).toBe(true)
  vi.setSystemTime(29_999)
  expect(await run({ op: 'lock', key: 'k', token: 'two' })).toBe(false)
  vi.setSystemTime(30_000)
  expect(await run({ op: 'lock', key: 'k', token: 'two' })).toBe(true)
})

test('an extended lease continues', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] })
  const { run } = setUp()
  await run({ op: 'lock', key: 'k', token: 'one' })
  vi.setSystemTime(20_000)
  expect(await run({ op: 'extend', key: 'k', token: 'one' })).toBe(true)
  vi.setSystemTime(49_999)
  expect(await run({ op: 'lock', key: 'k', token: 'two' })).toBe(false)
})

test('a holder that lost the lease cannot release another holder\u2019s', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] })
  const { run } = setUp()
  await run({ op: 'lock', key: 'k', token: 'one' })
  vi.setSystemTime(30_000)
  await run({ op: 'lock', key: 'k', token: 'two' })
  expect(await run({ op: 'unlock', key: 'k', token: 'one' })).toBe(false)
  expect(await run({ op: 'lock', key: 'k', token: 'three' })).toBe(false)
  expect(await run({ op: 'unlock', key: 'k', token: 'two' })).toBe(true)
  expect(await run({ op: 'lock', key: 'k', token: 'three' })).toBe(true)
})

test('an extension after the release does not restore the lease', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] })
  const { run } = setUp()
  await run({ op: 'lock', key: 'k', token: 'one' })
  expect(await run({ op: 'unlock', key: 'k', token: 'one' })).toBe(true)
  expect(await run({ op: 'extend', key: 'k', token: 'one' })).toBe(false)
  expect(await run({ op: 'lock', key: 'k', token: 'two' })).toBe(true)
  expect(await run({ op: 'extend', key: 'k', token: 'one' })).toBe(false)
  expect(await run({ op: 'extend', key: 'k', token: 'two' })).toBe(true)
})

test('an expired lease that no one else acquired can be extended by its holder', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] })
  const { run } = setUp()
  await run({ op: 'lock', key: 'k', token: 'one' })
  vi.setSystemTime(40_000)
  expect(await run({ op: 'extend', key: 'k', token: 'one' })).toBe(true)
  expect(await run({ op: 'lock', key: 'k', token: 'two' })).toBe(false)
})

test.each([7, ['text'], { value: 'text' }, true, 0, false])(
  'a stored value that is not a text is never reported as missing: %j',
  async (stored) => {
    const { records, answer } = setUp()
    records.set('value k', stored)
    for (const operation of [
      { op: 'get', key: 'k' },
      { op: 'compareAndSet', key: 'k', expected: null, next: 'v' },
    ] as const)
      expect(await answer(operation)).toEqual({ corrupt: true })
    expect(records.get('value k')).toBe(stored)
  },
)

test('values and leases have separate keys', async () => {
  const { records, run } = setUp()
  await run({ op: 'lock', key: 'k', token: 'one' })
  expect(await run({ op: 'compareAndSet', key: 'k', expected: null, next: 'v' })).toBe(true)
  expect(await run({ op: 'get', key: 'k' })).toBe('v')
  expect([...records.keys()]).toEqual(['lease k', 'value k'])
})
