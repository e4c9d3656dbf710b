/**
 * The progress record of a subscription: one event type of a module stream, or a whole trade, position or account stream.
 *
 * It has the committed position, if there is one, and the instant up to which everything was handled. It also
 * has the ids of the events that were handled last, because the service may send these events again.
 */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { StoredCompleteness } from '../completeness/completeness.ts'
import { StreamsError } from '../streams-error.ts'

/** A record in memory. */
export interface ProgressRecord {
  /** The committed position. `undefined` before the first commit, and always on trade, position and account streams. */
  readonly position: string | undefined
  /** Ids of the events that were handled last, oldest first. */
  readonly ids: readonly string[]
  /** The instant up to which everything was handled. `undefined` in records of version 1 that have a position. */
  readonly complete: StoredCompleteness | undefined
}

/** The version of written records. Version 1 had no instant by the service's clock. */
const VERSION = 2
/** The most ids in a record. */
export const MAX_STORED_IDS = 64
/** The most UTF-16 units of all ids together. It bounds the record, because stores limit the size of a value. */
const MAX_STORED_UNITS = 16 * 1024

/** Encodes a record as JSON: at most 128 KiB, plus six bytes for each UTF-16 unit of the position. */
export function encodeRecord({ position, ids, complete }: ProgressRecord): string {
  return JSON.stringify({ v: VERSION, position, ids: newestIds(ids), complete })
}

/** Returns the newest ids that fit into a record. */
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
 * Decodes a stored record.
 *
 * @param name - The event type, or the name of the trade stream.
 * @throws StreamsError `STREAM_CURSOR_INVALID`.
 */
export function decodeRecord(name: string, json: string): ProgressRecord {
  const result = tryDecodeRecord(json)
  if (result.ok) return result.record
  const { reason } = result
  const message = `the stored cursor of ${name} must be a record of version 1 or ${VERSION}; ${reason}. Delete it to start without a cursor`
  throw new StreamsError('STREAM_CURSOR_INVALID', message, { details: { eventType: name, reason } })
}

/** Decodes a stored record, or returns the reason why it is invalid. */
export function tryDecodeRecord(
  json: string,
): { readonly ok: true; readonly record: ProgressRecord } | { readonly ok: false; readonly reason: string } {
  const invalid = (reason: string) => ({ ok: false, reason }) as const
  const value = parseJsonObject(json)
  if (value === undefined) return invalid('it is not a JSON object')
  const { v: version, position } = value
  if (version !== 1 && version !== VERSION) return invalid('it has another version')
  if (position !== undefined && (typeof position !== 'string' || position === ''))
    return invalid('its position is not a non-empty string')
  const ids = version === 1 && position === undefined ? [] : value.ids
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    return invalid('its ids are not an array of strings')
  const complete = version === 1 ? decodeVersion1(value) : decodeComplete(value.complete)
  if (complete === undefined && (version !== 1 || position === undefined))
    return invalid('its instants are not valid numbers')
  return { ok: true, record: { position, ids, complete } }
}

function decodeComplete(value: unknown): StoredCompleteness | undefined {
  if (!isRecord(value)) return undefined
  const { serviceMs, hostMs, offsetMs } = value
  if (!isInstant(hostMs)) return undefined
  if (serviceMs !== undefined && !isInstant(serviceMs)) return undefined
  if (offsetMs !== undefined && !isInstant(offsetMs)) return undefined
  return { serviceMs, hostMs, offsetMs }
}

function decodeVersion1({ sinceMs }: Readonly<Record<string, unknown>>): StoredCompleteness | undefined {
  return Number.isSafeInteger(sinceMs) && isInstant(sinceMs)
    ? { serviceMs: undefined, hostMs: sinceMs, offsetMs: undefined }
    : undefined
}

/** Whether the value is a number within the range of `Date`. */
function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15
}
