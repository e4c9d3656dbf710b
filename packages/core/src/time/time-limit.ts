/** Time limits for asynchronous work. When a limit is reached, an abort signal ends the work. */

import type { AbortSignalLike } from '../structural.ts'
import {
  type AbortControllerLike,
  addAbortListener,
  createHostController,
  createLinkedController,
  forwardResult,
  namedError,
} from './abort.ts'
import type { Clock } from './clock.ts'

/**
 * Creates the reason of an abort after a time limit, with the same name as the error of
 * `AbortSignal.timeout`.
 */
export function timeoutError(message = 'the time limit was reached'): Error {
  return namedError('TimeoutError', message)
}

/**
 * Creates a controller that also aborts when one of `parents` aborts, or with a {@link timeoutError} after
 * `limitMs`.
 *
 * @returns The controller; `isLate`, which returns whether the time limit was reached before any other abort;
 * and `release`, which clears the timer and removes the listeners from the parents. Call `release` when the
 * work is done.
 */
export function createTimeoutController(
  clock: Clock,
  limitMs: number,
  ...parents: readonly (AbortSignalLike | undefined)[]
): { readonly controller: AbortControllerLike; isLate(): boolean; release(): void } {
  const { controller, release } = createLinkedController(...parents)
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
 * Runs work, and aborts its signal after `limitMs`. If the work ignores the signal, this function waits until
 * the work ends; {@link withTimeout} rejects instead.
 *
 * @returns The result of the work; `undefined` if the work rejected after the time limit.
 * @throws Errors of the work before the time limit; the signal's reason.
 */
export async function withTimeoutOrUndefined<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignalLike | undefined,
  work: (signal: AbortSignalLike) => Promise<T>,
): Promise<T | undefined> {
  const { controller, isLate, release } = createTimeoutController(clock, limitMs, signal)
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
 * Runs work until `limitMs` have passed or `signal` aborts, whichever comes first, even if the work ignores
 * its signal. One call sets one timer and adds one listener, for any number of steps of the work.
 *
 * @param signal - The caller's signal, if there is one.
 * @param work - The function to run. It gets a separate signal, which aborts after `limitMs` and when
 * `signal` aborts. A result or error after that is ignored.
 * @param onTimeout - Called when the time limit is reached.
 * @param controller - The controller of the signal that the work gets.
 * @defaultValue one of the host's
 * @throws A {@link timeoutError}, the signal's reason, or the error of the work.
 */
export function withTimeout<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignalLike | undefined,
  work: (signal: AbortSignalLike) => Promise<T>,
  onTimeout: () => void,
  controller: AbortControllerLike = createHostController(),
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
    if (signal !== undefined) unlink = addAbortListener(signal, stop)
    forwardResult(work(controller.signal), release, resolve, reject)
  })
}
