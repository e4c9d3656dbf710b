/** The store as the runner sees it: records in and out, waits for the lock, and who wants to know of a change. */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { storedText } from '../store-access.ts'
import { type HeldLock, lockUnless } from '../store-lock.ts'
import { isTokensError } from '../tokens-error.ts'
import { decodeRecord, encodeRecord, type TokenRecord } from './record.ts'

/** Records of one key. */
export interface AccessStore {
  /** @throws TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`. */
  load(): Promise<TokenRecord>
  /**
   * Changes whatever is stored by compare-and-set, again where somebody else wrote in between.
   *
   * @param change - Pure; `undefined`: leave it.
   * @returns Whether it was changed.
   */
  change(change: (record: TokenRecord) => TokenRecord | undefined): Promise<boolean>
  /** Puts the end of a token in the place of a record that cannot be read. One of a newer format stays. */
  discardMalformed(): Promise<void>
  /** Waits for the lock, or until the stored record is one that `settled` accepts. */
  lockUnless(
    settled: (record: TokenRecord) => boolean,
    signal: AbortSignalLike | undefined,
  ): Promise<HeldLock | undefined>
  /** @returns Stops listening. */
  onChange(listener: () => void): () => void
}

/** The records of `key` in `store`. */
export function createAccessStore(store: Store, key: string, clock: Clock, lookEveryMs: number): AccessStore {
  const stored = storedText(store, key)
  const listeners = new Set<() => void>()
  let reading: Promise<string | undefined> | undefined
  let following: Promise<string | undefined> | undefined
  const read = (): Promise<string | undefined> => {
    const begun = stored.get().finally(() => {
      if (reading === begun) reading = undefined
    })
    reading = begun
    return begun
  }
  const readNext = (): Promise<string | undefined> => {
    following = undefined
    return read()
  }
  /**
   * One read at a time, however many ask: who comes while one is under way shares the one after it, which knows of all
   * that was written before he came.
   */
  const load = async (): Promise<TokenRecord> => {
    if (reading === undefined) return decodeRecord(await read())
    following ??= reading.then(readNext, readNext)
    return decodeRecord(await following)
  }
  return {
    load,
    async change(change) {
      const changed = await stored.update((text) => {
        const next = change(decodeRecord(text))
        return next && encodeRecord(next)
      })
      if (changed) for (const listener of listeners) listener()
      return changed
    },
    async discardMalformed() {
      const text = await stored.get()
      try {
        decodeRecord(text)
      } catch (error) {
        if (!isTokensError(error, 'TOKEN_RECORD_INVALID') || error.details.reason !== 'malformed') throw error
        // Not removed: there was a token, so what follows is a person's to begin also where this renewal fails.
        await stored.compareAndSet(text, encodeRecord({ ended: 'UNREADABLE' }))
      }
    },
    lockUnless: (settled, signal) =>
      lockUnless(store, key, clock, {
        signal,
        lookEveryMs,
        changed: async () => settled(await load()),
      }),
    onChange(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
