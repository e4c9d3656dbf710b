/**
 * Queue of pending faults. Counted faults are injected in the order in which they were added, and before the
 * faults with `'always'`.
 */
import { textBytes } from './bounded-list.ts'
import { argumentFailure } from './simulator-error.ts'

/** How often a fault is injected: a number of times, or always until the faults are cleared. */
export type FaultCount = number | 'always'

/**
 * Maximum number of pending faults, so that a loop that adds faults gets an error before the memory is full.
 */
const MAX_PENDING = 10_000
const MAX_BYTES = 64 * 1024 * 1024

/** Pending faults. `S` is the type of the selection that decides which requests a fault applies to. */
export interface FaultQueue<F, S> {
  /**
   * @param selection - Requests that the fault applies to. `undefined` means all requests.
   * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID` if too many faults are pending, or if they are too large
   */
  add(fault: F, selection: S | undefined, count: FaultCount): void
  take(selection: S): F | undefined
  /** Returns the pending faults, in the order in which they were added. */
  pending(): readonly PendingFault<F, S>[]
  clear(): void
}

/** A pending fault. */
export interface PendingFault<F, S> {
  readonly fault: F
  /** Requests that the fault applies to. `undefined` means all requests. */
  readonly selection: S | undefined
  /** Number of remaining injections. */
  readonly remaining: FaultCount
}

/**
 * Creates an empty queue.
 *
 * @param matches - Returns whether the selection of a fault matches a request. Default: equality.
 */
export function createFaultQueue<F, S>(
  matches: (selection: S, requested: S) => boolean = (selection, requested) => selection === requested,
): FaultQueue<F, S> {
  let queue: {
    readonly fault: F
    readonly selection: S | undefined
    readonly bytes: number
    remaining: number
  }[] = []
  let bytesUsed = 0
  return {
    add(fault, selection, count) {
      const bytes = textBytes(JSON.stringify([fault, selection]))
      if (queue.length >= MAX_PENDING) {
        throw argumentFailure('fault', `one of at most ${MAX_PENDING} pending faults`, 'one more')
      }
      if (bytesUsed + bytes > MAX_BYTES) {
        throw argumentFailure('fault', `within ${MAX_BYTES} bytes of pending faults`, 'more')
      }
      bytesUsed += bytes
      queue.push({
        fault,
        selection,
        bytes,
        remaining: count === 'always' ? Number.POSITIVE_INFINITY : count,
      })
    },
    take(selection) {
      const matching = queue.filter(
        (item) => item.selection === undefined || matches(item.selection, selection),
      )
      const next = matching.find(({ remaining }) => Number.isFinite(remaining)) ?? matching[0]
      if (next === undefined) return undefined
      next.remaining -= 1
      if (next.remaining === 0) {
        bytesUsed -= next.bytes
        queue = queue.filter((item) => item !== next)
      }
      return next.fault
    },
    pending: () =>
      queue.map(({ fault, selection, remaining }) => ({
        fault,
        selection,
        remaining: Number.isFinite(remaining) ? remaining : 'always',
      })),
    clear() {
      queue = []
      bytesUsed = 0
    },
  }
}
