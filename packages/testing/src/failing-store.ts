/**
 * A store in memory that several clients of a test can share. The test can count its writes and make its
 * calls fail. It needs no host, so it also runs in workerd. The published stores have their own tests.
 */
import type { Store, StoreLock } from '@brokerwire/core'

/** The store. */
export interface FailingStore extends Store {
  readonly entries: Map<string, string>
  /** Number of calls of `compareAndSet()`, including failed ones. */
  writes: number
  /** If it is set, every call of `get()` and `compareAndSet()` throws this error. */
  failure: Error | undefined
  /** Operations that fail. Each entry makes one call fail, and is removed by that call. */
  readonly failures: ('get' | 'compareAndSet')[]
  lock(key: string, options?: { signal?: AbortSignal | undefined }): Promise<StoreLock>
}

/** Creates an empty store. */
export function createFailingStore(): FailingStore {
  const entries = new Map<string, string>()
  const failures: ('get' | 'compareAndSet')[] = []
  /** For each key, a promise that resolves when the last requested lock is released. */
  const tails = new Map<string, Promise<void>>()
  const failOn = (operation: 'get' | 'compareAndSet'): void => {
    if (store.failure !== undefined) throw store.failure
    const index = failures.indexOf(operation)
    if (index === -1) return
    failures.splice(index, 1)
    throw Object.assign(new Error('SET access-token "secret-in-message"'), { code: 'ENOSPC' })
  }
  const store: FailingStore = {
    entries,
    failures,
    failure: undefined,
    writes: 0,
    async get(key) {
      await Promise.resolve()
      failOn('get')
      return entries.get(key)
    },
    async compareAndSet(key, expected, next) {
      store.writes += 1
      await Promise.resolve()
      failOn('compareAndSet')
      if (entries.get(key) !== expected) return false
      if (next === undefined) entries.delete(key)
      else entries.set(key, next)
      return true
    },
    async lock(key, { signal } = {}) {
      const before = tails.get(key) ?? Promise.resolve()
      let release = (): void => {}
      const mine = new Promise<void>((resolve) => {
        release = resolve
      })
      tails.set(
        key,
        before.then(() => mine),
      )
      try {
        await new Promise<void>((resolve, reject) => {
          if (signal?.aborted) reject(signal.reason)
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
          before.then(resolve)
        })
      } catch (error) {
        release()
        throw error
      }
      return { release: async () => release() }
    },
  }
  return store
}

/** Returns the same store without its lock. */
export function withoutLock({ get, compareAndSet }: Store): Store {
  return { get, compareAndSet }
}
