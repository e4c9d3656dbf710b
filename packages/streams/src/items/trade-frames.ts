/** Frames of the trade and position streams: decoded straight from the wire, and classified. */
import type { TradeFrame } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { fieldsOfSubscribeResponse } from '../transport/decoding/gen/grpc/trade/event/events_decoders.ts'
import { KnownTexts } from '../transport/decoding/gen/range-reader.ts'
import type { Decode, Decoder } from '../transport/message-batch.ts'
import { byCode, type FrameClass, type FrameReader } from './frame-class.ts'
import { fieldBytes, NO_FIELDS } from './item-bytes.ts'

/** Codes of the data messages (facts, Streams). They are not in the proto enum. */
export const TRADE_DATA_CODES = { order: 1024, position: 1028, option: 1032 } as const

/** The fields of a message. Those of an item are the same, and have their docstrings there. */
export interface ReceivedTradeFrame extends TradeFrame {
  readonly subscribeType: number
  readonly requestId: string
  readonly timestamp: string
  readonly unknownFields: readonly UnknownField[]
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

/** Reads what the supervisor needs of a frame. */
export const tradeFrames = {
  classOf: ({ eventType }: ReceivedTradeFrame) => classOf(eventType),
  serverTimeMs: ({ timestamp }: Pick<ReceivedTradeFrame, 'timestamp'>) =>
    Number(timestamp) > 0 ? Number(timestamp) : undefined,
  connectionId: ({ requestId }: ReceivedTradeFrame) => (requestId === '' ? undefined : requestId),
} satisfies FrameReader<ReceivedTradeFrame>

/** Decodes the frames of one stream. */
export class TradeFrameDecoder implements Decoder<ReceivedTradeFrame> {
  readonly #texts = new KnownTexts()
  /** Typed by its contract, because the class uses types that only Node has. */
  readonly texts: Decoder<unknown>['texts'] = this.#texts
  readonly extraBytes: Decoder<ReceivedTradeFrame>['extraBytes'] = fieldBytes
  #second = 0
  #secondText = ''

  readonly decode: Decode<ReceivedTradeFrame> = (bytes, start, end) =>
    fieldsOfSubscribeResponse(bytes as Buffer, start, end, this.#texts, this.#make)

  readonly #make: Parameters<typeof fieldsOfSubscribeResponse<ReceivedTradeFrame>>[4] = (
    eventType,
    subscribeType,
    contentType,
    payload,
    requestId,
    timestamp,
    unknown,
  ) => ({
    eventType,
    subscribeType,
    contentType,
    payload,
    requestId,
    timestamp: this.#textOf(timestamp),
    unknownFields: unknown ?? NO_FIELDS,
  })

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
