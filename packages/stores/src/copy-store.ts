/**
 * Copies the records of one store to another, so that a service can move from files to a server without a new
 * second factor.
 *
 * Nothing is overwritten, because a text in the second store may be newer than the one in the first.
 */
import type { Store } from '@brokerwire/core'
import { array, type FieldsOf, optional, port, readOptions, string } from '@brokerwire/core/internal'
import { checkKey } from './checks.ts'
import { optionFailure } from './stores-error.ts'

/** A store that can list its keys. */
export interface ListableStore extends Store {
  /** Returns the keys that hold a text now, in no particular order. */
  keys(): Promise<readonly string[]>
}

/** Options of {@link copyStore}. */
export interface CopyStoreOptions {
  /**
   * The keys to copy. Required for a store that cannot list its keys, such as an encrypted one.
   * @defaultValue all of `from`
   */
  readonly keys?: readonly string[] | undefined
}

const COPY_STORE_OPTIONS = {
  keys: optional(array(string(), { expected: 'an array of keys', default: [] })),
} satisfies FieldsOf<CopyStoreOptions>

/** The result of {@link copyStore}, by key. */
export interface CopyResult {
  /** Keys that this call wrote. */
  readonly copied: readonly string[]
  /** Keys whose text was already the same, for example in a second run. */
  readonly same: readonly string[]
  /** Keys that have another text in `to`. Both texts are unchanged. */
  readonly different: readonly string[]
}

/**
 * Copies every text of `from` to `to` and deletes nothing. It may run again after a failure.
 *
 * No process may write to `from` during or after the copy, because a token that is renewed there replaces the
 * copied one. Stop the processes that use `from`, copy, and start them with `to`.
 *
 * @throws {@link StoresError} `STORE_OPTION_INVALID`; the errors of the stores.
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
  from: Store | ListableStore,
  to: Store,
  options: CopyStoreOptions = {},
): Promise<CopyResult> {
  const given = readOptions(optionFailure, options, COPY_STORE_OPTIONS)
  port<Store>(['get', 'compareAndSet'])(from, 'from', optionFailure)
  port<Store>(['get', 'compareAndSet'])(to, 'to', optionFailure)
  const keys = given.keys ?? (await port(['keys'])(from as ListableStore, 'from', optionFailure).keys())
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
