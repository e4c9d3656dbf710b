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
import type { UnknownField } from '@bufbuild/protobuf'
import { byCode } from './frame-class.ts'
import { type ReceivedTradeFrame, TRADE_DATA_CODES } from './trade-frames.ts'

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

const kindOf = byCode<'order' | 'position' | 'option'>({
  [TRADE_DATA_CODES.order]: 'order',
  [TRADE_DATA_CODES.position]: 'position',
  [TRADE_DATA_CODES.option]: 'option',
})

/** Makes the item of a frame. @param receivedAtMs - Milliseconds since the Unix epoch, on this host's clock. */
export function createTradeItem(
  frame: ReceivedTradeFrame,
  receivedAtMs: number,
  decoders: TradeDecoders,
): TradeStreamEvent {
  return new TradeItem(frame, receivedAtMs, decoders) as TradeStreamEvent
}

/** Its own properties are data, so that it can be cloned and sent to a worker: the rest is private or inherited. */
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
    this.kind = kindOf(frame.eventType)
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

/** Decodes the payload of a frame by the kind of its item. */
export function decodeTradeFrame(
  kind: TradeStreamEvent['kind'],
  frame: TradeFrame,
  decoders: TradeDecoders,
): DecodeResult<TradeEvent | PositionEvent | UnknownPayload> {
  return decoders[kind === 'option' ? 'unknown' : kind](frame)
}
