/**
 * One way to stop: an abort signal. What these throw is the signal's own reason, as the host's `fetch` does, so
 * that a caller recognizes his own abort.
 */
import type { AbortSignalLike } from './structural.ts'

/**
 * What a stopped call throws: the signal's own reason. Hosts whose signals carry none get an `AbortError`, because
 * `undefined` is a bad thing to catch.
 */
export function abortReason(signal: AbortSignalLike): unknown {
  if (signal.reason !== undefined) return signal.reason
  const error = new Error('the operation was aborted')
  error.name = 'AbortError'
  return error
}

/** @throws {@link abortReason} where the signal has aborted. */
export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}

/**
 * Waits for `promise`, but no longer than until `signal` aborts. The promise itself goes on; its late rejection is
 * swallowed.
 *
 * @throws The signal's reason, as soon as it aborts.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignalLike | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const done = (): void => signal.removeEventListener('abort', onAbort)
    promise.then(
      (value) => {
        done()
        resolve(value)
      },
      (error: unknown) => {
        done()
        reject(error)
      },
    )
  })
}

/** The part of `AbortController` that is used. */
export interface AbortControllerLike {
  readonly signal: AbortSignalLike
  abort(reason?: unknown): void
}

declare const AbortController: new () => AbortControllerLike

/**
 * A controller that also aborts when any of `parents` does.
 *
 * @returns The controller, and `release`, which lets go of the parents: call it when the work is done.
 */
export function linkedAbort(...parents: readonly (AbortSignalLike | undefined)[]): {
  readonly controller: AbortControllerLike
  release(): void
} {
  const controller = new AbortController()
  const links: (() => void)[] = []
  const release = (): void => {
    for (const unlink of links.splice(0)) unlink()
  }
  for (const parent of parents) {
    if (parent === undefined) continue
    const onAbort = (): void => {
      release()
      controller.abort(abortReason(parent))
    }
    if (parent.aborted) {
      onAbort()
      break
    }
    parent.addEventListener('abort', onAbort, { once: true })
    links.push(() => parent.removeEventListener('abort', onAbort))
  }
  return { controller, release }
}
