/** Conversion of messages in a stream to the items of `@brokerwire/streams`. */

import { parseJsonObject } from '@brokerwire/core/internal'
import type { DecodeResult } from '@brokerwire/payloads'
import {
  type ModuleItem,
  type StreamDecoders,
  TRADE_DATA_CODES,
  type TradeStreamEvent,
  type UndecodableItem,
} from '@brokerwire/streams'
import { RelayError } from '../relay-error.ts'
import type { RelayedFrame, RelayedModuleFrame, RelayedTradeFrame, RelayedUndecodable } from './frames.ts'
import { type GetHeader, type Headers, type Oversize, parseMessageHeaders } from './headers.ts'
import { parseWriterNotice, type ReaderGap, type RelayedNotice } from './notices.ts'

/**
 * An event, an undecodable message or a notice of a stream. Unlike in `@brokerwire/streams`, events of all
 * kinds have `ack()`. An item can be cloned, but a clone has no methods. `decodeItem` of
 * `@brokerwire/streams` decodes a clone.
 */
export type RelayItem<Event> = (
  | (TradeStreamEvent & { ack(): void })
  | ModuleItem<Event>
  | UndecodableItem
  | OversizedItem
  | RelayedNotice
  | ReaderGap
) &
  TracedItem

/** The trace context of an item. */
export interface TracedItem {
  /**
   * The headers `traceparent` and `tracestate` of the message, if its sink added them, as `traceSink` of `@brokerwire/otel` does.
   * A span that links to them links to the span that published the message.
   */
  readonly traceHeaders?: Headers | undefined
}

/** An event that was longer than the sink accepts: its identity without the payload. */
export type OversizedItem = {
  readonly type: 'oversized'
  readonly kind: 'oversized'
} & Oversize &
  RelayedFrame

/** The type of the module service's messages that are events. */
const MODULE_EVENT = 2

/** A message of a stream. */
export interface StreamMessage {
  /** The subject of the message. */
  readonly subject: string
  /** Returns one header of the message. */
  readonly getHeader: GetHeader
  /** The body of the message, decoded as UTF-8. */
  readonly body: string
  /** The body as bytes, which an undecodable message needs. */
  readonly data?: Uint8Array | undefined
}

/**
 * Converts a message to an item.
 *
 * @param ack - Called by `ack()` of the item.
 * @throws RelayError `RELAY_SCHEMA_UNSUPPORTED`, `RELAY_MESSAGE_INVALID`.
 *
 * @example
 * ```ts
 * import { parseItem, type StreamMessage } from '@brokerwire/relay'
 * import { payloads } from '@brokerwire/payloads'
 *
 * declare const message: StreamMessage
 *
 * const item = parseItem(message, payloads, () => {})
 * console.log(item.type, item.kind)
 * ```
 */
export function parseItem<Event>(
  message: StreamMessage,
  decoders: StreamDecoders<Event>,
  ack: () => void,
): RelayItem<Event> {
  const item = parseUntraced(message, decoders, ack)
  const traceHeaders = parseTraceHeaders(message.getHeader)
  return traceHeaders === undefined ? item : Object.assign(item, { traceHeaders })
}

/** Returns the headers of the trace context; `undefined` without `traceparent`. */
function parseTraceHeaders(getHeader: GetHeader): Headers | undefined {
  const traceparent = getHeader('traceparent') || ''
  if (traceparent === '') return undefined
  const tracestate = getHeader('tracestate') || ''
  return tracestate === '' ? { traceparent } : { traceparent, tracestate }
}

function parseUntraced<Event>(
  message: StreamMessage,
  decoders: StreamDecoders<Event>,
  ack: () => void,
): RelayItem<Event> {
  const { body } = message
  const head = parseMessageHeaders(message)
  if (head.type === 'notice') return parseNotice(message.subject, body)
  if (head.type === 'undecodable') return readUndecodable(head.frame, message.data)
  if (head.type === 'oversized') {
    const { type, frame, ...rest } = head
    return { type, kind: type, ...frame, ...rest }
  }
  return head.frame.subscription === 'module'
    ? new RelayedModuleItem(head.frame, body, decoders.module, ack)
    : (new RelayedTradeItem(head.frame, body, decoders, ack) as TradeStreamEvent & { ack(): void })
}

