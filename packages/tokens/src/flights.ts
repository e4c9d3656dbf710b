/**
 * Single flight: callers who want the same thing at the same time share one piece of work.
 *
 * A caller who gives up leaves the others alone; when the last one has left, the work is told to stop.
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

interface Flight {
  readonly promise: Promise<unknown>
  readonly controller: AbortControllerLike
  passengers: number
}

/** Work that is under way, by name. */
export interface Flights {
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

/** Makes an empty set of flights. */
export function createFlights(): Flights {
  const flights = new Map<string, Flight>()
  /** Also those that everybody has left and that still come to their end. */
  const aloft = new Set<Flight>()
  let stopped: { readonly reason: unknown } | undefined
  return {
    has: (name) => flights.has(name),
    async run<T>(
      name: string,
      work: (signal: AbortSignalLike) => Promise<T>,
      signal?: AbortSignalLike | undefined,
    ): Promise<T> {
      throwIfAborted(signal)
      if (stopped !== undefined) throw stopped.reason
      let flight = flights.get(name)
      if (flight === undefined) {
        const { controller } = linkedAbort()
        const promise = work(controller.signal)
        const started: Flight = { promise, controller, passengers: 0 }
        flights.set(name, started)
        aloft.add(started)
        const land = (): void => {
          aloft.delete(started)
          if (flights.get(name) === started) flights.delete(name)
        }
        promise.then(land, land)
        flight = started
      }
      flight.passengers += 1
      try {
        return await abortable(flight.promise as Promise<T>, signal)
      } finally {
        flight.passengers -= 1
        if (flight.passengers === 0 && flights.get(name) === flight) {
          flights.delete(name)
          flight.controller.abort(new Error('nobody waits any more'))
        }
      }
    },
    async stop(reason, clock, limitMs) {
      stopped ??= { reason }
      const last = [...aloft]
      for (const { controller } of last) controller.abort(reason)
      if (last.length === 0) return
      const { controller: done } = linkedAbort()
      const limit = sleep(clock, limitMs, done.signal).catch(() => {})
      await Promise.race([Promise.allSettled(last.map(({ promise }) => promise)), limit])
      done.abort()
    },
  }
}
