/**
 * Reads and writes one key of a store, with errors of this package. Of an error of another library, only the name
 * and the code are kept, because database clients put the whole command, including a token, into their messages.
 */
import { type Clock, isBrokerwireError, type Store } from '@brokerwire/core'
import { getMigrated, limitStore } from '@brokerwire/core/internal'
import { sanitize, sanitizeMessage, TokensError, type TokensErrorDetails } from './tokens-error.ts'

type Operation = TokensErrorDetails['TOKEN_STORE_FAILED']['operation']

const SUBJECTS: Readonly<Record<Operation, string>> = {
  get: 'reading from the store',
  compareAndSet: 'writing to the store',
  lock: 'locking a key of the store',
}

/**
 * Returns the reason of a store failure. The message of another library may contain a token, so only name and code
 * are shown.
 */
function failureReason(error: unknown, errorName: string, errorCode: string | undefined): string {
  if (isBrokerwireError(error)) return sanitizeMessage(error.message)
  const name = [errorName, errorCode].filter((text) => text !== undefined).join(' ')
  return `${name}. The store's own message is not shown because it may contain a token`
}

/**
 * Creates the error for a store that failed.
 *
 * @param reason - The reason if this package determined it. By default it is taken from the error.
 */
export function storeFailed(
  operation: Operation,
  error: unknown,
  reason?: string | undefined,
): TokensError<'TOKEN_STORE_FAILED'> {
  const errorName = error instanceof Error ? sanitize(error.name) : 'no error'
  const code = (error as { code?: unknown } | undefined)?.code
  const errorCode = typeof code === 'string' ? sanitize(code) : undefined
  const why = reason ?? failureReason(error, errorName, errorCode)
  return new TokensError('TOKEN_STORE_FAILED', `${SUBJECTS[operation]} failed: ${why}`, {
    details: { operation, errorName, errorCode },
    ...(isBrokerwireError(error) ? { retryable: error.retryable, cause: error } : { retryable: true }),
  })
}

/** Creates the error for a record that changes before each attempt to write it. */
export const tooManyConcurrentChanges = (): TokensError<'TOKEN_STORE_FAILED'> =>
  storeFailed(
    'compareAndSet',
    new Error(),
    'the record changed before each attempt to write it. Other processes write it all the time, or the store does not keep the values that it accepts',
  )

/** Access to the string under one key. */
export type StringRecord = ReturnType<typeof createStringRecord>

/** After this many lost compare-and-set races in a row, the store is assumed to break its contract. */
const MAX_ATTEMPTS = 100

/** Time limit of one read or write, so that a store that never responds does not block later calls. */
const STORE_OPERATION_LIMIT_MS = 60_000

/** Returns the reads and writes of a store with the time limit and the errors of this package. */
export const limitStoreTime = (store: Store, clock: Clock): Pick<Store, 'get' | 'compareAndSet'> =>
  limitStore(store, clock, STORE_OPERATION_LIMIT_MS, storeFailed)

/**
 * Creates the access to one key. A read or write without a response within a minute fails, although it may
 * have taken effect.
 *
 * @param keys - A string under `oldKey` is moved to `key` once.
 */
export function createStringRecord(
  store: Store,
  { key, oldKey }: { readonly key: string; readonly oldKey?: string | undefined },
  clock: Clock,
) {
  const limited = limitStoreTime(store, clock)
  const get = (): Promise<string | undefined> => getMigrated(limited, key, oldKey)
  const compareAndSet = (expected: string | undefined, next: string | undefined): Promise<boolean> =>
    limited.compareAndSet(key, expected, next)
  return {
    get,
    compareAndSet,
    /**
     * Applies `change` to the stored string. Tries again if another process wrote in between.
     *
     * @param change - Called for each attempt; `undefined` leaves the string unchanged.
     */
    async update(change: (stored: string | undefined) => string | undefined): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const stored = await get()
        const next = change(stored)
        if (next === undefined || next === stored || (await compareAndSet(stored, next))) return
      }
      throw tooManyConcurrentChanges()
    },
  }
}
