/**
 * An append-only log. Each subscription reads it at its own speed. A reader is only an index, so a slow or
 * paused subscription needs no memory and no buffer. Entries that exceed the retention are discarded. A
 * reader that has not read a discarded entry gets an error.
 */
import { type BoundedList, createBoundedList, textBytes } from '../bounded-list.ts'

/** A log of `E`. */
export type EventLog<E> = BoundedList<E>

/** Retention of a log. */
export interface Retention {
  readonly retainedEvents: number
  readonly retainedBytes: number
}

/** Creates an empty log of events. The size of an event is that of its strings plus an overhead. */
export function createEventLog<E extends object>(retention: Retention): EventLog<E> {
  return createBoundedList({
    maxEntries: retention.retainedEvents,
    maxBytes: retention.retainedBytes,
    getSize(event) {
      let bytes = EVENT_BYTES
      for (const value of Object.values(event)) if (typeof value === 'string') bytes += textBytes(value)
      return bytes
    },
  })
}

/** Overhead of an event in bytes, in addition to its strings. */
const EVENT_BYTES = 128
