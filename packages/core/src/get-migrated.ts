/** Reads a stored string whose key has changed between versions. */
import type { Store } from './store.ts'

/**
 * Returns the string under `key`. If there is none, moves the string under `oldKey` to `key` by
 * compare-and-set.
 *
 * @param oldKey - Key of earlier versions; `undefined` if there was none.
 * @returns The string; `undefined` if neither key has one.
 * @throws Errors of the store.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { getMigrated } from '@brokerwire/core/internal'
 *
 * declare const store: Store
 *
 * const text = await getMigrated(store, 'tokens/access/v2', 'tokens/access')
 * console.log(text)
 * ```
 */
export async function getMigrated(
  store: Pick<Store, 'get' | 'compareAndSet'>,
  key: string,
  oldKey: string | undefined,
): Promise<string | undefined> {
  const text = await store.get(key)
  if (text !== undefined || oldKey === undefined) return text
  const oldText = await store.get(oldKey)
  if (oldText === undefined) return undefined
  const isMoved = await store.compareAndSet(key, undefined, oldText)
  await store.compareAndSet(oldKey, oldText, undefined)
  // If the string was not moved, another process has written `key` first.
  return isMoved ? oldText : store.get(key)
}
