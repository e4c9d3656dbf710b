/** Faults in waiting: those that strike a counted number of times first come first served, before those that always do. */
import { textBytes } from './bounded-list.ts'
import { argumentFailure } from './simulator-error.ts'

/** How often a fault strikes: so many times, or until the faults are cleared. */
export type FaultTimes = number | 'always'

/** Bounds of what waits: whoever adds faults in a loop learns it before memory is full. */
const MAX_WAITING = 10_000
const MAX_BYTES = 64 * 1024 * 1024

/** Faults in waiting. `S` is what one is looked for with. */
export interface FaultQueue<F, S> {
  /**
   * @param selection - `undefined`: whatever comes.
   * @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID` where too many wait, or too much
   */
  add(fault: F, selection: S | undefined, times: FaultTimes): void
  take(selection: S): F | undefined
  /** Those that have not struck, in the order in which they were added. */
  waiting(): readonly WaitingFault<F, S>[]
  clear(): void
}

/** A fault that has not struck. */
export interface WaitingFault<F, S> {
  readonly fault: F
  /** `undefined`: whatever comes. */
  readonly selection: S | undefined
  /** How often it will. */
  readonly left: FaultTimes
}

/** Makes an empty queue. */
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
        throw argumentFailure('fault', `one of at most ${MAX_WAITING} that wait`, 'one more')
      }
      if (held + bytes > MAX_BYTES) {
        throw argumentFailure('fault', `one that fits into the ${MAX_BYTES} bytes of those that wait`, 'more')
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
