/**
 * A lock on one key: the store's own lock, or a lease on top of `compareAndSet` if the store has none.
 *
 * The lease needs no common clock. Its holder changes the stored string every few seconds. A waiter acquires the lease
 * only after it has read the same string for a whole lease by its own timers. A holder that was suspended finds another
 * string, and stops.
 */
import type { AbortSignalLike, Clock, Store, StoreLock } from '@brokerwire/core'
import {
  abortReason,
  acquireStoreLease,
  addAbortListener,
  createLinkedController,
  sleep,
} from '@brokerwire/core/internal'
import { limitStoreTime, storeFailed } from './store-access.ts'

/** An acquired lock. `release()` never throws: if it fails, the lease of the lock expires. */
export interface AcquiredLock extends StoreLock {
  /** Aborts when another process has acquired the lock, or can acquire it at any moment. */
  readonly lost: AbortSignalLike
}

type Signal = AbortSignalLike | undefined

/** Waits for the lock of `key`. @throws The signal's reason; TokensError `TOKEN_STORE_FAILED`. */
export async function acquireLock(
  store: Store,
  key: string,
  clock: Clock,
  signal?: Signal,
): Promise<AcquiredLock> {
  try {
    const lock = await (store.lock?.(key, { signal }) ??
      acquireStoreLease(limitStoreTime(store, clock), `${key}/lease`, clock, signal))
    const { lost } = lock
    const { controller } = createLinkedController()
    const stop =
      lost && addAbortListener(lost, () => controller.abort(storeFailed('lock', abortReason(lost))))
    return {
      lost: controller.signal,
      async release() {
        stop?.()
        await lock.release().catch(() => {})
      },
    }
  } catch (error) {
    if (signal?.aborted) throw abortReason(signal)
    throw storeFailed('lock', error)
  }
}

/**
 * Waits for the lock, or until `changed` returns true.
 *
 * @returns The lock; `undefined` if `changed` returned true first. The lock is then not acquired.
 */
export async function acquireLockUnlessChanged(
  store: Store,
  key: string,
  clock: Clock,
  {
    signal,
    pollIntervalMs,
    changed,
  }: { signal?: Signal; pollIntervalMs: number; changed: () => Promise<boolean> },
): Promise<AcquiredLock | undefined> {
  const waiting = createLinkedController(signal)
  const { controller: polling } = createLinkedController()
  const acquiring = acquireLock(store, key, clock, waiting.controller.signal)
  const poll = async (): Promise<undefined> => {
    do {
      await sleep(clock, pollIntervalMs, polling.signal)
    } while (!(await changed()))
  }
  let acquired: AcquiredLock | undefined
  try {
    acquired = await Promise.race([acquiring, poll()])
    return acquired
  } finally {
    polling.abort()
    waiting.release()
    if (acquired === undefined) {
      waiting.controller.abort()
      acquiring.then((late) => late.release()).catch(() => {})
    }
  }
}