/** Parses a notice. Unknown kinds are accepted, because a later relay may write more of them. */
function parseNotice(subject: string, body: string): RelayedNotice {
  const value = parseJsonObject(body)
  if (value?.type !== 'notice' || typeof value.kind !== 'string' || typeof value.atMs !== 'number') {
    const reason = 'not a notice of a relay'
    const text = `body of a notice must be written by a relay; received ${reason}. Keep other writers off the subjects of the stream.`
    throw new RelayError('RELAY_MESSAGE_INVALID', text, { details: { subject, header: 'body', reason } })
  }
  return parseWriterNotice(body) ?? (value as unknown as RelayedNotice)
}

function readUndecodable(frame: RelayedUndecodable, data: Uint8Array | undefined): UndecodableItem {
  const { subscription, reason, message, length, receivedAtMs } = frame
  // The bytes are copied, because the memory of the message belongs to the client.
  const bytes = reason === 'too-large' || data === undefined ? undefined : new Uint8Array(data)
  const service = subscription === 'module' ? 'module' : 'trade'
  const type = 'undecodable'
  return { type, kind: type, service, reason, message, bytes, length, receivedAtMs }
}

function tradeKind(code: number): TradeStreamEvent['kind'] {
  if (code === TRADE_DATA_CODES.order) return 'order'
  if (code === TRADE_DATA_CODES.position) return 'position'
  return code === TRADE_DATA_CODES.option ? 'option' : 'unknown'
}

/** The base of items. Their own fields are plain data, so that an item can be cloned and sent to a worker. */
abstract class RelayedItem {
  readonly #ack: () => void

  constructor(ack: () => void) {
    this.#ack = ack
  }

  ack(): void {
    this.#ack()
  }

  /** Acknowledges an item, even if its `ack` was overwritten. Ignores notices and clones. */
  static ack(item: object): void {
    if (#ack in item) (item as RelayedItem).#ack()
  }
}

/** Acknowledges an item, if {@link parseItem} created it from an event. */
export const acknowledgeItem: (item: object) => void = RelayedItem.ack

class RelayedTradeItem extends RelayedItem {
  readonly type = 'event'
  readonly service = 'trade'
  readonly kind: TradeStreamEvent['kind']
  readonly eventType: number
  readonly subscribeType: number
  readonly contentType: string
  readonly requestId: string
  readonly timestamp: string
  readonly payload: string
  readonly unknownFields: RelayedTradeFrame['unknownFields']
  readonly receivedAtMs: number
  readonly #decoders: StreamDecoders<unknown>
  #decoded: DecodeResult<unknown> | undefined

  constructor(frame: RelayedTradeFrame, payload: string, decoders: StreamDecoders<unknown>, ack: () => void) {
    super(ack)
    this.kind = tradeKind(frame.eventType)
    this.eventType = frame.eventType
    this.subscribeType = frame.subscribeType
    this.contentType = frame.contentType
    this.requestId = frame.requestId
    this.timestamp = frame.timestamp
    this.payload = payload
    this.unknownFields = frame.unknownFields
    this.receivedAtMs = frame.receivedAtMs
    this.#decoders = decoders
  }

  decode(): DecodeResult<unknown> {
    this.#decoded ??= this.#decoders[this.kind === 'option' ? 'unknown' : this.kind](this)
    return this.#decoded
  }
}

class RelayedModuleItem<Event> extends RelayedItem implements ModuleItem<Event> {
  readonly type = 'event'
  readonly service = 'module'
  readonly kind: 'module' | 'unknown'
  readonly messageType: number
  readonly id: string
  readonly eventType: string
  readonly position: string
  readonly timestamp: string
  readonly version: string
  readonly payload: string
  readonly unknownFields: RelayedModuleFrame['unknownFields']
  readonly receivedAtMs: number
  readonly cursor: ModuleItem<Event>['cursor']
  readonly #decoder: StreamDecoders<Event>['module']
  #decoded: DecodeResult<Event> | undefined

  constructor(
    frame: RelayedModuleFrame,
    payload: string,
    decoder: StreamDecoders<Event>['module'],
    ack: () => void,
  ) {
    super(ack)
    const { messageType, eventType, position } = frame
    this.kind = messageType === MODULE_EVENT ? 'module' : 'unknown'
    this.messageType = messageType
    this.id = frame.id
    this.eventType = eventType
    this.position = position
    this.timestamp = frame.timestamp
    this.version = frame.version
    this.payload = payload
    this.unknownFields = frame.unknownFields
    this.receivedAtMs = frame.receivedAtMs
    this.cursor = position === '' ? undefined : { eventType, position }
    this.#decoder = decoder
  }

  decode(): DecodeResult<Event> {
    this.#decoded ??= this.#decoder(this)
    return this.#decoded
  }
}
