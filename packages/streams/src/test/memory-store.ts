/** A store of its own for tests, which can fail and be watched. The published drivers have their own suites. */
import type { Store } from '@brokerwire/core'
import { memoryTexts } from '@brokerwire/testing/memory-texts'

/** A store under the test's hand. */
export interface TestStore extends Store {
  readonly entries: Map<string, string>
  /** How many writes were asked for. */
  writes: number
  /** While set, every call throws it. */
  failure: Error | undefined
}

/** Makes one. */
export function testStore(): TestStore {
  const { texts: entries, replace } = memoryTexts()
  const store: TestStore = {
    entries,
    writes: 0,
    failure: undefined,
    async get(key) {
      if (store.failure !== undefined) throw store.failure
      return entries.get(key)
    },
    async compareAndSet(key, expected, next) {
      store.writes += 1
      if (store.failure !== undefined) throw store.failure
      return replace(key, expected, next)
    },
  }
  return store
}
