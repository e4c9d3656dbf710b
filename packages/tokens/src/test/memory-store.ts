/** A store for tests: in memory, shared by as many runners as a test wants, and failing on request. */
import type { Store, StoreLock } from '@brokerwire/core'
import { memoryTexts } from '@brokerwire/testing/memory-texts'

export interface TestStore extends Store {
  readonly texts: Map<string, string>
  /** Operations that fail, each once for each entry. */
  readonly failures: ('get' | 'compareAndSet')[]
  writes: number
  lock(key: string, options?: { signal?: AbortSignal | undefined }): Promise<StoreLock>
}

export function createTestStore(): TestStore {
  const { texts, replace } = memoryTexts()
  const failures: ('get' | 'compareAndSet')[] = []
  const tails = new Map<string, Promise<void>>()
  const failOn = (operation: 'get' | 'compareAndSet'): void => {
    const index = failures.indexOf(operation)
    if (index === -1) return
    failures.splice(index, 1)
    throw Object.assign(new Error(`SET access-token "secret-in-message"`), { code: 'ENOSPC' })
  }
  const store: TestStore = {
    texts,
    failures,
    writes: 0,
    async get(key) {
      await Promise.resolve()
      failOn('get')
      return texts.get(key)
    },
    async compareAndSet(key, expected, next) {
      await Promise.resolve()
      failOn('compareAndSet')
      if (!replace(key, expected, next)) return false
      store.writes += 1
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

/** The same store without its lock. */
export function withoutLock({ get, compareAndSet }: TestStore): Store {
  return { get, compareAndSet }
}
