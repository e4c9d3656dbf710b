/**
 * Events as webhooks: CloudEvents 1.0 as JSON, one in a request (structured mode) or several (batch mode). The payload is copied
 * as received, so that no number loses digits.
 */
import { createHash } from 'node:crypto'
import type { SinkEntry } from '../sink/event-sink.ts'
import { cloudEventAttributes, isJson } from '../wire/cloud-events.ts'
import type { WebhookMessage } from './delivery.ts'

/** Serializes a message as a CloudEvent. */
export function serializeCloudEvent(entry: SinkEntry): string {
  const attributes = JSON.stringify(cloudEventAttributes(entry))
  const { body, data } = entry
  const content =
    data === undefined
      ? `"data":${isJson(body) ? body : JSON.stringify(body)}`
      : `"data_base64":"${Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')}"`
  return `${attributes.slice(0, -1)},${content}}`
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
