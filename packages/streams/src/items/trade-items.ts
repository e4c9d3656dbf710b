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
import { TradeEventType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { fieldsOfSubscribeResponse } from '../transport/decoding/gen/grpc/trade/event/events_decoders.ts'
import { KnownTexts } from '../transport/decoding/gen/range-reader.ts'
import type { Decode, Decoder } from '../transport/message-batch.ts'
import { byCode, type FrameClass } from './frame-class.ts'
import { fieldBytes, NO_FIELDS } from './item-bytes.ts'

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

/** Codes between the enum and the data codes are neither control nor known data. */
const classOf = byCode<FrameClass>({
  [TRADE_DATA_CODES.order]: 'event',
  [TRADE_DATA_CODES.position]: 'event',
  [TRADE_DATA_CODES.option]: 'event',
  [TradeEventType.SubscribeSuccess]: 'subscribed',
  [TradeEventType.Ping]: 'ping',
  [TradeEventType.AuthError]: 'auth-error',
  [TradeEventType.NumOfConnExceed]: 'connection-limit',
  [TradeEventType.SubscribeExpired]: 'expired',
})

/** What supervision reads of a frame. */
export const tradeFrames = {
  classOf: ({ eventType }: TradeStreamEvent) => classOf(eventType),
  serverMs: ({ timestamp }: TradeStreamEvent) => (Number(timestamp) > 0 ? Number(timestamp) : undefined),
  connectionId: ({ requestId }: TradeStreamEvent) => (requestId === '' ? undefined : requestId),
}

const kindOf = byCode<'order' | 'position' | 'option'>({
  [TRADE_DATA_CODES.order]: 'order',
  [TRADE_DATA_CODES.position]: 'position',
  [TRADE_DATA_CODES.option]: 'option',
})

/** Makes the items of one stream straight from the wire. */
export class TradeItems implements Decoder<TradeStreamEvent> {
  readonly #texts = new KnownTexts()
  /** As declarations say it: the texts name what only Node has. */
  readonly texts: Decoder<unknown>['texts'] = this.#texts
  readonly besides: Decoder<TradeStreamEvent>['besides'] = fieldBytes
  readonly #decoders: TradeDecoders
  #second = 0
  #secondText = ''

  constructor(decoders: TradeDecoders) {
    this.#decoders = decoders
  }

  readonly decode: Decode<TradeStreamEvent> = (bytes, start, end) =>
    fieldsOfSubscribeResponse(bytes as Buffer, start, end, this.#texts, this.#make)

  /** `decode` of an item is its own, so that it survives a copy of the item. */
  readonly #make: Parameters<typeof fieldsOfSubscribeResponse<TradeStreamEvent>>[4] = (
    eventType,
    subscribeType,
    contentType,
    payload,
    requestId,
    timestamp,
    unknown,
  ) => {
    const decoders = this.#decoders
    const kind = kindOf(eventType)
    let made: DecodeResult<TradeEvent | PositionEvent | UnknownPayload> | undefined
    const item = {
      type: 'event',
      service: 'trade',
      kind,
      eventType,
      subscribeType,
      contentType,
      requestId,
      timestamp: this.#textOf(timestamp),
      payload,
      unknownFields: unknown ?? NO_FIELDS,
      receivedAtMs: Number.NaN,
      decode: () => {
        made ??= decoders[kind === 'option' ? 'unknown' : kind](item)
        return made
      },
    } as const
    return item as TradeStreamEvent
  }

  /** The decimal text of an instant. That of its seconds is kept, because writing a new number takes ten times as long. */
  #textOf(timestamp: number | bigint): string {
    if (typeof timestamp === 'bigint' || timestamp < 1000) return String(timestamp)
    const seconds = Math.floor(timestamp / 1000)
    if (seconds !== this.#second) {
      this.#second = seconds
      this.#secondText = String(seconds)
    }
    return this.#secondText + String(timestamp - seconds * 1000).padStart(3, '0')
  }
}
