/**
 * A list that forgets its oldest entries, bounded in entries and in bytes: one entry may be a megabyte.
 *
 * The newest entry stays whatever its size: what was just sent or asked for must be there to be looked at.
 */

/** A list of `E`. Indexes start at 0 and are never reused. */
export interface BoundedList<E> {
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
  /** The index of the first entry, while there is none: as if so many had been forgotten. */
  startAt(index: number): void
}

/** Bounds of {@link createBoundedList}. */
export interface ListBounds<E> {
  readonly maxEntries: number
  readonly maxBytes: number
  /** Size of an entry; always the same for the same entry. */
  readonly bytesOf: (entry: E) => number
}

/** Below this many forgotten places the array is left as it is. */
const SLACK = 1024

/** Makes an empty list. */
export function createBoundedList<E>({ maxEntries, maxBytes, bytesOf }: ListBounds<E>): BoundedList<E> {
  let kept: (E | undefined)[] = []
  /** Index of `kept[0]`. */
  let offset = 0
  /** Forgotten places at the front of `kept`. */
  let head = 0
  let bytes = 0
  const forgetOldest = (): void => {
    bytes -= bytesOf(kept[head] as E)
    kept[head] = undefined
    head += 1
  }
  return {
    get start() {
      return offset + head
    },
    get end() {
      return offset + kept.length
    },
    append(entry) {
      kept.push(entry)
      bytes += bytesOf(entry)
      while (kept.length - head > 1 && (kept.length - head > maxEntries || bytes > maxBytes)) forgetOldest()
      // In large steps: moving the rest for each entry would be quadratic.
      if (head > SLACK && head * 2 > kept.length) {
        kept = kept.slice(head)
        offset += head
        head = 0
      }
      return offset + kept.length - 1
    },
    at: (index) => kept[index - offset],
    entries: () => kept.slice(head) as E[],
    startAt(index) {
      if (kept.length === 0) offset = index
    },
  }
}

/** One byte a character where all of them are Latin-1, else two; and what a string costs besides. */
export function textBytes(text: string): number {
  const width = /^[\0-\xff]*$/.test(text) ? 1 : 2
  return text.length * width + STRING_BYTES
}

const STRING_BYTES = 24
