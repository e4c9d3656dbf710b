/**
 * Reads and writes of one key, with this package's errors. A foreign store's error is reduced to its name and code:
 * clients of databases put the command that failed, token and all, into theirs.
 */
import { type Clock, isBrokerwireError, type Store } from '@brokerwire/core'
import { durationText, withTimeout } from '@brokerwire/core/internal'
import { shown, shownReason, TokensError, type TokensErrorDetails } from './tokens-error.ts'

type Operation = TokensErrorDetails['TOKEN_STORE_FAILED']['operation']

const SUBJECTS: Readonly<Record<Operation, string>> = {
  get: 'reading from the store',
  compareAndSet: 'writing to the store',
  lock: 'locking a key of the store',
}

/** Why the store failed. The text of a foreign error may hold a token: only its name and its code are shown. */
function reasonOf(error: unknown, errorName: string, errorCode: string | undefined): string {
  if (isBrokerwireError(error)) return shownReason(error.message)
  const name = [errorName, errorCode].filter((text) => text !== undefined).join(' ')
  return `${name}. The store's own message is not shown because it may hold a token`
}

/**
 * The error for a store that failed.
 *
 * @param reason - Why, if this package found it out. By default, what the error says.
 */
export function storeFailed(
  operation: Operation,
  error: unknown,
  reason?: string | undefined,
): TokensError<'TOKEN_STORE_FAILED'> {
  const errorName = error instanceof Error ? shown(error.name) : 'no error'
  const code = (error as { code?: unknown } | undefined)?.code
  const errorCode = typeof code === 'string' ? shown(code) : undefined
  const why = reason ?? reasonOf(error, errorName, errorCode)
  return new TokensError('TOKEN_STORE_FAILED', `${SUBJECTS[operation]} failed: ${why}`, {
    details: { operation, errorName, errorCode },
    ...(isBrokerwireError(error) ? { retryable: error.retryable, cause: error } : { retryable: true }),
  })
}

/** The error for a record that comes to no rest. */
export const changesTooOften = (): TokensError<'TOKEN_STORE_FAILED'> =>
  storeFailed(
    'compareAndSet',
    new Error(),
    'the record changes again and again. Other processes write it all the time, or the store does not keep what it accepts',
  )

/** The text of one key. */
export type StoredText = ReturnType<typeof storedText>

/** So many lost races in a row mean that the store does not keep its contract. */
const MAX_ATTEMPTS = 100

/** Longest time of one read or write. A store that never answers must not stop those that come later. */
const STORE_LIMIT_MS = 60_000

/**
 * One key of a store. A read or a write that is not answered within a minute fails; it may have been done.
 *
 * @param keys - A text under `oldKey` is moved to `key`, once.
 */
export function storedText(
  store: Store,
  { key, oldKey }: { readonly key: string; readonly oldKey?: string | undefined },
  clock: Clock,
) {
  const attempt = async <T>(operation: Operation, call: () => Promise<T>): Promise<T> => {
    let isLate = false
    const onLate = (): void => {
      isLate = true
    }
    try {
      return await withTimeout(clock, STORE_LIMIT_MS, undefined, async () => await call(), onLate)
    } catch (error) {
      const reason = isLate ? `the store did not answer within ${durationText(STORE_LIMIT_MS)}` : undefined
      throw storeFailed(operation, error, reason)
    }
  }
  const set = (key: string, expected: string | undefined, next: string | undefined) =>
    attempt('compareAndSet', () => store.compareAndSet(key, expected, next))
  const get = async (): Promise<string | undefined> => {
    const text = await attempt('get', () => store.get(key))
    if (text !== undefined || oldKey === undefined) return text
    const oldText = await attempt('get', () => store.get(oldKey))
    if (oldText === undefined) return undefined
    const isMoved = await set(key, undefined, oldText)
    await set(oldKey, oldText, undefined)
    return isMoved ? oldText : await attempt('get', () => store.get(key))
  }
  return {
    get,
    compareAndSet: (expected: string | undefined, next: string | undefined) => set(key, expected, next),
    /**
     * Applies `change` to whatever is stored, again where another process wrote in between.
     *
     * @param change - Called again for each attempt; `undefined` leaves the text as it is.
     */
    async update(change: (text: string | undefined) => string | undefined): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const text = await get()
        const next = change(text)
        if (next === undefined || next === text || (await set(key, text, next))) return
      }
      throw changesTooOften()
    },
  }
}
