/**
 * Reads and writes of one key, with this package's errors. A foreign store's error is reduced to its name and code:
 * clients of databases put the command that failed, token and all, into theirs.
 */
import { isBrokerwireError, type Store } from '@brokerwire/core'
import { shown, TokensError, type TokensErrorDetails } from './tokens-error.ts'

type Operation = TokensErrorDetails['TOKEN_STORE_FAILED']['operation']

/** The error for a store that failed. */
export function storeFailed(operation: Operation, error: unknown): TokensError<'TOKEN_STORE_FAILED'> {
  const errorName = error instanceof Error ? shown(error.name) : 'no error'
  const code = (error as { code?: unknown } | undefined)?.code
  return new TokensError('TOKEN_STORE_FAILED', `the store failed at ${operation}: ${errorName}`, {
    details: {
      operation,
      errorName,
      errorCode: typeof code === 'string' ? shown(code) : undefined,
    },
    ...(isBrokerwireError(error) ? { retryable: error.retryable, cause: error } : { retryable: true }),
  })
}

/** The text of one key. */
export type StoredText = ReturnType<typeof storedText>

/** So many lost races in a row mean that the store does not keep its contract. */
const MAX_ATTEMPTS = 100

/** One key of a store. */
export function storedText(store: Store, key: string) {
  const attempt = async <T>(operation: Operation, call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      throw storeFailed(operation, error)
    }
  }
  const get = () => attempt('get', () => store.get(key))
  const compareAndSet = (expected: string | undefined, next: string | undefined) =>
    attempt('compareAndSet', () => store.compareAndSet(key, expected, next))
  return {
    get,
    compareAndSet,
    /**
     * Applies `change` to whatever is stored, again where another process wrote in between.
     *
     * @param change - Called again for each attempt; `undefined` leaves the text as it is.
     */
    async update(change: (text: string | undefined) => string | undefined): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const text = await get()
        const next = change(text)
        if (next === undefined || next === text || (await compareAndSet(text, next))) return
      }
      // Too many lost races: of what has no code the name is shown.
      throw storeFailed('compareAndSet', new Error())
    },
  }
}
