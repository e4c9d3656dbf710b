/** Items of a stream as objects of `listen --json`, whose schema is published. */
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { toBase64 } from '../render/undecodable-line.ts'
import type { EventItem, StreamItem, UndecodableItem } from '../stream-item.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function frameFields(item: EventItem): object {
  const unknownFields = item.unknownFields.map(({ no, wireType, data }) => ({
    no,
    wireType,
    data: hex(data),
  }))
  if (item.service === 'module') {
    const { messageType, id, eventType, position, timestamp, version } = item
    return { messageType, id, eventType, position, timestamp, version, unknownFields }
  }
  const { eventType, subscribeType, contentType, requestId, timestamp } = item
  return { eventType, subscribeType, contentType, requestId, timestamp, unknownFields }
}

/** Returns the decoded payload, or its error. The raw payload is already another field of the line. */
function decodedFields(item: EventItem): object {
  const result = item.decode()
  if (!result.ok)
    return { decoded: null, problem: { code: result.error.code, message: result.error.message } }
  return { decoded: withoutRaw(result.value) }
}

/** Returns a decoded payload without its `raw` field. */
export function withoutRaw(value: object): object {
  const { raw: _, ...decoded } = value as { readonly raw?: unknown }
  return decoded
}

/** Maximum size of a message whose bytes are printed. */
const MAX_PRINTED_BYTES = 64 * 1024

function undecodableFields(item: UndecodableItem): object {
  const { type, kind, receivedAtMs, reason, message, length } = item
  const bytes = item.bytes === undefined || length > MAX_PRINTED_BYTES ? null : toBase64(item.bytes)
  return { type, kind, receivedAtMs, reason, message, length, bytes }
}

/** Creates the line. @param stream - Name of the stream. */
export function jsonLine(stream: string, item: StreamItem): string {
  if (item.type === 'notice') return escapeJsonControlChars(JSON.stringify({ stream, ...item }))
  if (item.type === 'undecodable')
    return escapeJsonControlChars(JSON.stringify({ stream, ...undecodableFields(item) }))
  const { kind, receivedAtMs, payload } = item
  const shown = {
    stream,
    type: 'event',
    kind,
    receivedAtMs,
    frame: frameFields(item),
    ...decodedFields(item),
    payload,
  }
  return escapeJsonControlChars(JSON.stringify(shown))
}
