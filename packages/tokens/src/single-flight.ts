/**
 * Single flight: concurrent callers of the same work share one promise. A caller that aborts does not affect the
 * others. When the last caller has aborted, the work is aborted.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import {
  type AbortControllerLike,
  abortable,
  createLinkedController,
  throwIfAborted,
  withTimeoutOrUndefined,
} from '@brokerwire/core/internal'

type Work<T> = (signal: AbortSignalLike) => Promise<T>

interface SharedWork {
  readonly promise: Promise<unknown>
  readonly controller: AbortControllerLike
  callers: number
}

/** A set of running work, by name. */
export type SingleFlight = ReturnType<typeof createSingleFlight>

/** Creates an empty set. */
export function createSingleFlight() {
  const shared = new Map<string, SharedWork>()
  /** All running work, including work whose callers have all aborted. */
  const unfinished = new Set<SharedWork>()
  let stopped: { readonly reason: unknown } | undefined

  const start = (name: string, work: Work<unknown>): SharedWork => {
    const { controller } = createLinkedController()
    const started: SharedWork = { promise: work(controller.signal), controller, callers: 0 }
    const finish = (): void => {
      unfinished.delete(started)
      if (shared.get(name) === started) shared.delete(name)
    }
    shared.set(name, started)
    unfinished.add(started)
    started.promise.then(finish, finish)
    return started
  }

  return {
    has: (name: string): boolean => shared.has(name),
    /**
     * Joins the running work of that name, or starts `work`. @throws The error of the work; the signal's
     * reason.
     */
    async run<T>(name: string, work: Work<T>, signal?: AbortSignalLike | undefined): Promise<T> {
      throwIfAborted(signal)
      if (stopped !== undefined) throw stopped.reason
      const joined = shared.get(name) ?? start(name, work)
      joined.callers += 1
      try {
        return await abortable(joined.promise as Promise<T>, signal)
      } finally {
        joined.callers -= 1
        if (joined.callers === 0 && shared.get(name) === joined) {
          shared.delete(name)
          joined.controller.abort(new Error('every caller has aborted'))
        }
      }
    },
    /**
     * Aborts all work and waits for its end, at most `limitMs`, because a store that never responds must not keep a
     * process alive. Later calls of `run` reject with the reason.
     */
    async stop(reason: unknown, clock: Clock, limitMs: number): Promise<void> {
      stopped ??= { reason }
      const last = [...unfinished]
      for (const { controller } of last) controller.abort(reason)
      const all = Promise.allSettled(last.map(({ promise }) => promise))
      if (last.length > 0)
        await withTimeoutOrUndefined(clock, limitMs, undefined, (own) => abortable(all, own))
    },
  }
}
