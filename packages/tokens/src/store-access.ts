/**
 * Reads and writes of one key, with this package's errors. A foreign store's error is reduced to its name and code:
 * clients of databases put the command that failed, token and all, into theirs.
 */
import { isBrokerwireError, printable, type Store } from '@brokerwire/core'
import { TokensError, type TokensErrorDetails } from './tokens-error.ts'

type Operation = TokensErrorDetails['TOKEN_STORE_FAILED']['operation']

/** Of the name and the code of a store's error. */
const MAX_SHOWN = 100

/** The error for a store that failed. */
export function storeFailed(operation: Operation, error: unknown): TokensError<'TOKEN_STORE_FAILED'> {
  const errorName = error instanceof Error ? printable(error.name, MAX_SHOWN) : 'no error'
  const code = (error as { code?: unknown } | undefined)?.code
  return new TokensError('TOKEN_STORE_FAILED', `the store failed at ${operation}: ${errorName}`, {
    details: {
      operation,
      errorName,
      errorCode: typeof code === 'string' ? printable(code, MAX_SHOWN) : undefined,
    },
    ...(isBrokerwireError(error) ? { retryable: error.retryable, cause: error } : { retryable: true }),
  })
}

/** The text of one key. */
export interface StoredText {
  get(): Promise<string | undefined>
  compareAndSet(expected: string | undefined, next: string | undefined): Promise<boolean>
  /**
   * Applies `change` to whatever is stored, again where somebody else wrote in between.
   *
   * @param change - Pure; `undefined` means: leave it. Called again for each attempt.
   * @returns Whether something was written.
   */
  update(change: (text: string | undefined) => string | undefined): Promise<boolean>
}

/** So many lost races in a row mean that the store does not keep its contract. */
const MAX_ATTEMPTS = 100

/** One key of a store. */
export function storedText(store: Store, key: string): StoredText {
  const get = async (): Promise<string | undefined> => {
    try {
      return await store.get(key)
    } catch (error) {
      throw storeFailed('get', error)
    }
  }
  const compareAndSet = async (expected: string | undefined, next: string | undefined): Promise<boolean> => {
    try {
      return await store.compareAndSet(key, expected, next)
    } catch (error) {
      throw storeFailed('compareAndSet', error)
    }
  }
  return {
    get,
    compareAndSet,
    async update(change) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const text = await get()
        const next = change(text)
        if (next === undefined) return false
        if (next === text || (await compareAndSet(text, next))) return true
      }
      throw storeFailed('compareAndSet', new Error('too many lost races'))
    },
  }
}
