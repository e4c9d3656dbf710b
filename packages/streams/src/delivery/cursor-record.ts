/**
 * The stored record of a subscription: an event type of a module stream, or a whole trade stream.
 *
 * It has the committed position if there is one, the identities of the events handled last, because the service may send them
 * again, and until when everything was received and handled.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import { StreamsError } from '../streams-error.ts'

export interface CursorRecord {
  /** `undefined` before the first commit, and always on trade streams. */
  readonly position: string | undefined
  /** Oldest first. */
  readonly ids: readonly string[]
  /** `undefined` in records of the first version that have a position. */
  readonly complete: StoredCompleteness | undefined
}

/** The version that is written. Version 1 had no instant by the service's clock. */
const VERSION = 2
/** The greatest number of ids in a record. */
export const MAX_STORED_IDS = 64
/** Their UTF-16 units in all: a record must stay one that every store can read again. */
const MAX_STORED_UNITS = 16 * 1024

/** The text of a record: at most 128 KiB, plus six bytes for each UTF-16 unit of the position. */
export function cursorText({ position, ids, complete }: CursorRecord): string {
  return JSON.stringify({ v: VERSION, position, ids: newestIds(ids), complete })
}

/** The newest ids, within the bounds of a record. */
export function newestIds(ids: readonly string[]): string[] {
  let units = 0
  let first = ids.length
  while (first > 0 && ids.length - first < MAX_STORED_IDS) {
    units += (ids[first - 1] as string).length
    if (units > MAX_STORED_UNITS) break
    first -= 1
  }
  return ids.slice(first)
}

/**
 * The record of a stored text.
 *
 * @param name - The event type, or the name of a trade stream.
 * @throws StreamsError `STREAM_CURSOR_INVALID`.
 */
export function parseCursor(name: string, text: string): CursorRecord {
  const invalid = (reason: string): StreamsError =>
    new StreamsError('STREAM_CURSOR_INVALID', `the stored cursor cannot be read: ${reason}`, {
      details: { eventType: name, reason },
    })
  const value = parseJsonObject(text)
  if (value === undefined) throw invalid('not a JSON object')
  const { v: version, position } = value
  if (version !== 1 && version !== VERSION) throw invalid('an unknown format version')
  if (position !== undefined && (typeof position !== 'string' || position === ''))
    throw invalid('no position')
  const ids = version === 1 && position === undefined ? [] : value.ids
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw invalid('no list of ids')
  const complete = version === 1 ? readFirstVersion(value) : readComplete(value.complete)
  if (complete === undefined && (version !== 1 || position === undefined)) throw invalid('no instant')
  return { position, ids, complete }
}

function readComplete(value: unknown): StoredCompleteness | undefined {
  if (!isRecord(value)) return undefined
  const { serviceMs, hostMs, offsetMs } = value
  if (!isInstant(hostMs)) return undefined
  if (serviceMs !== undefined && !isInstant(serviceMs)) return undefined
  if (offsetMs !== undefined && !isInstant(offsetMs)) return undefined
  return { serviceMs, hostMs, offsetMs }
}

function readFirstVersion({ sinceMs }: Readonly<Record<string, unknown>>): StoredCompleteness | undefined {
  return Number.isSafeInteger(sinceMs) && isInstant(sinceMs)
    ? { serviceMs: undefined, hostMs: sinceMs, offsetMs: undefined }
    : undefined
}

/** Whether it is a number that a `Date` can have. */
function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15
}
