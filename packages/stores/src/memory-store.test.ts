import type { Store } from '@brokerwire/core'
import { describe, expect, test } from 'vitest'
import { createMemoryStore, isStoresError } from './index.ts'
import { storeContract } from './testing/index.ts'

describe('the memory store fulfills the contract', () => {
  const open = async () => {
    const store = createMemoryStore()
    return { first: store, second: store }
  }
  for (const { name, run } of storeContract({ open })) test(name, run)
})

describe('the contract', () => {
  const failures = async (spoil: (records: Map<string, string>) => Partial<Store>): Promise<string[]> => {
    const open = async () => {
      const spoiled = { ...createMemoryStore(), ...spoil(new Map()) }
      return { first: spoiled, second: spoiled }
    }
    const failed: string[] = []
    for (const { name, run } of storeContract({ open })) await run().catch(() => failed.push(name))
    return failed
  }

  test('detects a store that writes without comparing', async () => {
    const failed = await failures((records) => ({
      get: async (key) => records.get(key),
      compareAndSet: async (key, _expected, next) => {
        if (next === undefined) records.delete(key)
        else records.set(key, next)
        return true
      },
    }))
    expect(failed).toContain('replaces only the expected text')
    expect(failed).toContain('one of many creators wins')
  })

  test('detects a store that compares and writes in two steps', async () => {
    const failed = await failures((records) => ({
      get: async (key) => records.get(key),
      compareAndSet: async (key, expected, next) => {
        if (records.get(key) !== expected) return false
        await Promise.resolve()
        if (next === undefined) records.delete(key)
        else records.set(key, next)
        return true
      },
    }))
    expect(failed).toContain('no update is lost among many writers')
    expect(failed).not.toContain('replaces only the expected text')
  })

  test('detects a store whose lock has several holders', async () => {
    const failed = await failures(() => ({ lock: async () => ({ release: async () => {} }) }))
    expect(failed).toContain('a lock has one holder at a time')
    expect(failed).toContain('an abort ends the wait with the reason of the signal')
  })

  test('detects a store that promises a lock and has none', async () => {
    const open = async () => {
      const { get, compareAndSet } = createMemoryStore()
      return { first: { get, compareAndSet }, second: { get, compareAndSet } }
    }
    const [lockCase] = storeContract({ open }).filter(
      ({ name }) => name === 'a lock has one holder at a time',
    )
    await expect(lockCase?.run()).rejects.toThrow('Set lock: false')
    expect(storeContract({ open, lock: false }).some(({ name }) => name.includes('lock'))).toBe(false)
  })
})

test('a value that is not a string is rejected by name, without showing it', async () => {
  const store = createMemoryStore()
  const error = await store.compareAndSet('key', undefined, 4711 as never).catch((caught: unknown) => caught)
  expect(isStoresError(error, 'STORE_OPTION_INVALID')).toBe(true)
  expect(String(error)).toBe('StoresError: next must be a string or undefined; received a number')
})
