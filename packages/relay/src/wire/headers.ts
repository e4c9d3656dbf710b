/**
 * Headers of the messages in a stream.
 *
 * A field with an empty string has no header. Readers ignore unknown headers, so a later relay may add
 * headers without a new schema version. The version is raised if a header or a notice gets another name or
 * meaning.
 */

import { RelayError } from '../relay-error.ts'
import type { RelayedFrame, RelayedUndecodable } from './frames.ts'
import { decodeHeader, encodeHeader } from './header-text.ts'

/** The version of the headers and the notices. Messages of any other version are rejected. */
const SCHEMA_VERSION = 2

/** Names of the headers. */
export const HEADER = {
  schema: 'Brokerwire-Schema',
  /** `event`, `undecodable`, `oversized` or `notice`. */
  type: 'Brokerwire-Type',
  /** The subscription that received the message: `trade`, `position` or `module`; `relay` for notices of the relay itself. */
  source: 'Brokerwire-Stream',
  /**
   * For an event: `order`, `position`, `option`, `module` or `unknown`. For a notice: its kind. Otherwise the
   * type.
   */
  kind: 'Brokerwire-Kind',
  /** The cluster whose relay wrote the message. */
  cluster: 'Brokerwire-Cluster',
  /** The code of a trade event, or the number of a module message's kind. */
  code: 'Brokerwire-Code',
  id: 'Brokerwire-Id',
  eventType: 'Brokerwire-Event-Type',
  position: 'Brokerwire-Position',
  version: 'Brokerwire-Version',
  requestId: 'Brokerwire-Request-Id',
  subscribeType: 'Brokerwire-Subscribe-Type',
  contentType: 'Brokerwire-Content-Type',
  /** The frame's timestamp, as received. */
  timestamp: 'Brokerwire-Timestamp',
  /** When the message was received, by the relay's clock. Milliseconds since the Unix epoch. */
  receivedAt: 'Brokerwire-Received-At',
  /** `number:wire type:base64` for each unknown field, separated by commas. */
  unknownFields: 'Brokerwire-Unknown-Fields',
  /** Length of an undecodable message, or of an oversized event in the sink, bytes. */
  eventLength: 'Brokerwire-Event-Length',
  /** The longest message that the sink accepts, bytes. */
  maxLength: 'Brokerwire-Max-Length',
  /** The setting of the sink that sets this maximum. */
  limit: 'Brokerwire-Limit',
  /** The reason of an undecodable message: `malformed`, `compression` or `too-large`. */
  reason: 'Brokerwire-Reason',
  /** The reason as a sentence. */
  message: 'Brokerwire-Message',
} as const

/** The headers of a message, by name. */
export type Headers = Readonly<Record<string, string>>

/** Returns one header of a message; `undefined` or `''` if the message does not have it. */
export type GetHeader = (name: string) => string | undefined

/** The limit that a message exceeds. */
export interface Oversize {
  /** Length of the message in the sink, bytes. */
  readonly messageBytes: number
  /** The longest message that the sink accepts, bytes. */
  readonly maxBytes: number
  /** The setting of the sink that sets this maximum, such as `max_payload`. */
  readonly setting: string
}

/** The parsed headers of a message. */
export type MessageHeaders =
  | { readonly type: 'event'; readonly frame: RelayedFrame }
  | ({ readonly type: 'oversized'; readonly frame: RelayedFrame } & Oversize)
  | { readonly type: 'undecodable'; readonly frame: RelayedUndecodable }
  | { readonly type: 'notice'; readonly source: string; readonly kind: string }

type UnknownField = RelayedFrame['unknownFields'][number]

function setHeader(headers: Record<string, string>, name: string, text: string): void {
  if (text !== '') headers[name] = encodeHeader(text)
}

/**
 * Creates the headers of an event.
 *
 * @param kind - The kind of the item, for readers without the decoders.
 * @param cluster - The cluster whose relay writes the event.
 * @defaultValue none
 *
 * @example
 * ```ts
 * import { eventHeaders, type RelayedFrame } from '@brokerwire/relay'
 *
 * declare const frame: RelayedFrame
 *
 * console.log(eventHeaders(frame, 'order')['Brokerwire-Type']) // event
 * ```
 */
export function eventHeaders(frame: RelayedFrame, kind: string, cluster = ''): Headers {
  const headers: Record<string, string> = {
    [HEADER.schema]: String(SCHEMA_VERSION),
    [HEADER.type]: 'event',
    [HEADER.source]: frame.subscription,
    [HEADER.kind]: encodeHeader(kind),
    [HEADER.receivedAt]: String(frame.receivedAtMs),
  }
  setHeader(headers, HEADER.cluster, cluster)
  setHeader(headers, HEADER.timestamp, frame.timestamp)
  if (frame.subscription === 'module') {
    headers[HEADER.code] = String(frame.messageType)
    setHeader(headers, HEADER.id, frame.id)
    setHeader(headers, HEADER.eventType, frame.eventType)
    setHeader(headers, HEADER.position, frame.position)
    setHeader(headers, HEADER.version, frame.version)
  } else {
    headers[HEADER.code] = String(frame.eventType)
    headers[HEADER.subscribeType] = String(frame.subscribeType)
    setHeader(headers, HEADER.contentType, frame.contentType)
    setHeader(headers, HEADER.requestId, frame.requestId)
  }
  if (frame.unknownFields.length > 0) {
    headers[HEADER.unknownFields] = frame.unknownFields.map(serializeUnknownField).join(',')
  }
  return headers
}

