/**
 * Helpers for abort signals. They throw the signal's reason, as `fetch` does, so that a caller recognizes the abort of
 * its own signal.
 */
import type { AbortSignalLike } from '../structural.ts'

/**
 * Returns the error of an aborted call: the signal's reason, or an `AbortError` if the host's signals have no
 * reason.
 */
export function abortReason(signal: AbortSignalLike): unknown {
  if (signal.reason !== undefined) return signal.reason
  return namedError('AbortError', 'the operation was aborted')
}

/** Creates an error with the name that the host uses for such errors. */
export function namedError(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** @throws The {@link abortReason} if the signal has aborted. */
export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}

/**
 * A function that adds `listener` to the shared listener of a signal.
 *
 * @returns A function that removes it.
 */
type AddListener = (listener: (reason: unknown) => void) => () => void

/**
 * For each signal, the function that adds to its shared listener. The map is weak, so that an entry is
 * garbage collected together with its signal.
 */
const listening = new WeakMap<AbortSignalLike, AddListener>()

function shareListener(signal: AbortSignalLike): AddListener {
  const all = new Set<(reason: unknown) => void>()
  const fire = (): void => {
    listening.delete(signal)
    const reason = abortReason(signal)
    for (const call of all) call(reason)
  }
  const add: AddListener = (listener) => {
    // Each call creates a new function, so that a listener that was added twice is called twice.
    const entry = (reason: unknown): void => listener(reason)
    all.add(entry)
    return () => {
      all.delete(entry)
      if (all.size > 0 || listening.get(signal) !== add) return
      listening.delete(signal)
      signal.removeEventListener('abort', fire)
    }
  }
  signal.addEventListener('abort', fire, { once: true })
  listening.set(signal, add)
  return add
}

/**
 * Calls `listener` once with the {@link abortReason} when `signal` aborts, or immediately if it has aborted
 * already. All calls for a signal share one listener on it, because Node reports more than ten listeners as a
 * leak.
 *
 * @returns A function that removes the listener.
 */
export function addAbortListener(signal: AbortSignalLike, listener: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    listener(abortReason(signal))
    return () => {}
  }
  const add = listening.get(signal) ?? shareListener(signal)
  return add(listener)
}

/**
 * Waits for `promise` until `signal` aborts. The work of the promise continues, and a later rejection is
 * ignored.
 *
 * @throws The signal's reason as soon as it aborts.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignalLike | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    forwardResult(promise, addAbortListener(signal, reject), resolve, reject)
  })
}

/**
 * When `promise` settles, calls `release` and then `resolve` or `reject`. `finally` would delay the result by
 * a microtask.
 */
export function forwardResult<T>(
  promise: Promise<T>,
  release: () => void,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): void {
  promise.then(
    (value) => {
      release()
      resolve(value)
    },
    (error: unknown) => {
      release()
      reject(error)
    },
  )
}

/** The part of `AbortController` that these packages use. */
export interface AbortControllerLike {
  readonly signal: AbortSignalLike
  abort(reason?: unknown): void
}

declare const AbortController: new () => AbortControllerLike

/**
 * An abort controller for work that outlives a request in Cloudflare Workers. In Workers, the host's controller cannot be
 * created in global scope, and a controller that was created in a request ends with that request. The host's `fetch` does not
 * accept the signal of this controller.
 */
export function createAbortController(): AbortControllerLike {
  const listeners = new Set<() => void>()
  let aborted = false
  let given: unknown
  const signal: AbortSignalLike = {
    get aborted() {
      return aborted
    },
    get reason() {
      return given
    },
    addEventListener(_type, listener) {
      if (!aborted) listeners.add(listener)
    },
    removeEventListener(_type, listener) {
      listeners.delete(listener)
    },
  }
  return {
    signal,
    abort(reason) {
      if (aborted) return
      aborted = true
      given = reason
      const called = [...listeners]
      listeners.clear()
      for (const listener of called) listener()
    },
  }
}

/** Creates an `AbortController` of the host. */
export const createHostController = (): AbortControllerLike => new AbortController()

/**
 * Creates a controller that also aborts when one of `parents` aborts.
 *
 * @returns The controller, and `release`, which removes the listeners from the parents. Call it when the work is done.
 */
export function createLinkedController(...parents: readonly (AbortSignalLike | undefined)[]): {
  readonly controller: AbortControllerLike
  release(): void
} {
  const controller = createHostController()
  const links: (() => void)[] = []
  const release = (): void => {
    for (const unlink of links.splice(0)) unlink()
  }
  for (const parent of parents) {
    if (parent === undefined) continue
    links.push(
      addAbortListener(parent, (reason) => {
        release()
        controller.abort(reason)
      }),
    )
    if (parent.aborted) break
  }
  return { controller, release }
}
