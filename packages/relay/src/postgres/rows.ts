/** Conversion of messages to the JSON of a batch, and of rows to messages. */
import { isRecord } from '@brokerwire/core/internal'
import type { SinkEntry, StoredEntry } from '../sink/event-sink.ts'
import { cloudEventAttributes } from '../wire/cloud-events.ts'

/** A lone surrogate cannot be encoded as UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Whether a column of the type `text` can have this string. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && !LONE_SURROGATE.test(text)
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

/**
 * Serializes a message for `json_to_recordset`. A body that is no text for Postgres is stored as its bytes in `data`,
 * and `body` is null.
 *
 * @param cloudEvents - Whether the record has the attributes of CloudEvents.
 */
export function serializeRecord(entry: SinkEntry, cloudEvents: boolean): string {
  const { subject, key, headers, body, data } = entry
  const record = { subject, key, headers, ...(cloudEvents ? cloudEventColumns(entry) : {}) }
  if (data !== undefined) return JSON.stringify({ ...record, body: '', data: base64(data) })
  return JSON.stringify(
    isStorable(body) ? { ...record, body } : { ...record, data: Buffer.from(body).toString('base64') },
  )
}

function cloudEventColumns(entry: SinkEntry): Readonly<Record<string, string | undefined>> {
  const { id, source, type, subject, time, datacontenttype } = cloudEventAttributes(entry)
  return {
    ce_id: id,
    ce_source: source,
    ce_type: type,
    ce_subject: subject,
    ce_time: time,
    ce_datacontenttype: datacontenttype,
  }
}

/** Parses a row; `undefined` if the sink did not write it. */
export function parseRow(row: unknown): StoredEntry | undefined {
  if (!isRecord(row)) return undefined
  const { position, subject, key, headers: stored, body, data } = row
  const sequence = parsePosition(position)
  // Some clients return jsonb as a text.
  const headers: unknown = typeof stored === 'string' ? JSON.parse(stored) : stored
  if (sequence === undefined || typeof subject !== 'string' || typeof key !== 'string') return undefined
  if (!isRecord(headers) || !Object.values(headers).every((header) => typeof header === 'string'))
    return undefined
  const entry = { sequence, subject, key, headers: headers as Record<string, string> }
  if (typeof data !== 'string') return typeof body === 'string' ? { ...entry, body } : undefined
  const bytes = Buffer.from(data, 'base64')
  return typeof body === 'string'
    ? { ...entry, body, data: Uint8Array.from(bytes) }
    : { ...entry, body: bytes.toString() }
}

/** Parses a column of the type `bigint`, which clients return as a string, a number or a bigint. */
export function parsePosition(value: unknown): number | undefined {
  const position = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value
  return typeof position === 'number' && Number.isSafeInteger(position) && position >= 0
    ? position
    : undefined
}
