/**
 * A lease: a lock that ends by itself unless its holder prolongs it, for stores whose holders can vanish.
 *
 * Its holder counts from when it asked, not from when it was answered: the other side began to count in between, so
 * the holder's lease is over first, however late an answer comes. Only the length of timers counts, never the time of
 * day.
 */

import { coreOptionFailure } from '../core-error.ts'
import { custom, type FieldsOf, func, port, readOptions } from '../options/schema.ts'
import type { AbortSignalLike } from '../structural.ts'
import { linkedAbort } from '../time/abort.ts'
import type { Clock } from '../time/clock.ts'

/** Options of {@link createLease}. */
export interface LeaseOptions {
  readonly clock: Clock
  /**
   * How long the lease holds after it was asked for, in milliseconds: shorter than on the other side by the time that
   * its holder needs to stop what it does.
   */
  readonly validMs: number
  /** From one prolonging to the next. */
  readonly prolongMs: number
  /** From a prolonging that failed, or was not answered, to the next. */
  readonly retryMs: number
  /**
   * Asks for more time, and must never bring a lease back that was given up. `false`: somebody else has it. A rejection
   * says nothing; it is asked again.
   */
  prolong(): Promise<boolean>
  /** The reason of {@link Lease.lost}. */
  lostReason(why: 'taken over' | 'not extended'): unknown
}

/** A lease as its holder has it. */
export interface Lease {
  /** Aborts when the lease is lost, or can no longer be known to be held. Never after {@link Lease.end}. */
  readonly lost: AbortSignalLike
  /**
   * Asks for the lease, and prolongs it from then on.
   *
   * @param ask - Resolves with whether the lease was given.
   * @returns Whether it is held. `false` also where the answer came so late that it may be over.
   */
  take(ask: () => Promise<boolean>): Promise<boolean>
  /** Stops prolonging, before the lease is given back. */
  end(): void
}

const fail = coreOptionFailure('OPTION_INVALID')

const milliseconds = custom<number>('more than 0 milliseconds', (value) => Number(value) > 0)
const LEASE_OPTIONS = {
  clock: port<Clock>(['now', 'setTimer']),
  validMs: milliseconds,
  prolongMs: milliseconds,
  retryMs: milliseconds,
  prolong: func<LeaseOptions['prolong']>(),
  lostReason: func<LeaseOptions['lostReason']>(),
} satisfies FieldsOf<LeaseOptions>

/**
 * Makes a lease that is not held yet.
 *
 * @example
 * ```ts
 * import { createLease, type Clock } from '@brokerwire/core'
 *
 * declare const clock: Clock
 * declare function ask(what: 'take' | 'prolong' | 'give back'): Promise<boolean>
 *
 * const lease = createLease({
 *   clock,
 *   validMs: 25_000,
 *   prolongMs: 10_000,
 *   retryMs: 2_000,
 *   prolong: () => ask('prolong'),
 *   lostReason: (why) => new Error(`the lease was ${why}`),
 * })
 * if (await lease.take(() => ask('take'))) {
 *   lease.lost.addEventListener('abort', () => console.log('stop'))
 *   lease.end()
 *   await ask('give back')
 * }
 * ```
 *
 * @throws CoreError `OPTION_INVALID`
 */
export function createLease(options: LeaseOptions): Lease {
  const {
    clock,
    validMs,
    prolongMs,
    retryMs,
    prolong: askForMore,
    lostReason,
  } = readOptions(fail, options, LEASE_OPTIONS)
  const { controller } = linkedAbort()
  let hasEnded = false
  let asked = 0
  let current = 0
  let cancelValidity = (): void => {}
  let cancelNext = (): void => {}
  const waits = new Set<() => void>()

  const end = (): void => {
    hasEnded = true
    cancelNext()
    for (const cancel of waits) cancel()
  }
  const lose = (why: 'taken over' | 'not extended'): void => {
    if (hasEnded) return
    end()
    controller.abort(lostReason(why))
  }

  /** @returns Whether it was given; `undefined` where the answer came too late to be of use. */
  const ask = async (call: () => Promise<boolean>): Promise<boolean | undefined> => {
    asked += 1
    const number = asked
    let isOver = false
    const cancelTimer = clock.setTimer(() => {
      isOver = true
      waits.delete(cancel)
      if (number === current) lose('not extended')
    }, validMs)
    const cancel = (): void => {
      waits.delete(cancel)
      cancelTimer()
    }
    waits.add(cancel)
    let isGiven = false
    try {
      isGiven = await call()
    } catch (error) {
      cancel()
      throw error
    }
    // A late answer counts no more than the later ones that were faster.
    if (!isGiven || isOver || hasEnded || number < current) {
      cancel()
      return isGiven ? undefined : false
    }
    cancelValidity()
    cancelValidity = cancel
    current = number
    schedule(prolongMs)
    return true
  }
  const prolong = async (): Promise<void> => {
    // The next one does not wait for this one: an answer that never comes must not cost the lease.
    schedule(retryMs)
    const isGiven = await ask(askForMore).catch(() => undefined)
    if (isGiven === false) lose('taken over')
  }
  const schedule = (delayMs: number): void => {
    cancelNext()
    if (!hasEnded) cancelNext = clock.setTimer(() => void prolong(), delayMs)
  }

  return {
    lost: controller.signal,
    take: async (call) => (await ask(call)) === true,
    end,
  }
}
