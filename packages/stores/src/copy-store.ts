/**
 * Copies what one store holds to another: how a service moves from files to a server without a new second factor.
 *
 * Nothing is overwritten. What stands in the other store already may be newer than what is copied.
 */
import type { Store } from '@brokerwire/core'
import { array, type FieldsOf, optional, port, readOptions, string } from '@brokerwire/core/internal'
import { checkKey } from './checks.ts'
import { optionFailure } from './stores-error.ts'

/** A store that can say what it holds. */
export interface ListedStore extends Store {
  /** The keys that hold a text at present, in no order. */
  keys(): Promise<readonly string[]>
}

/** Options of {@link copyStore}. */
export interface CopyStoreOptions {
  /** The keys to copy, for a store that cannot list them, such as one that encrypts. @defaultValue all of `from` */
  readonly keys?: readonly string[] | undefined
}

const COPY_STORE_OPTIONS = {
  keys: optional(array(string(), { expected: 'an array of keys', default: [] })),
} satisfies FieldsOf<CopyStoreOptions>

/** What became of each key. */
export interface CopiedStore {
  /** Written by this call. */
  readonly copied: readonly string[]
  /** The same text was there already, as when it runs twice. */
  readonly same: readonly string[]
  /** Another text was there: it was left, and so was the one in `from`. */
  readonly different: readonly string[]
}

/**
 * Copies every text of `from` to `to`, and removes nothing. May run again after it failed in the middle.
 *
 * Nobody may write to `from` meanwhile or afterwards: a token that is renewed there replaces the one that was copied. Stop the
 * processes that use it, copy, start them with the other store.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`; what the stores reject with.
 *
 * @example
 * ```ts
 * import type { Store } from '@brokerwire/core'
 * import { copyStore } from '@brokerwire/stores'
 * import { createFileStore } from '@brokerwire/stores/file'
 *
 * declare const to: Store
 *
 * await copyStore(createFileStore({ directory: './tokens' }), to)
 * ```
 */
export async function copyStore(
  from: Store | ListedStore,
  to: Store,
  options: CopyStoreOptions = {},
): Promise<CopiedStore> {
  const given = readOptions(optionFailure, options, COPY_STORE_OPTIONS)
  port<Store>(['get', 'compareAndSet'])(from, 'from', optionFailure)
  port<Store>(['get', 'compareAndSet'])(to, 'to', optionFailure)
  const keys = given.keys ?? (await port(['keys'])(from as ListedStore, 'from', optionFailure).keys())
  const copied: string[] = []
  const same: string[] = []
  const different: string[] = []
  for (const key of new Set<string>(keys)) {
    const text = await from.get(checkKey(key))
    if (text === undefined) continue
    if (await to.compareAndSet(key, undefined, text)) copied.push(key)
    else if ((await to.get(key)) === text) same.push(key)
    else different.push(key)
  }
  return { copied, same, different }
}
