/**
 * A lock that is a lease: its holder extends it, and it becomes free if the holder stops. Used for all stores that have holders on
 * several machines, and for stores without locks.
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
   * Tries to acquire the lease. Its time starts when the store receives the request. If this client holds it, the time starts anew.
   *
   * @param waitedMs - Milliseconds since the previous attempt.
   */
  take(waitedMs: number): Promise<boolean>
  /** Extends the lease if this client holds it. A released lease is not acquired again. @returns Whether it was extended. */
  prolong(): Promise<boolean>
  /** Releases the lease if this client holds it. */
  giveBack(): Promise<unknown>
}

/** Options of {@link acquireLease}. */
export interface AcquireLeaseOptions {
  /** Source of the timers. */
  readonly clock: Clock
  /** Duration of the lease, in milliseconds. It is extended after a third of it. */
  readonly leaseMs: number
  /**
   * Milliseconds between `lost` and the earliest time at which another client can acquire the lease: the time to stop work.
   * @defaultValue a sixth of `leaseMs`
   */
  readonly stopMs?: number | undefined
  /** Creates the abort reason of `lost`. */
  readonly lostReason: LeaseOptions['lostReason']
  /** Ends the wait when it aborts. @defaultValue none */
  readonly signal?: AbortSignalLike | undefined
}

/**
 * Waits until the lease is acquired. Callers must `await` it before they return the result, because workerd reports a rejection
 * that is handled one turn later as unhandled.
 *
 * @throws The signal's reason; errors of `take`.
 */
export async function acquireLease(backend: LeaseBackend, terms: AcquireLeaseOptions): Promise<StoreLock> {
  const { clock, leaseMs, stopMs = leaseMs / 6, lostReason, signal } = terms
  const lease = createLease({
    clock,
    validMs: leaseMs - stopMs,
    prolongMs: leaseMs / 3,
    retryMs: leaseMs / 15,
    prolong: () => backend.prolong(),
    lostReason,
  })
  const giveBack = async (): Promise<void> => {
    lease.end()
    await backend.giveBack()
  }
  try {
    let waitedMs = 0
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      throwIfAborted(signal)
      const sinceMs = waitedMs
      const taking = lease.take(() => backend.take(sinceMs))
      // After an abort nothing waits for the response. A lease that it grants later is released.
      taking.then(() => (signal?.aborted ? giveBack() : undefined)).catch(() => {})
      if (await abortable(taking, signal)) break
      await sleep(clock, waitMs, signal)
      waitedMs = waitMs
    }
  } catch (error) {
    // The lease may have been granted and the response lost.
    if (!signal?.aborted) giveBack().catch(() => {})
    lease.end()
    throw error
  }
  let released: Promise<void> | undefined
  return {
    lost: lease.lost,
    release() {
      released ??= giveBack().catch((error: unknown) => {
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
  /** A revision: no two writes have the same one. */
  readonly mark: unknown
}

/** Reads and writes the entry of a lease. `Call` is an argument that is passed through to both. */
export interface LeaseEntryPort<Call> {
  /** Returns the entry that is stored now. */
  read(call: Call | undefined): Promise<LeaseEntry>
  /** Writes `text`, or deletes the entry for `undefined`, if and only if `over` is still stored. @returns Whether it did. */
  write(text: string | undefined, over: LeaseEntry, call: Call | undefined): Promise<boolean>
  /** Returns the duration of the lease in an entry, in milliseconds. */
  lengthOf(text: string): number
}

const GIVE_BACK_ATTEMPTS = 10

/**
 * The operations on a lease that is an entry with compare-and-set. No common clock is needed: the holder rewrites the entry every
 * few seconds. Another client takes it over only if the entry did not change for a whole lease by the client's own timers.
 *
 * @param name - Name of the holder, without spaces.
 * @param terms - Written after the name.
 */
export function casLeaseBackend<Call>(
  name: string,
  terms: string | number,
  { read, write, lengthOf }: LeaseEntryPort<Call>,
) {
  let round = 0
  let seen: unknown
  let sameForMs = 0
  const isMine = ({ text }: LeaseEntry): boolean => text?.startsWith(`${name} `) === true
  const renew = (over: LeaseEntry, call: Call | undefined): Promise<boolean> => {
    round += 1
    return write(`${name} ${terms} ${round}`, over, call)
  }
  return {
    async take(waitedMs: number, call?: Call): Promise<boolean> {
      const held = await read(call)
      sameForMs = held.mark === seen ? sameForMs + waitedMs : 0
      seen = held.mark
      const isFree = held.text === undefined || isMine(held) || sameForMs >= lengthOf(held.text)
      return isFree && renew(held, call)
    },
    async prolong(call?: Call): Promise<boolean> {
      const held = await read(call)
      // A released lease no longer has this holder's name. If the write fails, another extension of this holder may have been faster.
      return isMine(held) && ((await renew(held, call)) || isMine(await read(call)))
    },
    async giveBack(call?: Call): Promise<void> {
      for (let attempt = 0; attempt < GIVE_BACK_ATTEMPTS; attempt += 1) {
        const held = await read(call)
        if (!isMine(held) || (await write(undefined, held, call))) return
      }
    },
  }
}
