/**
 * Single flight: callers who want the same thing at the same time share one piece of work. One that gives up leaves the
 * others alone; when the last one has left, the work is told to stop.
 */
import type { AbortSignalLike, Clock } from '@brokerwire/core'
import {
  type AbortControllerLike,
  abortable,
  linkedAbort,
  throwIfAborted,
  withTimeoutOrUndefined,
} from '@brokerwire/core/internal'

type Work<T> = (signal: AbortSignalLike) => Promise<T>

interface SharedWork {
  readonly promise: Promise<unknown>
  readonly controller: AbortControllerLike
  callers: number
}

/** Work that is under way, by name. */
export type SingleFlight = ReturnType<typeof createSingleFlight>

/** Makes an empty set of work. */
export function createSingleFlight() {
  const shared = new Map<string, SharedWork>()
  /** Also what every caller has left, and what still comes to its end. */
  const unfinished = new Set<SharedWork>()
  let stopped: { readonly reason: unknown } | undefined

  const start = (name: string, work: Work<unknown>): SharedWork => {
    const { controller } = linkedAbort()
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
     * Joins the work of that name, or starts it.
     *
     * @throws What the work throws; the signal's reason.
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
          joined.controller.abort(new Error('every caller has left'))
        }
      }
    },
    /**
     * Tells all work to stop, and waits until it has, but no longer than `limitMs`: a store that never answers must
     * not keep a process from ending. Nothing starts any more: later callers get the reason.
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
