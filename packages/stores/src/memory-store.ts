/**
 * A store in memory: for tests, for a single process that may forget, and for a Worker that keeps its state
 * elsewhere.
 *
 * A client that keeps its access token here needs a new second factor after each restart.
 */
import { checkKey, checkValue, readWaitSignal } from './checks.ts'
import type { ListableStore } from './copy-store.ts'
import { createKeyedMutex } from './keyed-mutex.ts'

/**
 * Creates an empty store.
 *
 * @returns A store with `lock`. Its calls reject with {@link StoresError} `STORE_OPTION_INVALID` if a key is empty
 * or a value is not a string.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from '@brokerwire/stores'
 *
 * const store = createMemoryStore()
 * await store.compareAndSet('greeting', undefined, 'hello')
 * console.log(await store.get('greeting')) // hello
 * ```
 */
export function createMemoryStore(): ListableStore {
  const records = new Map<string, string>()
  const mutex = createKeyedMutex()
  return {
    async keys() {
      return [...records.keys()]
    },
    async get(key) {
      return records.get(checkKey(key))
    },
    async compareAndSet(key, expected, next) {
      checkKey(key)
      checkValue('expected', expected)
      checkValue('next', next)
      if (records.get(key) !== expected) return false
      if (next === undefined) records.delete(key)
      else records.set(key, next)
      return true
    },
    async lock(key, options) {
      const release = await mutex.acquire(checkKey(key), readWaitSignal(options))
      return {
        async release() {
          release()
        },
      }
    },
  }
}
