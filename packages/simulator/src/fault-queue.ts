/** Queue of pending faults. Counted faults are injected in order, before those with `'always'`. */
import { textBytes } from './bounded-list.ts'
import { argumentFailure } from './simulator-error.ts'

/** How often a fault is injected: a number, or until the faults are cleared. */
export type FaultTimes = number | 'always'

/** Limit of pending faults: a loop that adds faults gets an error before memory is full. */
const MAX_WAITING = 10_000
const MAX_BYTES = 64 * 1024 * 1024

/** Pending faults. `S` is the type of the selection that a fault is matched by. */
export interface FaultQueue<F, S> {
  /**
   * @param selection - `undefined` matches everything.
   * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID` if too many faults are pending, or if they are too large
   */
  add(fault: F, selection: S | undefined, times: FaultTimes): void
  take(selection: S): F | undefined
  /** Pending faults, in the order in which they were added. */
  waiting(): readonly WaitingFault<F, S>[]
  clear(): void
}

/** A pending fault. */
export interface WaitingFault<F, S> {
  readonly fault: F
  /** `undefined` matches everything. */
  readonly selection: S | undefined
  /** Remaining injections. */
  readonly left: FaultTimes
}

/** Creates an empty queue. */
export function createFaultQueue<F, S>(): FaultQueue<F, S> {
  let waiting: {
    readonly fault: F
    readonly selection: S | undefined
    readonly bytes: number
    left: number
  }[] = []
  let held = 0
  return {
    add(fault, selection, times) {
      const bytes = textBytes(JSON.stringify([fault, selection]))
      if (waiting.length >= MAX_WAITING) {
        throw argumentFailure('fault', `one of at most ${MAX_WAITING} pending faults`, 'one more')
      }
      if (held + bytes > MAX_BYTES) {
        throw argumentFailure('fault', `within ${MAX_BYTES} bytes of pending faults`, 'more')
      }
      held += bytes
      waiting.push({ fault, selection, bytes, left: times === 'always' ? Number.POSITIVE_INFINITY : times })
    },
    take(selection) {
      const fitting = waiting.filter((item) => item.selection === undefined || item.selection === selection)
      const next = fitting.find(({ left }) => Number.isFinite(left)) ?? fitting[0]
      if (next === undefined) return undefined
      next.left -= 1
      if (next.left === 0) {
        held -= next.bytes
        waiting = waiting.filter((item) => item !== next)
      }
      return next.fault
    },
    waiting: () =>
      waiting.map(({ fault, selection, left }) => ({
        fault,
        selection,
        left: Number.isFinite(left) ? left : 'always',
      })),
    clear() {
      waiting = []
      held = 0
    },
  }
}
