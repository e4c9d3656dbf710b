/**
 * One way to stop: an abort signal. What these throw is the signal's own reason, as the host's `fetch` does, so
 * that a caller recognizes its own abort.
 */
import type { AbortSignalLike } from '../structural.ts'

/**
 * What a stopped call throws: the signal's own reason. Hosts whose signals carry none get an `AbortError`, because
 * `undefined` is a bad thing to catch.
 */
export function abortReason(signal: AbortSignalLike): unknown {
  if (signal.reason !== undefined) return signal.reason
  return namedError('AbortError', 'the operation was aborted')
}

/** An error under the name that the host's own of this kind has. */
export function namedError(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** @throws {@link abortReason} where the signal has aborted. */
export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}

/** Joins those who listen to a signal. @returns Stops listening. */
type Join = (listener: (reason: unknown) => void) => () => void

/** Weak: what is known of a signal goes with it. */
const listening = new WeakMap<AbortSignalLike, Join>()

function listenTo(signal: AbortSignalLike): Join {
  const all = new Set<(reason: unknown) => void>()
  const fire = (): void => {
    listening.delete(signal)
    const reason = abortReason(signal)
    for (const call of all) call(reason)
  }
  const join: Join = (listener) => {
    // A function of its own for each call: a listener that is given twice is called twice.
    const entry = (reason: unknown): void => listener(reason)
    all.add(entry)
    return () => {
      all.delete(entry)
      if (all.size > 0 || listening.get(signal) !== join) return
      listening.delete(signal)
      signal.removeEventListener('abort', fire)
    }
  }
  signal.addEventListener('abort', fire, { once: true })
  listening.set(signal, join)
  return join
}

/**
 * Calls `listener` with the {@link abortReason} once when `signal` aborts, at once where it has.
 *
 * However many listen to one signal, the host sees a single listener: one signal for many calls is ordinary use, and
 * Node takes eleven listeners for a leak and warns.
 *
 * @returns Stops listening.
 */
export function onAbort(signal: AbortSignalLike, listener: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    listener(abortReason(signal))
    return () => {}
  }
  const join = listening.get(signal) ?? listenTo(signal)
  return join(listener)
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
    passOn(promise, onAbort(signal, reject), resolve, reject)
  })
}

/** Ends as `promise` does, after `release`: without a turn in between, which `finally` would take. */
export function passOn<T>(
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

/** The part of `AbortController` that is used. */
export interface AbortControllerLike {
  readonly signal: AbortSignalLike
  abort(reason?: unknown): void
}

declare const AbortController: new () => AbortControllerLike

/**
 * A controller that is not the host's. A Worker's global scope forbids the host's, and one that was made in a request
 * belongs to it: what outlives requests takes this one. The host's `fetch` does not.
 */
export function ownAbort(): AbortControllerLike {
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

/** A controller of the host's. */
export const hostAbort = (): AbortControllerLike => new AbortController()

/**
 * A controller that also aborts when any of `parents` does.
 *
 * @returns The controller, and `release`, which lets go of the parents: call it when the work is done.
 */
export function linkedAbort(...parents: readonly (AbortSignalLike | undefined)[]): {
  readonly controller: AbortControllerLike
  release(): void
} {
  const controller = hostAbort()
  const links: (() => void)[] = []
  const release = (): void => {
    for (const unlink of links.splice(0)) unlink()
  }
  for (const parent of parents) {
    if (parent === undefined) continue
    links.push(
      onAbort(parent, (reason) => {
        release()
        controller.abort(reason)
      }),
    )
    if (parent.aborted) break
  }
  return { controller, release }
}
