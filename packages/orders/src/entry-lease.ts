/** The lease on an entry, so that only one process at a time works on it. */
import type { AbortSignalLike, Clock, Store, StoreLock } from '@brokerwire/core'
import {
  abortReason,
  acquireLease,
  casLeaseBackend,
  createTimeoutController,
} from '@brokerwire/core/internal'
import { randomHex } from './options.ts'
import { storeFailed } from './orders-error.ts'

const LEASE_MS = 15_000
/** A process must stop working this long before the end of its lease. */
const STOP_MS = 1000

/** A lease that this process has. */
export interface EntryLease {
  /** Whether the lease was lost, so that another process may work on the entry. */
  isLost(): boolean
  /** Releases the lease. If the store fails, the lease expires by itself. */
  release(): Promise<void>
}

/** Acquires a lease that is stored under a key by compare-and-set, for stores without locks. */
async function acquireCasLease(
  store: Store,
  key: string,
  clock: Clock,
  signal: AbortSignalLike,
): Promise<StoreLock> {
  const backend = casLeaseBackend(randomHex(16), LEASE_MS, {
    async read() {
      const text = await store.get(key)
      return { text, revision: text }
    },
    write: (text, over) => store.compareAndSet(key, over.text, text),
    getLeaseMs: () => LEASE_MS,
  })
  const lostReason = (why: string): Error => new Error(why)
  return await acquireLease(backend, { clock, leaseMs: LEASE_MS, stopMs: STOP_MS, lostReason, signal })
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
  const { controller, isLate, release } = createTimeoutController(clock, waitMs, signal)
  try {
    const lock = await (store.lock?.(key, { signal: controller.signal }) ??
      acquireCasLease(store, `${key}/lease`, clock, controller.signal))
    return {
      isLost: () => lock.lost?.aborted === true,
      release: () => lock.release().catch(() => {}),
    }
  } catch (error) {
    if (signal.aborted) throw abortReason(signal)
    if (isLate()) return undefined
    throw storeFailed('lock', error)
  } finally {
    release()
  }
}
