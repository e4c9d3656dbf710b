/** An item of a stream as the object that `listen --json` prints. The schema is published beside it. */
import { printableJson } from '@brokerwire/core/internal'
import type { EventItem, StreamItem } from '../stream-item.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function frameOf(item: EventItem): object {
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

/** The decoded payload, or what is wrong with it. What it was decoded from stands beside it once. */
function decodedOf(item: EventItem): object {
  const result = item.decode()
  if (!result.ok)
    return { decoded: null, problem: { code: result.error.code, message: result.error.message } }
  return { decoded: withoutRaw(result.value) }
}

/** A decoded payload without what it was decoded from. */
export function withoutRaw(value: object): object {
  const { raw: _, ...decoded } = value as { readonly raw?: unknown }
  return decoded
}

/** The line. @param stream - The stream that it came from. */
export function jsonLine(stream: string, item: StreamItem): string {
  if (item.type === 'notice') return printableJson(JSON.stringify({ stream, ...item }))
  const { kind, receivedAtMs, payload } = item
  const shown = {
    stream,
    type: 'event',
    kind,
    receivedAtMs,
    frame: frameOf(item),
    ...decodedOf(item),
    payload,
  }
  return printableJson(JSON.stringify(shown))
}
