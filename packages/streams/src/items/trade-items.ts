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
import { classesOf, type FrameReader } from '../delivery/delivery.ts'
import { NO_FIELDS } from './item-bytes.ts'

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
const classOf = classesOf({
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
export const tradeFrames: FrameReader<TradeSubscribeResponse> = {
  classOf: ({ eventType }) => classOf(eventType),
  serverMs: ({ timestamp }) => (timestamp > 0n ? Number(timestamp) : undefined),
  connectionId: ({ requestId }) => (requestId === '' ? undefined : requestId),
}

function kindOf(code: number): TradeStreamEvent['kind'] {
  if (code === TRADE_DATA_CODES.order) return 'order'
  if (code === TRADE_DATA_CODES.position) return 'position'
  return code === TRADE_DATA_CODES.option ? 'option' : 'unknown'
}

/** Makes the items of one stream. A class, because functions made anew for each stream would be compiled anew for each. */
export class TradeItems {
  readonly #decoders: TradeDecoders
  #second = 0
  #secondText = ''

  constructor(decoders: TradeDecoders) {
    this.#decoders = decoders
  }

  /** `decode` is the item's own, so that it survives a copy of the item. */
  make(frame: TradeSubscribeResponse, receivedAtMs: number): TradeStreamEvent {
    const decoders = this.#decoders
    const eventType: number = frame.eventType
    const kind = kindOf(eventType)
    let made: DecodeResult<TradeEvent | PositionEvent | UnknownPayload> | undefined
    const item = {
      type: 'event',
      service: 'trade',
      kind,
      eventType,
      subscribeType: frame.subscribeType,
      contentType: frame.contentType,
      requestId: frame.requestId,
      timestamp: this.#textOf(frame.timestamp),
      payload: frame.payload,
      unknownFields: frame.$unknown ?? NO_FIELDS,
      receivedAtMs,
      decode: () => {
        made ??= decoders[kind === 'option' ? 'unknown' : kind](item)
        return made
      },
    } as const
    return item as TradeStreamEvent
  }

  /** To write a bigint out costs as much as to decode a message: of most instants the seconds were written before. */
  #textOf(timestamp: bigint): string {
    whole[0] = timestamp
    const ms = (halves[HIGH] as number) * 2 ** 32 + (halves[LOW] as number)
    if (!(ms >= 1000 && ms <= Number.MAX_SAFE_INTEGER)) return String(timestamp)
    const seconds = Math.floor(ms / 1000)
    if (seconds !== this.#second) {
      this.#second = seconds
      this.#secondText = String(seconds)
    }
    return this.#secondText + MILLISECONDS[ms - seconds * 1000]
  }
}

// A bigint is read as two halves: to make a number of it is a call into the engine.
const whole = new BigUint64Array(1)
const halves = new Uint32Array(whole.buffer)
const [LOW, HIGH] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0]
const MILLISECONDS = Array.from({ length: 1000 }, (_, ms) => String(ms).padStart(3, '0'))
