/**
 * Events of the trade and position streams.
 *
 * `kind` comes from the frame's code alone, so that a payload nobody can read still arrives under the right kind.
 */

import type {
  DecodeResult,
  PositionEvent,
  TradeEvent,
  TradeFrame,
  UnknownPayload,
} from '@brokerwire/payloads'
import { TradeEventType, type TradeSubscribeResponse } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import type { FrameFacts } from '../supervisor/runner.ts'

/** Codes of the data messages (facts, Streams). They are not in the proto enum. */
export const TRADE_DATA_CODES = { order: 1024, position: 1028, option: 1032 } as const

interface TradeFields {
  readonly type: 'event'
  readonly service: 'trade'
  /** Code of the message, also where nobody knows it. */
  readonly eventType: number
  readonly subscribeType: number
  readonly contentType: string
  /** Names the delivery: it comes again when the service delivers again. */
  readonly requestId: string
  /** The frame's timestamp, exact, as decimal text: milliseconds since the Unix epoch. */
  readonly timestamp: string
  /** The payload as received. */
  readonly payload: string
  /** Fields of the frame that nobody knows, with their numbers. */
  readonly unknownFields: readonly UnknownField[]
  /** Milliseconds since the Unix epoch, on this host's clock. */
  readonly receivedAtMs: number
}

/** An order changed (code 1024). */
export interface OrderItem extends TradeFields {
  readonly kind: 'order'
  /** Parses the payload, once. Never throws. */
  decode(): DecodeResult<TradeEvent>
}

/** A position of an event contract was settled (code 1028). */
export interface PositionItem extends TradeFields {
  readonly kind: 'position'
  /** Parses the payload, once. Never throws. */
  decode(): DecodeResult<PositionEvent>
}

/** An event whose payload no source describes: options (code 1032), and codes that nobody knows. */
export interface OtherTradeItem extends TradeFields {
  readonly kind: 'option' | 'unknown'
  /** Parses the payload, once. Never throws. */
  decode(): DecodeResult<UnknownPayload>
}

/** An event of a trade or position stream. */
export type TradeStreamEvent = OrderItem | PositionItem | OtherTradeItem

/** The decoders that trade items use: a part of `Payloads`. */
export interface TradeDecoders {
  order(frame: TradeFrame): DecodeResult<TradeEvent>
  position(frame: TradeFrame): DecodeResult<PositionEvent>
  unknown(frame: TradeFrame): DecodeResult<UnknownPayload>
}

/** What a frame is to the supervisor. Codes between the enum and the data codes are neither control nor known data. */
export function inspectTradeFrame(frame: TradeSubscribeResponse): FrameFacts {
  return {
    frame: tradeFrameClass(frame.eventType),
    serverMs: frame.timestamp > 0n ? Number(frame.timestamp) : undefined,
    connectionId: frame.requestId === '' ? undefined : frame.requestId,
  }
}

function tradeFrameClass(code: number): FrameFacts['frame'] {
  switch (code) {
    case TradeEventType.SubscribeSuccess:
      return 'subscribed'
    case TradeEventType.Ping:
      return 'ping'
    case TradeEventType.AuthError:
      return 'auth-error'
    case TradeEventType.NumOfConnExceed:
      return 'connection-limit'
    case TradeEventType.SubscribeExpired:
      return 'expired'
    case TRADE_DATA_CODES.order:
    case TRADE_DATA_CODES.position:
    case TRADE_DATA_CODES.option:
      return 'event'
    default:
      return 'unknown'
  }
}

/** Makes the item of a frame. */
export function tradeItem(
  frame: TradeSubscribeResponse,
  receivedAtMs: number,
  decoders: TradeDecoders,
): TradeStreamEvent {
  const code: number = frame.eventType
  const fields: TradeFields = {
    type: 'event',
    service: 'trade',
    eventType: code,
    subscribeType: frame.subscribeType,
    contentType: frame.contentType,
    requestId: frame.requestId,
    timestamp: String(frame.timestamp),
    payload: frame.payload,
    unknownFields: frame.$unknown ?? [],
    receivedAtMs,
  }
  switch (code) {
    case TRADE_DATA_CODES.order:
      return { ...fields, kind: 'order', decode: once(() => decoders.order(fields)) }
    case TRADE_DATA_CODES.position:
      return { ...fields, kind: 'position', decode: once(() => decoders.position(fields)) }
    default: {
      const kind = code === TRADE_DATA_CODES.option ? 'option' : 'unknown'
      return { ...fields, kind, decode: once(() => decoders.unknown(fields)) }
    }
  }
}

/** Calls `make` at most once. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