/**
 * Creates the headers of an oversized event: one that is longer than the sink accepts.
 *
 * @param headers - The headers of the event.
 *
 * @example
 * ```ts
 * import { type Headers, oversizedHeaders } from '@brokerwire/relay'
 *
 * declare const headers: Headers
 *
 * const oversize = { messageBytes: 2_000_000, maxBytes: 1_048_576, setting: 'max_payload' }
 * console.log(oversizedHeaders(headers, oversize)['Brokerwire-Type']) // oversized
 * ```
 */
export function oversizedHeaders(headers: Headers, { messageBytes, maxBytes, setting }: Oversize): Headers {
  return {
    ...headers,
    [HEADER.type]: 'oversized',
    [HEADER.kind]: 'oversized',
    [HEADER.eventLength]: String(messageBytes),
    [HEADER.maxLength]: String(maxBytes),
    [HEADER.limit]: encodeHeader(setting),
  }
}

/**
 * Creates the headers of an undecodable message. The body of such a message is bytes.
 *
 * @param cluster - The cluster whose relay writes the message.
 * @defaultValue none
 *
 * @example
 * ```ts
 * import { type RelayedUndecodable, undecodableHeaders } from '@brokerwire/relay'
 *
 * declare const frame: RelayedUndecodable
 *
 * console.log(undecodableHeaders(frame)['Brokerwire-Type']) // undecodable
 * ```
 */
export function undecodableHeaders(frame: RelayedUndecodable, cluster = ''): Headers {
  const headers: Record<string, string> = {
    [HEADER.schema]: String(SCHEMA_VERSION),
    [HEADER.type]: 'undecodable',
    [HEADER.source]: frame.subscription,
    [HEADER.kind]: 'undecodable',
    [HEADER.contentType]: 'application/octet-stream',
    [HEADER.reason]: frame.reason,
    [HEADER.message]: encodeHeader(frame.message),
    [HEADER.eventLength]: String(frame.length),
    [HEADER.receivedAt]: String(frame.receivedAtMs),
  }
  setHeader(headers, HEADER.cluster, cluster)
  return headers
}

/** Creates the headers of an oversized undecodable message. Its reason becomes `too-large`, and its message names the limit. */
export function oversizedUndecodableHeaders(
  headers: Headers,
  { messageBytes, maxBytes, setting }: Oversize,
): Headers {
  const decoderMessage = decodeHeader(headers[HEADER.message] ?? '') ?? ''
  const text = `the message must have at most ${maxBytes} bytes in the sink (${setting}); it has ${messageBytes}. It could not be decoded: ${decoderMessage}`
  return { ...headers, [HEADER.reason]: 'too-large', [HEADER.message]: encodeHeader(text) }
}

/** Creates the headers of a notice. */
export function noticeHeaders(source: string, kind: string, cluster = ''): Headers {
  const headers: Record<string, string> = {
    [HEADER.schema]: String(SCHEMA_VERSION),
    [HEADER.type]: 'notice',
    [HEADER.source]: source,
    [HEADER.kind]: encodeHeader(kind),
  }
  setHeader(headers, HEADER.cluster, cluster)
  return headers
}

/**
 * Parses the headers of {@link eventHeaders}, {@link undecodableHeaders}, {@link oversizedHeaders} or {@link noticeHeaders}.
 *
 * @throws RelayError `RELAY_SCHEMA_UNSUPPORTED`, `RELAY_MESSAGE_INVALID`.
 *
 * @example
 * ```ts
 * import { parseHeaders } from '@brokerwire/relay'
 *
 * declare const message: { subject: string; headers: Map<string, string> }
 *
 * const head = parseHeaders(message.subject, (name) => message.headers.get(name))
 * if (head.type === 'event') console.log(head.frame.subscription, head.frame.timestamp)
 * ```
 */
export function parseHeaders(subject: string, getHeader: GetHeader): MessageHeaders {
  return parseMessageHeaders({ subject, getHeader })
}

