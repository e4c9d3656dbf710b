/**
 * Events of trade, position and account streams.
 *
 * `kind` depends only on the code of the message, so it is right even if the payload cannot be decoded.
 */
import type {
  DecodeResult,
  PositionEvent,
  TradeEvent,
  TradeFrame,
  UnknownPayload,
} from '@brokerwire/payloads'
import type { UnknownField } from '@bufbuild/protobuf'
import { lookupByCode } from './frame-class.ts'
import { type ReceivedTradeFrame, TRADE_DATA_CODES } from './trade-frames.ts'

interface TradeFields {
  /** Distinguishes events from notices and undecodable messages. */
  readonly type: 'event'
  /** The service that sent the event. */
  readonly service: 'trade'
  /** Code of the message, even if it is unknown. */
  readonly eventType: number
  /** Subscribe type of the message as received: 1 orders, 2 positions, 4 options. */
  readonly subscribeType: number
  /** Media type of the payload as received. */
  readonly contentType: string
  /** Id of the delivery. If the service delivers an event again, the id is the same. */
  readonly requestId: string
  /** Timestamp of the message: a decimal string of milliseconds since the Unix epoch. */
  readonly timestamp: string
  /** Payload as received, normally JSON. */
  readonly payload: string
  /** Fields of the message that the protobuf schema does not have, with their numbers. */
  readonly unknownFields: readonly UnknownField[]
  /** Time of receipt by this host's clock, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number
}

/** A change of an order (code 1024). */
export interface OrderItem extends TradeFields {
  /** Kind of the event, by its code. */
  readonly kind: 'order'
  /** Decodes the payload at the first call, and returns the same result at further calls. Never throws. */
  decode(): DecodeResult<TradeEvent>
}

/** A settlement of a position in an event contract (code 1028). */
export interface PositionItem extends TradeFields {
  /** Kind of the event, by its code. */
  readonly kind: 'position'
  /** Decodes the payload at the first call, and returns the same result at further calls. Never throws. */
  decode(): DecodeResult<PositionEvent>
}

/** An event without a documented payload: options (code 1032), and unknown codes. */
export interface OtherTradeItem extends TradeFields {
  /** Kind of the event, by its code. */
  readonly kind: 'option' | 'unknown'
  /** Decodes the payload at the first call, and returns the same result at further calls. Never throws. */
  decode(): DecodeResult<UnknownPayload>
}

/** An event of a trade, position or account stream. */
export type TradeStreamEvent = OrderItem | PositionItem | OtherTradeItem

/** Decoders of the events of trade, position and account streams. `payloads` of `@brokerwire/payloads` has them. */
export interface TradeDecoders {
  /** Decodes the payload of an order event. */
  order(frame: TradeFrame): DecodeResult<TradeEvent>
  /** Decodes the payload of a position event. */
  position(frame: TradeFrame): DecodeResult<PositionEvent>
  /** Decodes the payload of any other event. */
  unknown(frame: TradeFrame): DecodeResult<UnknownPayload>
}

const lookupKind = lookupByCode<'order' | 'position' | 'option'>({
  [TRADE_DATA_CODES.order]: 'order',
  [TRADE_DATA_CODES.position]: 'position',
  [TRADE_DATA_CODES.option]: 'option',
})

/** Creates the item of a frame. @param receivedAtMs - Time of receipt, in milliseconds since the Unix epoch. */
export function createTradeItem(
  frame: ReceivedTradeFrame,
  receivedAtMs: number,
  decoders: TradeDecoders,
): TradeStreamEvent {
  return new TradeItem(frame, receivedAtMs, decoders) as TradeStreamEvent
}

/**
 * The item of a frame. Its own properties are plain data, so it can be cloned and sent to a worker. Methods are inherited, and
 * the rest is private.
 */
class TradeItem {
  readonly type = 'event'
  readonly service = 'trade'
  readonly kind: TradeStreamEvent['kind']
  readonly eventType: number
  readonly subscribeType: number
  readonly contentType: string
  readonly requestId: string
  readonly timestamp: string
  readonly payload: string
  readonly unknownFields: readonly UnknownField[]
  readonly receivedAtMs: number
  readonly #decoders: TradeDecoders
  #decoded: DecodeResult<TradeEvent | PositionEvent | UnknownPayload> | undefined

  constructor(frame: ReceivedTradeFrame, receivedAtMs: number, decoders: TradeDecoders) {
    this.kind = lookupKind(frame.eventType)
    this.eventType = frame.eventType
    this.subscribeType = frame.subscribeType
    this.contentType = frame.contentType
    this.requestId = frame.requestId
    this.timestamp = frame.timestamp
    this.payload = frame.payload
    this.unknownFields = frame.unknownFields
    this.receivedAtMs = receivedAtMs
    this.#decoders = decoders
  }

  decode(): DecodeResult<TradeEvent | PositionEvent | UnknownPayload> {
    this.#decoded ??= decodeTradeFrame(this.kind, this, this.#decoders)
    return this.#decoded
  }
}

/** Decodes the payload of a frame, by the kind of its item. */
export function decodeTradeFrame(
  kind: TradeStreamEvent['kind'],
  frame: TradeFrame,
  decoders: TradeDecoders,
): DecodeResult<TradeEvent | PositionEvent | UnknownPayload> {
  return decoders[kind === 'option' ? 'unknown' : kind](frame)
}
