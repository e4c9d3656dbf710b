/** A priority queue of timers, as a heap, because a simulation has tens of thousands of timers. */

export interface Timer {
  readonly at: number
  /** Sequence number, which orders timers with the same time. */
  readonly order: number
  readonly callback: () => void
}

export interface TimerQueue {
  add(timer: Timer): void
  first(): Timer | undefined
  removeFirst(): void
}

const isBefore = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

export function createTimerQueue(): TimerQueue {
  const heap: Timer[] = []
  const swap = (at: number, other: number): void => {
    const timer = heap[at] as Timer
    heap[at] = heap[other] as Timer
    heap[other] = timer
  }
  const earlier = (at: number, other: number): number =>
    other < heap.length && isBefore(heap[other] as Timer, heap[at] as Timer) ? other : at
  return {
    add(timer) {
      heap.push(timer)
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!isBefore(timer, heap[parent] as Timer)) return
        swap(at, parent)
        at = parent
      }
    },
    first: () => heap[0],
    removeFirst() {
      const last = heap.pop()
      if (heap.length === 0 || last === undefined) return
      heap[0] = last
      for (let at = 0; ; ) {
        const next = earlier(earlier(at, 2 * at + 1), 2 * at + 2)
        if (next === at) return
        swap(at, next)
        at = next
      }
    },
  }
}
