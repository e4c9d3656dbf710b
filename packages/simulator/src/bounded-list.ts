/**
 * A list that discards its oldest entries. It is bounded by count and by bytes. The newest entry is always
 * kept, even if it alone exceeds `maxBytes`, so that you can inspect the last event or request.
 */

/** A list of `E`. Indexes start at 0 and are never reused. */
export interface BoundedList<E> {
  /** Index of the oldest entry. */
  readonly start: number
  /** Index that the next entry will get. */
  readonly end: number
  /** Appends an entry. @returns Its index. */
  append(entry: E): number
  /** Returns the entry at an index. `undefined` if the entry was discarded or does not exist yet. */
  at(index: number): E | undefined
  /** Returns all entries, oldest first. */
  entries(): readonly E[]
  /** Sets the index of the first entry of an empty list, as if earlier entries had been discarded. */
  startAt(index: number): void
}

/** Bounds of {@link createBoundedList}. */
export interface ListBounds<E> {
  readonly maxEntries: number
  readonly maxBytes: number
  /** Returns the size of an entry in bytes. It must always be the same for the same entry. */
  readonly getSize: (entry: E) => number
}

/** Number of discarded slots above which the array may be compacted. */
const SLACK = 1024

/** Creates an empty list. */
export function createBoundedList<E>({ maxEntries, maxBytes, getSize }: ListBounds<E>): BoundedList<E> {
  let entries: (E | undefined)[] = []
  /** Index of `entries[0]`. */
  let offset = 0
  /** Number of discarded slots at the front of `entries`. */
  let head = 0
  let bytes = 0
  const dropOldest = (): void => {
    bytes -= getSize(entries[head] as E)
    entries[head] = undefined
    head += 1
  }
  return {
    get start() {
      return offset + head
    },
    get end() {
      return offset + entries.length
    },
    append(entry) {
      entries.push(entry)
      bytes += getSize(entry)
      while (entries.length - head > 1 && (entries.length - head > maxEntries || bytes > maxBytes))
        dropOldest()
      // The list is not compacted after each append, because that would take quadratic time.
      if (head > SLACK && head * 2 > entries.length) {
        entries = entries.slice(head)
        offset += head
        head = 0
      }
      return offset + entries.length - 1
    },
    at: (index) => entries[index - offset],
    entries: () => entries.slice(head) as E[],
    startAt(index) {
      if (entries.length === 0) offset = index
    },
  }
}

/**
 * Estimates the memory of a string: one byte per character if all are Latin-1, otherwise two, plus overhead.
 */
export function textBytes(text: string): number {
  const width = /^[\0-\xff]*$/.test(text) ? 1 : 2
  return text.length * width + STRING_BYTES
}

const STRING_BYTES = 24
