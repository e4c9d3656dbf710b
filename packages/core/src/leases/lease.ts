/**
 * A lease: a lock that expires unless its holder extends it, for stores whose holders may disappear. The
 * holder measures the duration from the time at which it sent the request, not from the arrival of the
 * response. The store starts to measure between these two times, so the lease expires earlier for the holder
 * than in the store, however late the response is. Only timers are used, and never the time of day.
 */

import { coreOptionFailure } from '../core-error.ts'
import { custom, type FieldsOf, func, port, readOptions } from '../options/schema.ts'
import type { AbortSignalLike } from '../structural.ts'
import { createLinkedController } from '../time/abort.ts'
import type { Clock } from '../time/clock.ts'

/** Options of {@link createLease}. */
export interface LeaseOptions {
  /** Source of the timers. */
  readonly clock: Clock
  /**
   * Milliseconds for which the lease is valid after the request. Choose less than the duration in the store,
   * because the difference is the time in which the work must stop.
   */
  readonly validMs: number
  /** Milliseconds from one extension to the next. */
  readonly extendMs: number
  /**
   * Milliseconds from the start of an extension that has failed, or has no response yet, until the next
   * attempt.
   */
  readonly retryMs: number
  /**
   * Extends the lease in the store. It must not acquire a released lease again. `false` means that another
   * holder has the lease. If the promise rejects, the function is called again.
   */
  extend(): Promise<boolean>
  /** Creates the abort reason of {@link Lease.lost}. */
  lostReason(why: 'taken over' | 'not extended'): unknown
}

/** A lease from the point of view of its holder. */
export interface Lease {
  /** Aborts when the lease is lost or may be lost. It never aborts after {@link Lease.end}. */
  readonly lost: AbortSignalLike
  /**
   * Acquires the lease, and extends it from then on.
   *
   * @param ask - Sends the request, and resolves with whether the store granted the lease.
   * @returns Whether this holder has the lease. Also `false` if the response was so late that the lease may have
   * expired.
   */
  acquire(ask: () => Promise<boolean>): Promise<boolean>
  /** Stops the extensions. Call it before you release the lease in the store. */
  end(): void
}

const fail = coreOptionFailure('OPTION_INVALID')

const milliseconds = custom<number>('more than 0 milliseconds', (value) => Number(value) > 0)
const LEASE_OPTIONS = {
  clock: port<Clock>(['now', 'setTimer']),
  validMs: milliseconds,
  extendMs: milliseconds,
  retryMs: milliseconds,
  extend: func<LeaseOptions['extend']>(),
  lostReason: func<LeaseOptions['lostReason']>(),
} satisfies FieldsOf<LeaseOptions>

/**
 * Creates a lease that is not held yet.
 *
 * @example
 * ```ts
 * import { createLease, type Clock } from '@brokerwire/core'
 *
 * declare const clock: Clock
 * declare function ask(what: 'acquire' | 'extend' | 'release'): Promise<boolean>
 *
 * const lease = createLease({
 *   clock,
 *   validMs: 25_000,
 *   extendMs: 10_000,
 *   retryMs: 2_000,
 *   extend: () => ask('extend'),
 *   lostReason: (why) => new Error(`the lease was ${why}`),
 * })
 * if (await lease.acquire(() => ask('acquire'))) {
 *   lease.lost.addEventListener('abort', () => console.log('stop'))
 *   lease.end()
 *   await ask('release')
 * }
 * ```
 *
 * @throws CoreError `OPTION_INVALID`
 */
export function createLease(options: LeaseOptions): Lease {
  const {
    clock,
    validMs,
    extendMs,
    retryMs,
    extend: requestExtension,
    lostReason,
  } = readOptions(fail, options, LEASE_OPTIONS)
  const { controller } = createLinkedController()
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

  /**
   * Sends a request, and measures the lease from the time of this call.
   *
   * @returns Whether the lease was granted; `undefined` if it was, but the response is too late.
   */
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
    // The response is ignored if a later request already has its response.
    if (!isGiven || isOver || hasEnded || number < current) {
      cancel()
      return isGiven ? undefined : false
    }
    cancelValidity()
    cancelValidity = cancel
    current = number
    schedule(extendMs)
    return true
  }
  const extend = async (): Promise<void> => {
    // The next attempt does not wait for the response to this one, so that the lease is not lost because of
    // one missing response.
    schedule(retryMs)
    const isGiven = await ask(requestExtension).catch(() => undefined)
    if (isGiven === false) lose('taken over')
  }
  const schedule = (delayMs: number): void => {
    cancelNext()
    if (!hasEnded) cancelNext = clock.setTimer(() => void extend(), delayMs)
  }

  return {
    lost: controller.signal,
    acquire: async (call) => (await ask(call)) === true,
    end,
  }
}
