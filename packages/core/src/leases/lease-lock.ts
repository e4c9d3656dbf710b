/**
 * A lock that is a lease: its holder extends it again and again, and it becomes free if the holder stops.
 * This lock is used for all stores that several machines can share, and for stores without locks.
 */

import type { StoreLock } from '../store.ts'
import type { AbortSignalLike } from '../structural.ts'
import { abortable, throwIfAborted } from '../time/abort.ts'
import { type Clock, sleep } from '../time/clock.ts'
import { createLease, type LeaseOptions } from './lease.ts'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 1000

/** The operations of one client on a lease. */
export interface LeaseBackend {
  /**
   * Tries to acquire the lease. The time of the lease starts when the store receives the request. If this
   * client has the lease already, its time starts again.
   *
   * @param waitedMs - Milliseconds since the previous attempt; 0 for the first one.
   * @returns Whether this client has the lease now.
   */
  acquire(waitedMs: number): Promise<boolean>
  /** Extends the lease if this client holds it. A released lease is not acquired again. @returns Whether it was extended. */
  extend(): Promise<boolean>
  /** Releases the lease if this client holds it. */
  release(): Promise<unknown>
}

/** Options of {@link acquireLease}. */
export interface AcquireLeaseOptions {
  /** Source of the timers. */
  readonly clock: Clock
  /**
   * Duration of the lease, in milliseconds. The lease is extended each time after a third of its duration.
   */
  readonly leaseMs: number
  /**
   * Milliseconds between the abort of `lost` and the earliest time at which another client can acquire the
   * lease. In this time the work must stop.
   * @defaultValue a sixth of `leaseMs`
   */
  readonly stopMs?: number | undefined
  /** Creates the abort reason of `lost`. */
  readonly lostReason: LeaseOptions['lostReason']
  /** Ends the wait when it aborts. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
}

/**
 * Waits until the lease is acquired. A caller must use `return await`, because workerd reports a rejection that is handled one
 * turn later as unhandled.
 *
 * @throws The signal's reason; errors of `acquire`.
 */
export async function acquireLease(backend: LeaseBackend, terms: AcquireLeaseOptions): Promise<StoreLock> {
  const { clock, leaseMs, stopMs = leaseMs / 6, lostReason, signal } = terms
  const lease = createLease({
    clock,
    validMs: leaseMs - stopMs,
    extendMs: leaseMs / 3,
    retryMs: leaseMs / 15,
    extend: () => backend.extend(),
    lostReason,
  })
  const releaseLease = async (): Promise<void> => {
    lease.end()
    await backend.release()
  }
  try {
    let waitedMs = 0
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      throwIfAborted(signal)
      const sinceMs = waitedMs
      const acquiring = lease.acquire(() => backend.acquire(sinceMs))
      // After an abort, no caller waits for the response. If the lease is granted later, it is released.
      acquiring.then(() => (signal?.aborted ? releaseLease() : undefined)).catch(() => {})
      if (await abortable(acquiring, signal)) break
      await sleep(clock, waitMs, signal)
      waitedMs = waitMs
    }
  } catch (error) {
    // The lease is released, because the store may have granted it although the response was lost.
    if (!signal?.aborted) releaseLease().catch(() => {})
    lease.end()
    throw error
  }
  let released: Promise<void> | undefined
  return {
    lost: lease.lost,
    release() {
      released ??= releaseLease().catch((error: unknown) => {
        released = undefined
        throw error
      })
      return released
    },
  }
}

/** The stored entry of a lease. */
export interface LeaseEntry {
  /** The stored string, or `undefined` if the lease is free. */
  readonly text: string | undefined
  /** The revision of the entry. No two writes have the same revision. */
  readonly revision: unknown
}

/** Reads and writes the entry of a lease. `Call` is an argument that is passed to both functions. */
export interface LeaseEntryPort<Call> {
  /** Returns the entry that is stored now. */
  read(call: Call | undefined): Promise<LeaseEntry>
  /**
   * If `over` is still the stored entry, writes `text`, or deletes the entry if `text` is `undefined`.
   *
   * @returns Whether the entry was changed.
   */
  write(text: string | undefined, over: LeaseEntry, call: Call | undefined): Promise<boolean>
  /** Returns the duration of the lease, in milliseconds, from the string of its entry. */
  getLeaseMs(text: string): number
}

const RELEASE_ATTEMPTS = 10

/**
 * Creates the operations on a lease that is an entry with compare-and-set. No common clock is needed, because
 * the holder writes the entry again every few seconds. Another client acquires the lease only if the entry
 * has not changed for a whole lease, measured with the client's own timers.
 *
 * @param name - Name of the holder, without spaces.
 * @param terms - A string or number that is written after the name, for example the duration of the lease.
 */
export function casLeaseBackend<Call>(
  name: string,
  terms: string | number,
  { read, write, getLeaseMs }: LeaseEntryPort<Call>,
) {
  let round = 0
  let lastRevision: unknown
  let unchangedForMs = 0
  const isOwn = ({ text }: LeaseEntry): boolean => text?.startsWith(`${name} `) === true
  const rewrite = (over: LeaseEntry, call: Call | undefined): Promise<boolean> => {
    round += 1
    return write(`${name} ${terms} ${round}`, over, call)
  }
  return {
    async acquire(waitedMs: number, call?: Call): Promise<boolean> {
      const entry = await read(call)
      unchangedForMs = entry.revision === lastRevision ? unchangedForMs + waitedMs : 0
      lastRevision = entry.revision
      const isFree = entry.text === undefined || isOwn(entry) || unchangedForMs >= getLeaseMs(entry.text)
      return isFree && rewrite(entry, call)
    },
    async extend(call?: Call): Promise<boolean> {
      const entry = await read(call)
      // The entry of a released lease no longer has this holder's name. If the write fails, another extension by
      // this holder may have been faster, so the entry is read again.
      return isOwn(entry) && ((await rewrite(entry, call)) || isOwn(await read(call)))
    },
    async release(call?: Call): Promise<void> {
      for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt += 1) {
        const entry = await read(call)
        if (!isOwn(entry) || (await write(undefined, entry, call))) return
      }
    },
  }
}
