/** Time limits for asynchronous work, which learns from a signal that the time is over. */

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
 * Runs work, and aborts its signal after `limitMs`. It still waits for work that ignores the signal. {@link withTimeout} does not
 * wait, and rejects instead.
 *
 * @returns The result of the work; `undefined` if it rejected after the time limit.
 * @throws Errors of the work within the limit; the signal's reason.
 */
export async function withTimeoutOrUndefined<T>(
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
 * Runs work until `limitMs` have passed or `signal` aborts, whichever comes first, even if the work ignores its signal.
 * However often the work waits, there is one race and one listener.
 *
 * @param signal - The caller's signal, if there is one.
 * @param work - Gets a separate signal, which aborts with the wait. Its later result or error is ignored.
 * @param onTimeout - Called if the time is over.
 * @param controller - The controller of the signal that the work gets. @defaultValue one of the host's
 * @throws A {@link timeoutError}, the signal's reason, or the error of the work.
 */
export function withTimeout<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignalLike | undefined,
  work: (signal: AbortSignalLike) => Promise<T>,
  onTimeout: () => void,
  controller: AbortControllerLike = hostAbort(),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown): void => {
      release()
      reject(reason)
      controller.abort(reason)
    }
    const cancel = clock.setTimer(() => {
      onTimeout()
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
