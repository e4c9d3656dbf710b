/**
 * The CloudEvents 1.0 attributes of a message, and their headers in binary mode: `ce-id`, `ce-source` and so on, as in the bindings
 * of CloudEvents for NATS and Kafka. The body of a message stays as received.
 */
import { parseJsonObject } from '@brokerwire/core/internal'
import type { SinkEntry } from './entries.ts'
import { decodeHeader, encodeHeader } from './header-text.ts'
import { HEADER } from './headers.ts'

/** The attributes of a message by CloudEvents 1.0. */
export interface CloudEventAttributes {
  readonly specversion: '1.0'
  /** The identity of the message, the same for all its copies. */
  readonly id: string
  /** The app: `/PREFIX/ENVIRONMENT/REGION/APP`. */
  readonly source: string
  /** `brokerwire.TYPE.KIND`, such as `brokerwire.event.order` or `brokerwire.notice.gap`. */
  readonly type: string
  /** The subject of the message after its app, such as `trade.event.ACCOUNT.order`. */
  readonly subject: string
  /** When the service sent the event, or the relay received it or wrote the notice. */
  readonly time?: string
  /** `application/json`, `text/plain`, or `application/octet-stream` for an undecodable message. Missing if there is no body. */
  readonly datacontenttype?: string
}

/**
 * Returns the CloudEvents attributes of a message.
 *
 * @example
 * ```ts
 * import { cloudEventAttributes, type SinkEntry } from '@brokerwire/relay'
 *
 * declare const entry: SinkEntry
 *
 * const { id, type } = cloudEventAttributes(entry)
 * console.log(id, type)
 * ```
 */
export function cloudEventAttributes(entry: SinkEntry): CloudEventAttributes {
  const { subject, key, headers } = entry
  const tokens = subject.split('.')
  const time = timeOf(entry)
  const datacontenttype = contentType(entry)
  return {
    specversion: '1.0',
    id: key,
    source: `/${tokens.slice(0, 4).join('/')}`,
    type: `brokerwire.${headers[HEADER.type] ?? ''}.${headers[HEADER.kind] ?? ''}`,
    subject: tokens.slice(4).join('.'),
    ...(time === undefined ? {} : { time }),
    ...(datacontenttype === undefined ? {} : { datacontenttype }),
  }
}

/** Returns a message whose headers also have its CloudEvents attributes. */
export function addCloudEventHeaders(entry: SinkEntry): SinkEntry {
  const headers: Record<string, string> = { ...entry.headers }
  for (const [name, value] of Object.entries(cloudEventAttributes(entry)))
    headers[`ce-${name}`] = encodeHeader(value)
  return { ...entry, headers }
}

/** Whether a body is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function contentType({ body, data }: SinkEntry): string | undefined {
  if (data !== undefined) return 'application/octet-stream'
  if (body === '') return undefined
  return isJson(body) ? 'application/json' : 'text/plain'
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Trade events have milliseconds as their timestamp, module events have RFC 3339. */
function timeOf({ headers, body }: SinkEntry): string | undefined {
  const timestamp = decodeHeader(headers[HEADER.timestamp] ?? '') ?? ''
  if (RFC_3339.test(timestamp)) return timestamp
  const isNotice = headers[HEADER.type] === 'notice'
  return (
    toIsoTime(Number(timestamp)) ??
    toIsoTime(Number(isNotice ? parseJsonObject(body)?.atMs : headers[HEADER.receivedAt]))
  )
}

/** Returns `undefined` if the instant has no time by RFC 3339. */
function toIsoTime(ms: number): string | undefined {
  return ms > 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : undefined
}
