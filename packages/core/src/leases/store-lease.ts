/** A lock for stores without locks: a lease on the string under a key. */
import type { Store, StoreLock } from '../store.ts'
import type { AbortSignalLike } from '../structural.ts'
import type { Clock } from '../time/clock.ts'
import { acquireLease, casLeaseBackend } from './lease-lock.ts'

const LEASE_MS = 15_000
/** How long before the end of its lease the holder must stop its work, in milliseconds. */
const STOP_MS = 1000

declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array }

/**
 * Waits until this process has the lease. Processes need no common clock.
 *
 * @throws The signal's reason; errors of the store.
 */
export async function acquireStoreLease(
  store: Pick<Store, 'get' | 'compareAndSet'>,
  key: string,
  clock: Clock,
  signal: AbortSignalLike | undefined,
): Promise<StoreLock> {
  const name = crypto.getRandomValues(new Uint8Array(16)).join('.')
  const backend = casLeaseBackend(name, LEASE_MS, {
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
