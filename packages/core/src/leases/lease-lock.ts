/**
 * A lock that is a lease: its holder prolongs it, and one that is gone frees it by that. The same for every store whose
 * holders are on other machines, and for one that has no lock of its own.
 */

import type { StoreLock } from '../store.ts'
import type { AbortSignalLike } from '../structural.ts'
import { abortable, throwIfAborted } from '../time/abort.ts'
import { type Clock, sleep } from '../time/clock.ts'
import { createLease, type LeaseOptions } from './lease.ts'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 1000

/** One taker's view of a lease. */
export interface LeaseTaker {
  /**
   * Asks for the lease, which holds from when the store is asked. Asked again by its holder, it begins anew.
   *
   * @param waitedMs - Since the last time.
   */
  take(waitedMs: number): Promise<boolean>
  /** Prolongs it for its holder alone: one that was given back does not return. */
  prolong(): Promise<boolean>
  giveBack(): Promise<unknown>
}

/** The lease that {@link lockByLease} takes. */
export interface LeaseTerms {
  readonly clock: Clock
  /** How long it holds, in milliseconds. It is prolonged after a third. */
  readonly leaseMs: number
  /**
   * The time that a holder has to stop what it does, after `lost` and before anybody else can have the lease.
   * @defaultValue a sixth of its length
   */
  readonly stopMs?: number | undefined
  /** Makes the reason of `lost`. */
  readonly lostReason: LeaseOptions['lostReason']
  /** Ends the wait. */
  readonly signal?: AbortSignalLike | undefined
}

/**
 * Waits for the lease. Callers await it before they return it: workerd reports a rejection that is taken over a turn later
 * as one that nobody handled.
 *
 * @throws The signal's reason; what `take` rejects with.
 */
export async function lockByLease(taker: LeaseTaker, terms: LeaseTerms): Promise<StoreLock> {
  const { clock, leaseMs, stopMs = leaseMs / 6, lostReason, signal } = terms
  const lease = createLease({
    clock,
    validMs: leaseMs - stopMs,
    prolongMs: leaseMs / 3,
    retryMs: leaseMs / 15,
    prolong: () => taker.prolong(),
    lostReason,
  })
  const giveBack = async (): Promise<void> => {
    lease.end()
    await taker.giveBack()
  }
  try {
    let waitedMs = 0
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      throwIfAborted(signal)
      const sinceMs = waitedMs
      const taking = lease.take(() => taker.take(sinceMs))
      // Whoever left does not wait for an answer that may never come. One that comes later is given back.
      taking.then(() => (signal?.aborted ? giveBack() : undefined)).catch(() => {})
      if (await abortable(taking, signal)) break
      await sleep(clock, waitMs, signal)
      waitedMs = waitMs
    }
  } catch (error) {
    // It may have been given all the same, and the answer lost.
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

/** What stands under the key of a lease: its text, and a mark that no two writings share. */
export interface LeaseEntry {
  readonly text: string | undefined
  readonly mark: unknown
}

/** Reads and writes the entry of a lease. `Call` is what a call of the taker hands on to them. */
export interface LeaseEntryPort<Call> {
  read(call: Call | undefined): Promise<LeaseEntry>
  /** Writes, or removes, if and only if `over` still stands. @returns Whether it did. */
  write(text: string | undefined, over: LeaseEntry, call: Call | undefined): Promise<boolean>
  /** How long the holder of an entry counts, in milliseconds. */
  lengthOf(text: string): number
}

const GIVE_BACK_ATTEMPTS = 10

/**
 * Takes a lease that is an entry with compare-and-set. No common clock is needed: its holder writes the entry anew every
 * few seconds, and whoever waits takes over only after it has seen the very same entry for a whole lease by its own timers.
 *
 * @param terms - What the holder writes behind its name; the name has no blank.
 */
export function entryTaker<Call>(
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
      // One that was given back is not mine any more. Another prolonging of mine may have been faster than this one.
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
