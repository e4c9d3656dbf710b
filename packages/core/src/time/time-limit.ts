/** A limit of time for a piece of work, as a signal: whatever the work waits for, it is told when the time is over. */

import type { AbortSignalLike } from '../structural.ts'
import { type AbortControllerLike, hostAbort, linkedAbort, namedError, onAbort, passOn } from './abort.ts'
import type { Clock } from './clock.ts'

/** The reason where a time limit was reached. Its name is that of the host's own `AbortSignal.timeout`. */
export function timeoutError(message = 'the time limit was reached'): Error {
  return namedError('TimeoutError', message)
}

/**
 * A controller that also aborts after `limitMs`, with a {@link timeoutError}, and when any of `parents` does.
 *
 * @returns The controller; `isLate`, whether the time was over first; `release`, which ends the timer and lets go of
 * the parents: call it when the work is done.
 */
export function limitedAbort(
  clock: Clock,
  limitMs: number,
  ...parents: readonly (AbortSignalLike | undefined)[]
): { readonly controller: AbortControllerLike; isLate(): boolean; release(): void } {
  const { controller, release } = linkedAbort(...parents)
  let isLate = false
  const cancel = clock.setTimer(() => {
    isLate = !controller.signal.aborted
    controller.abort(timeoutError())
  }, limitMs)
  return {
    controller,
    isLate: () => isLate,
    release() {
      cancel()
      release()
    },
  }
}

/**
 * Waits for work for `limitMs` at most, then tells it to stop. What takes longer has not failed.
 *
 * @returns What the work gives in time; `undefined` where it gave nothing.
 * @throws What the work throws in time; the signal's reason.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignalLike | undefined,
  work: (signal: AbortSignalLike) => Promise<T>,
): Promise<T | undefined> {
  const { controller, isLate, release } = limitedAbort(clock, limitMs, signal)
  try {
    return await work(controller.signal)
  } catch (error) {
    if (signal?.aborted || !isLate()) throw error
    return undefined
  } finally {
    release()
  }
}

/**
 * Does a piece of work within a limit of time, and no longer than until `signal` aborts. However often the work waits,
 * it is one race and one listener.
 *
 * @param signal - Of whoever asked for the work, if they gave one.
 * @param work - Is given a signal of its own, which aborts where it is not waited for any more. Its late end is
 * swallowed.
 * @param onLate - Called where the time is over.
 * @param controller - Whose signal the work is given. @defaultValue one of the host's
 * @throws A {@link timeoutError}, or the signal's reason; what the work throws.
 */
export function withinLimit<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignalLike | undefined,
  work: (signal: AbortSignalLike) => Promise<T>,
  onLate: () => void,
  controller: AbortControllerLike = hostAbort(),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown): void => {
      release()
      reject(reason)
      controller.abort(reason)
    }
    const cancel = clock.setTimer(() => {
      onLate()
      stop(timeoutError())
    }, limitMs)
    let unlink: (() => void) | undefined
    const release = (): void => {
      cancel()
      unlink?.()
    }
    if (signal !== undefined) unlink = onAbort(signal, stop)
    passOn(work(controller.signal), release, resolve, reject)
  })
}
