/** Faults in waiting: those that strike a counted number of times first come first served, before those that always do. */

/** How often a fault strikes: so many times, or until the faults are cleared. */
export type FaultTimes = number | 'always'

/** Faults in waiting. `S` is what one is looked for with. */
export interface FaultQueue<F, S> {
  /** @param selection - `undefined`: whatever comes. */
  add(fault: F, selection: S | undefined, times: FaultTimes): void
  take(selection: S): F | undefined
  clear(): void
}

/** Makes an empty queue. */
export function createFaultQueue<F, S>(): FaultQueue<F, S> {
  let waiting: { readonly fault: F; readonly selection: S | undefined; left: number }[] = []
  return {
    add(fault, selection, times) {
      waiting.push({ fault, selection, left: times === 'always' ? Number.POSITIVE_INFINITY : times })
    },
    take(selection) {
      const fitting = waiting.filter((item) => item.selection === undefined || item.selection === selection)
      const next = fitting.find(({ left }) => Number.isFinite(left)) ?? fitting[0]
      if (next === undefined) return undefined
      next.left -= 1
      if (next.left === 0) waiting = waiting.filter((item) => item !== next)
      return next.fault
    },
    clear() {
      waiting = []
    },
  }
}
