/** The fields of a message in a stream of Redis: `at`, `subject`, `key`, `headers`, `body`, and `data` for bytes. */
import { isRecord, parseJsonObject } from '@brokerwire/core/internal'
import type { SinkEntry, StoredEntry } from '../sink/event-sink.ts'

/** Returns names and values in turn. `headers` is JSON, and `data` is base64. */
export function messageFields({ subject, key, headers, body, data }: SinkEntry): string[] {
  const fields = ['subject', subject, 'key', key, 'headers', JSON.stringify(headers), 'body', body]
  if (data !== undefined)
    fields.push('data', Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64'))
  return fields
}

/** Parses an id with its fields; `undefined` if the sink did not write them. */
export function parseMessage(row: unknown): StoredEntry | undefined {
  const [id, values] = Array.isArray(row) ? (row as unknown[]) : []
  if (!Array.isArray(values)) return undefined
  const fields: Record<string, unknown> = {}
  for (let at = 0; at + 1 < values.length; at += 2) fields[String(values[at])] = values[at + 1]
  const { subject, key, headers: text, body, data } = fields
  const headers = typeof text === 'string' ? parseJsonObject(text) : undefined
  const sequence = /^([1-9]\d*)-0$/.exec(String(id))?.[1]
  if (sequence === undefined || typeof subject !== 'string' || typeof key !== 'string') return undefined
  if (typeof body !== 'string' || !isRecord(headers)) return undefined
  const entry = { sequence: Number(sequence), subject, key, headers: headers as Record<string, string>, body }
  return typeof data === 'string' ? { ...entry, data: Uint8Array.from(Buffer.from(data, 'base64')) } : entry
}

/** Converts a filter of subjects to a pattern of Lua. */
export function subjectPattern(filter: string): string {
  const tokens = filter.split('.').map((token) => {
    if (token === '*') return '[^.]+'
    if (token === '>') return '.+'
    return token.replace(/[^A-Za-z0-9]/g, '%$&')
  })
  return `^${tokens.join('%.')}$`
}
