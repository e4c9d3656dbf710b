/** A limit of time for a piece of work, as a signal: whatever the work waits for, it is told when the time is over. */
import { type AbortControllerLike, linkedAbort } from './abort.ts'
import type { Clock } from './clock.ts'
import type { AbortSignalLike } from './structural.ts'

/** The reason where a time limit was reached. Its name is that of the host's own `AbortSignal.timeout`. */
export function timeoutError(message = 'the time limit was reached'): Error {
  const error = new Error(message)
  error.name = 'TimeoutError'
  return error
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
