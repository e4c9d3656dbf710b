/**
 * Exclusive work on one key: the store's own lock, or a lease kept with `compareAndSet` where it has none.
 *
 * The lease needs no common clock: its holder changes the text every few seconds, and a waiter takes over only after
 * it has seen the very same text for a whole lease by its own timers. A holder that was stopped and goes on later
 * finds that its text is gone and stops.
 */
import type { AbortSignalLike, Clock, Store, StoreLock } from '@brokerwire/core'
import { abortReason, entryTaker, linkedAbort, lockByLease, onAbort, sleep } from '@brokerwire/core/internal'
import { storedText, storeFailed } from './store-access.ts'

/** A lock that is held. Giving it back never throws: where that fails, the others find it dead. */
export interface HeldLock extends StoreLock {
  /** Aborts when another holder has taken over, or may do so at any moment. */
  readonly lost: AbortSignalLike
}

const LEASE_MS = 15_000
/** The time that a holder has to stop what it does. */
const STOP_MS = 1000

declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array }

type Signal = AbortSignalLike | undefined

/** The lock of a store that has none: a lease on the text of a key. */
async function lockText(store: Store, key: string, clock: Clock, signal: Signal): Promise<StoreLock> {
  const { get, compareAndSet } = storedText(store, { key }, clock)
  const name = crypto.getRandomValues(new Uint8Array(16)).join('.')
  const taker = entryTaker(name, LEASE_MS, {
    async read() {
      const text = await get()
      return { text, mark: text }
    },
    write: (text, over) => compareAndSet(over.text, text),
    lengthOf: () => LEASE_MS,
  })
  const lostReason = (why: string): Error => new Error(why)
  return await lockByLease(taker, { clock, leaseMs: LEASE_MS, stopMs: STOP_MS, lostReason, signal })
}

/**
 * Waits for the lock of `key`.
 *
 * @throws The signal's reason; TokensError `TOKEN_STORE_FAILED`.
 */
export async function lockKey(store: Store, key: string, clock: Clock, signal?: Signal): Promise<HeldLock> {
  try {
    const taken = await (store.lock?.(key, { signal }) ?? lockText(store, `${key}/lease`, clock, signal))
    const { lost } = taken
    const { controller } = linkedAbort()
    const stop = lost && onAbort(lost, () => controller.abort(storeFailed('lock', abortReason(lost))))
    return {
      lost: controller.signal,
      async release() {
        stop?.()
        await taken.release().catch(() => {})
      },
    }
  } catch (error) {
    if (signal?.aborted) throw abortReason(signal)
    throw storeFailed('lock', error)
  }
}

/**
 * Waits for the lock, or until `changed` says that there is nothing left to wait for.
 *
 * @returns `undefined` where it changed first; the lock is then not held.
 */
export async function lockUnless(
  store: Store,
  key: string,
  clock: Clock,
  { signal, lookEveryMs, changed }: { signal?: Signal; lookEveryMs: number; changed: () => Promise<boolean> },
): Promise<HeldLock | undefined> {
  const waiting = linkedAbort(signal)
  const { controller: looking } = linkedAbort()
  const wanted = lockKey(store, key, clock, waiting.controller.signal)
  const look = async (): Promise<undefined> => {
    do {
      await sleep(clock, lookEveryMs, looking.signal)
    } while (!(await changed()))
  }
  let held: HeldLock | undefined
  try {
    held = await Promise.race([wanted, look()])
    return held
  } finally {
    looking.abort()
    waiting.release()
    if (held === undefined) {
      waiting.controller.abort()
      wanted.then((late) => late.release()).catch(() => {})
    }
  }
}
