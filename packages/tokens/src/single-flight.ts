/**
 * Single flight: callers who want the same thing at the same time share one piece of work. One that gives up leaves the
 * others alone; when the last one has left, the work is told to stop.
 */
import {
  type AbortControllerLike,
  type AbortSignalLike,
  abortable,
  type Clock,
  linkedAbort,
  sleep,
  throwIfAborted,
} from '@brokerwire/core'

interface SharedWork {
  readonly promise: Promise<unknown>
  readonly controller: AbortControllerLike
  callers: number
}

/** Work that is under way, by name. */
export interface SingleFlight {
  has(name: string): boolean
  /**
   * Joins the work of that name, or starts it.
   *
   * @throws What the work throws; the signal's reason.
   */
  run<T>(
    name: string,
    work: (signal: AbortSignalLike) => Promise<T>,
    signal?: AbortSignalLike | undefined,
  ): Promise<T>
  /**
   * Tells all work to stop, and waits until it has, but no longer than `limitMs`: a store that never answers must
   * not keep a process from ending. Nothing starts any more: who wants it gets the reason.
   */
  stop(reason: unknown, clock: Clock, limitMs: number): Promise<void>
}

/** Makes an empty set of work. */
export function createSingleFlight(): SingleFlight {
  const shared = new Map<string, SharedWork>()
  /** Also what every caller has left, and what still comes to its end. */
  const unfinished = new Set<SharedWork>()
  let stopped: { readonly reason: unknown } | undefined

  const start = (name: string, work: (signal: AbortSignalLike) => Promise<unknown>): SharedWork => {
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
    has: (name) => shared.has(name),
    async run<T>(
      name: string,
      work: (signal: AbortSignalLike) => Promise<T>,
      signal?: AbortSignalLike | undefined,
    ): Promise<T> {
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
    async stop(reason, clock, limitMs) {
      stopped ??= { reason }
      const last = [...unfinished]
      for (const { controller } of last) controller.abort(reason)
      if (last.length === 0) return
      const { controller: done } = linkedAbort()
      const limit = sleep(clock, limitMs, done.signal).catch(() => {})
      await Promise.race([Promise.allSettled(last.map(({ promise }) => promise)), limit])
      done.abort()
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
  work: (own: AbortSignalLike) => Promise<T>,
): Promise<T | undefined> {
  const limited = linkedAbort(signal)
  const cancel = clock.setTimer(() => limited.controller.abort(), limitMs)
  try {
    return await work(limited.controller.signal)
  } catch (error) {
    if (signal?.aborted || !limited.controller.signal.aborted) throw error
    return undefined
  } finally {
    cancel()
    limited.release()
  }
}
