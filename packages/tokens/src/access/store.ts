/** The stored record of one app key: reads, events applied by compare-and-set, the lock, and change listeners. */
import type { AbortSignalLike } from '@brokerwire/core'
import { createReporter } from '@brokerwire/core/internal'
import type { TokenStateReport } from '../observer.ts'
import { accessTokenKeys } from '../shared-options.ts'
import { createStringRecord } from '../store-access.ts'
import { acquireLockUnlessChanged } from '../store-lock.ts'
import { isTokensError } from '../tokens-error.ts'
import { type AccessTokenEvent, accessTokenState, accessTokenTransition } from './machine.ts'
import type { AccessSettings } from './options.ts'
import { encodeRecord, parseStoredAccessToken, type StoredAccessToken } from './record.ts'

/** The functions that read and change the stored record. */
export type AccessStore = ReturnType<typeof createAccessStore>

/** The settings, with the functions of the record as `store`. */
export type AccessContext = Omit<AccessSettings, 'store'> & { readonly store: AccessStore }

/** Creates the functions that read and change the record. */
export function createAccessStore(settings: AccessSettings) {
  const { store, clock, storePollIntervalMs, clientId, observer } = settings
  const keys = accessTokenKeys(settings.identity)
  const stored = createStringRecord(store, keys, clock)
  const listeners = new Set<() => void>()
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<string | undefined> | undefined
  const report = createReporter(observer, { clientId })
  let reported: Pick<TokenStateReport, 'state' | 'expiresAtMs'> | undefined
  /** Reports the state of the record, unless it was reported before. */
  const reportState = (record: StoredAccessToken): void => {
    if (observer.onTokenState === undefined) return
    const now = accessTokenTransition(record, { type: 'time', nowMs: clock.now() })
    const state = accessTokenState(now)
    const expiresAtMs = now.current?.expiresAtMs
    if (state === reported?.state && expiresAtMs === reported.expiresAtMs) return
    reported = { state, expiresAtMs }
    report('onTokenState', reported)
  }
  /**
   * Reads the record. There is one read at a time: a caller that arrives during a read shares the next read, which
   * includes everything that was written before the call.
   */
  const load = async (): Promise<StoredAccessToken> => {
    next ??= last.then(() => {
      next = undefined
      const text = stored.get()
      last = text.catch(() => {})
      return text
    })
    const record = parseStoredAccessToken(await next)
    reportState(record)
    return record
  }
  return {
    /** @throws TokensError `TOKEN_STORE_FAILED`, `TOKEN_RECORD_INVALID`. */
    load,
    /**
     * Applies an event to the stored record by compare-and-set. Tries again if another process wrote in
     * between.
     *
     * @param isApplicable - Called for each attempt: `false` leaves the record unchanged.
     * @returns The record before the event; `undefined` if the event changed nothing.
     */
    async apply(
      event: AccessTokenEvent,
      isApplicable: (record: StoredAccessToken) => boolean = () => true,
    ): Promise<StoredAccessToken | undefined> {
      let before: StoredAccessToken | undefined
      let after: StoredAccessToken | undefined
      await stored.update((text) => {
        const record = parseStoredAccessToken(text)
        const next = isApplicable(record) ? accessTokenTransition(record, event) : record
        before = next === record ? undefined : record
        after = next
        return next === record ? undefined : encodeRecord(next)
      })
      if (after !== undefined) reportState(after)
      if (before !== undefined) for (const listener of listeners) listener()
      return before
    },
    /**
     * Replaces a malformed record by the record of a token that has ended. For a record of a newer format,
     * throws and keeps it.
     */
    async discardMalformed(): Promise<void> {
      const text = await stored.get()
      try {
        parseStoredAccessToken(text)
      } catch (error) {
        if (!isTokensError(error, 'TOKEN_RECORD_INVALID') || error.details.reason !== 'malformed') throw error
        // The record is not deleted, so that it still shows that there was a token. Therefore only a person may
        // start the next create, even if this renewal fails.
        await stored.compareAndSet(text, encodeRecord({ ended: 'UNREADABLE' }))
      }
    },
    /** Waits for the lock, or until `settled` returns `true` for the stored record. */
    acquireLockUnlessChanged(settled: (record: StoredAccessToken) => boolean, signal: AbortSignalLike) {
      const changed = async (): Promise<boolean> => settled(await load())
      return acquireLockUnlessChanged(store, keys.key, clock, {
        signal,
        pollIntervalMs: storePollIntervalMs,
        changed,
      })
    },
    /** Adds a listener for changes by this process. @returns A function that removes the listener. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
