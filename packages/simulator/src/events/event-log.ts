/**
 * An append-only log that subscriptions read at their own pace.
 *
 * A reader is only an index, so a slow or paused subscription costs no memory and needs no queue. What is older than
 * the retention is let go; a reader behind it is told so.
 */
import { type BoundedList, createBoundedList, textBytes } from '../bounded-list.ts'

/** A log of `E`. */
export type EventLog<E> = BoundedList<E>

/** How much a log keeps. */
export interface Retention {
  readonly retainedEvents: number
  readonly retainedBytes: number
}

/** Makes an empty log of events whose size is that of their texts. */
export function createEventLog<E extends object>(retention: Retention): EventLog<E> {
  return createBoundedList({
    maxEntries: retention.retainedEvents,
    maxBytes: retention.retainedBytes,
    bytesOf(event) {
      let bytes = EVENT_BYTES
      for (const value of Object.values(event)) if (typeof value === 'string') bytes += textBytes(value)
      return bytes
    },
  })
}

/** What an event costs beside its texts. */
const EVENT_BYTES = 128
