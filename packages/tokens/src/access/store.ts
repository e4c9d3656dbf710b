/** The store as the access tokens see it: records in, facts applied, waits for the lock, and who is told of a change. */
import type { AbortSignalLike } from '@brokerwire/core'
import { accessTokenKeys } from '../shared-options.ts'
import { storedText } from '../store-access.ts'
import { lockUnless } from '../store-lock.ts'
import { isTokensError } from '../tokens-error.ts'
import { type AccessTokenEvent, accessTokenTransition } from './machine.ts'
import type { AccessSettings } from './options.ts'
import { encodeRecord, parseStoredAccessToken, type StoredAccessToken } from './record.ts'

/** The record of one key. */
export type AccessStore = ReturnType<typeof createAccessStore>

/** The options, with the store as the runner sees it. */
export type AccessContext = Omit<AccessSettings, 'store'> & { readonly store: AccessStore }

/** The record of an app key. */
export function createAccessStore({ store, clock, storePollIntervalMs, ...settings }: AccessSettings) {
  const keys = accessTokenKeys(settings.identity)
  const stored = storedText(store, keys, clock)
  const listeners = new Set<() => void>()
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<string | undefined> | undefined
  /**
   * One read at a time, however many ask: a caller that comes while one is under way shares the one after it, which
   * knows of all that was written before that caller came.
   */
  const load = async (): Promise<StoredAccessToken> => {
    next ??= last.then(() => {
      next = undefined
      const text = stored.get()
      last = text.catch(() => {})
      return text
    })
    return parseStoredAccessToken(await next)
  }
  return {
    /** @throws TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`. */
    load,
    /**
     * Applies a fact to whatever is stored, by compare-and-set, again where another process wrote in between.
     *
     * @param wanted - Looked at with each attempt: `false` leaves the record alone.
     * @returns The record before; `undefined` where the fact changed nothing.
     */
    async apply(
      fact: AccessTokenEvent,
      wanted: (record: StoredAccessToken) => boolean = () => true,
    ): Promise<StoredAccessToken | undefined> {
      let before: StoredAccessToken | undefined
      await stored.update((text) => {
        const record = parseStoredAccessToken(text)
        const next = wanted(record) ? accessTokenTransition(record, fact) : record
        before = next === record ? undefined : record
        return next === record ? undefined : encodeRecord(next)
      })
      if (before !== undefined) for (const listener of listeners) listener()
      return before
    },
    /** Puts the end of a token in the place of a record that cannot be read. One of a newer format stays. */
    async discardMalformed(): Promise<void> {
      const text = await stored.get()
      try {
        parseStoredAccessToken(text)
      } catch (error) {
        if (!isTokensError(error, 'TOKEN_RECORD_INVALID') || error.details.reason !== 'malformed') throw error
        // Not removed: there was a token, so what follows is a person's to begin also where this renewal fails.
        await stored.compareAndSet(text, encodeRecord({ ended: 'UNREADABLE' }))
      }
    },
    /** Waits for the lock, or until the stored record is one that `settled` accepts. */
    lockUnless(settled: (record: StoredAccessToken) => boolean, signal: AbortSignalLike) {
      const changed = async (): Promise<boolean> => settled(await load())
      return lockUnless(store, keys.key, clock, { signal, lookEveryMs: storePollIntervalMs, changed })
    },
    /** @returns Stops listening. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
