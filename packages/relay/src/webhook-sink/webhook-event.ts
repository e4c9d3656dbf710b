/**
 * Events as webhooks: CloudEvents 1.0 as JSON, one in a request (structured mode) or several (batch mode). The payload is copied
 * as received, so that no number loses digits.
 */
import { createHash } from 'node:crypto'
import type { SinkEntry } from '../sink/event-sink.ts'
import { cloudEventAttributes, isJson } from '../wire/cloud-events.ts'
import { decodeHeader } from '../wire/header-text.ts'
import type { WebhookMessage } from './delivery.ts'

/** Serializes a message as a CloudEvent. Its headers are extension attributes, because a request has no others. */
export function serializeCloudEvent(entry: SinkEntry): string {
  const attributes = JSON.stringify({ ...cloudEventAttributes(entry), ...extensionsOf(entry) })
  const { body, data } = entry
  if (data !== undefined) {
    const base64 = Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')
    return withContent(attributes, `"data_base64":"${base64}"`)
  }
  return body === ''
    ? attributes
    : withContent(attributes, `"data":${isJson(body) ? body : JSON.stringify(body)}`)
}

const withContent = (attributes: string, content: string): string => `${attributes.slice(0, -1)},${content}}`

const HEADER_START = 'Brokerwire-'

/**
 * Returns the headers `Brokerwire-NAME` as `bwname`. The headers of a trace keep their names. Names of attributes have
 * lower-case letters and digits only.
 */
function extensionsOf({ headers }: SinkEntry): Record<string, string> {
  const extensions: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const text = decodeHeader(value) ?? value
    if (name.startsWith(HEADER_START))
      extensions[`bw${name.slice(HEADER_START.length).replaceAll('-', '').toLowerCase()}`] = text
    else if (name === 'traceparent' || name === 'tracestate') extensions[name] = text
  }
  return extensions
}

/** Returns the identity of a message for receivers: a hash of the keys, the same for all copies of the events. */
export function webhookId(stream: string, entries: readonly SinkEntry[]): string {
  const hash = createHash('sha256').update(stream)
  for (const { key } of entries) hash.update('\n').update(key)
  return `msg_${hash.digest('base64url').slice(0, 27)}`
}

/** Creates the request of one event, or of a batch. @param events - The events of the entries. */
export function createMessage(
  stream: string,
  entries: readonly SinkEntry[],
  events: readonly string[],
  isBatch: boolean,
): WebhookMessage {
  return {
    id: webhookId(stream, entries),
    contentType: `application/cloudevents${isBatch ? '-batch' : ''}+json; charset=utf-8`,
    body: Buffer.from(isBatch ? `[${events.join(',')}]` : events.join('')),
  }
}
