/**
 * An append-only log that subscriptions read at their own pace.
 *
 * A reader is only an index, so a slow or paused subscription costs no memory and needs no queue. What is older than
 * the retention is let go; a reader behind it is told so.
 */

/** A log of `E`. Indexes start at 0 and are never reused. */
export interface EventLog<E> {
  /** Index of the oldest entry kept. */
  readonly start: number
  /** Index that the next entry will get. */
  readonly end: number
  /** @returns The entry's index. */
  append(entry: E): number
  /** The entry, or `undefined` outside what is kept. */
  at(index: number): E | undefined
  /** What is kept, oldest first. */
  entries(): readonly E[]
}

/** @param retained - Entries kept at least. */
export function createEventLog<E>(retained: number): EventLog<E> {
  let kept: E[] = []
  let start = 0
  return {
    get start() {
      return start
    },
    get end() {
      return start + kept.length
    },
    append(entry) {
      kept.push(entry)
      // Let go in large steps: shifting one by one would be quadratic.
      if (kept.length > retained * 2) {
        const surplus = kept.length - retained
        kept = kept.slice(surplus)
        start += surplus
      }
      return start + kept.length - 1
    },
    at: (index) => kept[index - start],
    entries: () => [...kept],
  }
}