/** Does the same as {@link parseHeaders}, but decodes the subject on access, because only errors need it. */
export function parseMessageHeaders(message: {
  readonly subject: string
  readonly getHeader: GetHeader
}): MessageHeaders {
  const { getHeader } = message
  const invalid = (header: string, reason: string): RelayError => {
    const { subject } = message
    const text = `header ${header} must be written by a relay; received ${reason}. Keep other writers off the subjects of the stream.`
    return new RelayError('RELAY_MESSAGE_INVALID', text, { details: { subject, header, reason } })
  }
  const schema = getHeader(HEADER.schema) || ''
  if (schema === '') throw invalid(HEADER.schema, 'none')
  if (!/^[1-9]\d{0,8}$/.test(schema)) throw invalid(HEADER.schema, 'another text')
  if (Number(schema) !== SCHEMA_VERSION) throw schemaUnsupported(message.subject, Number(schema))
  const text = (name: string): string => {
    const decoded = decodeHeader(getHeader(name) || '')
    if (decoded === undefined) throw invalid(name, 'a wrong encoding')
    return decoded
  }
  const number = (name: string, pattern = /^\d{1,10}$/): number => {
    const value = getHeader(name) || ''
    if (!pattern.test(value)) throw invalid(name, value === '' ? 'none' : 'another text')
    return Number(value)
  }
  const type = getHeader(HEADER.type) || ''
  const source = getHeader(HEADER.source) || ''
  if (type === 'notice') return { type, source, kind: text(HEADER.kind) }
  const receivedAtMs = (): number =>
    number(HEADER.receivedAt, /^-?\d{1,21}(?:\.\d{1,25})?(?:e[+-]?\d{1,3})?$/)
  if (type === 'undecodable') {
    const reason = REASONS.find((one) => one === getHeader(HEADER.reason))
    if (source !== 'module' && source !== 'trade' && source !== 'position')
      throw invalid(HEADER.source, 'an unknown value')
    if (reason === undefined) throw invalid(HEADER.reason, 'an unknown value')
    const length = number(HEADER.eventLength)
    return {
      type,
      frame: {
        subscription: source,
        reason,
        message: text(HEADER.message),
        length,
        receivedAtMs: receivedAtMs(),
      },
    }
  }
  if (type !== 'event' && type !== 'oversized')
    throw invalid(HEADER.type, type === '' ? 'none' : 'an unknown value')
  const fields = getHeader(HEADER.unknownFields) || ''
  const shared = {
    timestamp: text(HEADER.timestamp),
    receivedAtMs: receivedAtMs(),
    unknownFields:
      fields === ''
        ? []
        : fields
            .split(',')
            .filter((field) => field !== '')
            .map(
              (field) => parseUnknownField(field) ?? raise(invalid(HEADER.unknownFields, 'a wrong encoding')),
            ),
  }
  const oversize = (): Oversize => ({
    messageBytes: number(HEADER.eventLength, /^\d{1,15}$/),
    maxBytes: number(HEADER.maxLength, /^\d{1,15}$/),
    setting: text(HEADER.limit),
  })
  // A code of the service's protocol may be negative: enums are 32 bits with a sign.
  const code = number(HEADER.code, /^-?\d{1,10}$/)
  if (source === 'module') {
    const frame = {
      subscription: source,
      messageType: code,
      id: text(HEADER.id),
      eventType: text(HEADER.eventType),
      position: text(HEADER.position),
      version: text(HEADER.version),
      ...shared,
    } as const
    return type === 'event' ? { type, frame } : { type, frame, ...oversize() }
  }
  if (source !== 'trade' && source !== 'position') throw invalid(HEADER.source, 'an unknown value')
  const frame = {
    subscription: source,
    eventType: code,
    subscribeType: number(HEADER.subscribeType),
    contentType: text(HEADER.contentType),
    requestId: text(HEADER.requestId),
    ...shared,
  } as const
  return type === 'event' ? { type, frame } : { type, frame, ...oversize() }
}

function schemaUnsupported(subject: string, received: number): RelayError {
  const isNewer = received > SCHEMA_VERSION
  const advice = isNewer
    ? 'Update @brokerwire/relay here'
    : 'Read the stream with the earlier version of @brokerwire/relay, and give the relays another prefix'
  const text = `schema version must be ${SCHEMA_VERSION}; received ${received} of ${isNewer ? 'a newer' : 'an older'} relay. ${advice}.`
  return new RelayError('RELAY_SCHEMA_UNSUPPORTED', text, {
    details: { subject, received, supported: SCHEMA_VERSION },
  })
}

const REASONS = ['malformed', 'compression', 'too-large'] as const

function raise(error: Error): never {
  throw error
}

function serializeUnknownField({ no, wireType, data }: UnknownField): string {
  return `${no}:${wireType}:${Buffer.from(data).toString('base64')}`
}

function parseUnknownField(text: string): UnknownField | undefined {
  const found = /^(\d{1,10}):([0-5]):([A-Za-z0-9+/]*={0,2})$/.exec(text)
  if (found === null) return undefined
  const [, no, wireType, data = ''] = found
  return { no: Number(no), wireType: Number(wireType), data: Uint8Array.from(Buffer.from(data, 'base64')) }
}
