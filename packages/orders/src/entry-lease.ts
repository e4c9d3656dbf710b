/** The lease on an entry, so that only one process at a time works on it. */
import type { AbortSignalLike, Clock, Store } from '@brokerwire/core'
import { abortReason, acquireStoreLease, withTimeoutOrUndefined } from '@brokerwire/core/internal'
import { limitStoreTime } from './journal-store.ts'
import { storeFailed } from './orders-error.ts'

/** A lease that this process has. */
export interface EntryLease {
  /** Whether the lease was lost, so that another process may work on the entry. */
  isLost(): boolean
  /** Releases the lease. If the store fails, the lease expires by itself. */
  release(): Promise<void>
}

/**
 * Waits for the lease of an entry.
 *
 * @param waitMs - The longest wait. Without it, the wait ends only with the signal.
 * @returns The lease; `undefined` if another process still has it after `waitMs`.
 * @throws The signal's reason; OrdersError `JOURNAL_STORE_FAILED`.
 */
export async function acquireEntryLease(
  store: Store,
  key: string,
  clock: Clock,
  signal: AbortSignalLike,
  waitMs = Number.POSITIVE_INFINITY,
): Promise<EntryLease | undefined> {
  try {
    const lock = await withTimeoutOrUndefined(
      clock,
      waitMs,
      signal,
      async (limited) =>
        await (store.lock?.(key, { signal: limited }) ??
          acquireStoreLease(limitStoreTime(store, clock), `${key}/lease`, clock, limited)),
    )
    return (
      lock && {
        isLost: () => lock.lost?.aborted === true,
        release: () => lock.release().catch(() => {}),
      }
    )
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : storeFailed('lock', error)
  }
}
