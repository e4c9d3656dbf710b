/** Frames of trade, position and account streams: decoding from the received bytes, and classification. */
import type { TradeFrame } from '@brokerwire/payloads'
import { TradeEventType } from '@brokerwire/protos'
import type { UnknownField } from '@bufbuild/protobuf'
import { fieldsOfSubscribeResponse } from '../transport/decoding/gen/grpc/trade/event/events_decoders.ts'
import { KnownStrings } from '../transport/decoding/gen/range-reader.ts'
import type { Decode, Decoder } from '../transport/message-batch.ts'
import { type FrameClass, type FrameReader, lookupByCode } from './frame-class.ts'
import { fieldBytes, NO_FIELDS } from './item-bytes.ts'

/** Codes of the data messages of the trade service (docs/facts.md, Streams). The proto enum does not have them. */
export const TRADE_DATA_CODES = { order: 1024, position: 1028, option: 1032 } as const

/** The fields of a message. They are documented at {@link OrderItem}. */
export interface ReceivedTradeFrame extends TradeFrame {
  readonly subscribeType: number
  readonly requestId: string
  readonly timestamp: string
  readonly unknownFields: readonly UnknownField[]
}

/** Codes outside this table are `unknown`: neither a control frame nor known data. */
const classify = lookupByCode<FrameClass>({
  [TRADE_DATA_CODES.order]: 'event',
  [TRADE_DATA_CODES.position]: 'event',
  [TRADE_DATA_CODES.option]: 'event',
  [TradeEventType.SubscribeSuccess]: 'subscribed',
  [TradeEventType.Ping]: 'ping',
  [TradeEventType.AuthError]: 'auth-error',
  [TradeEventType.NumOfConnExceed]: 'connection-limit',
  [TradeEventType.SubscribeExpired]: 'expired',
})

/**
 * Parses a timestamp. Returns `undefined` if it is not positive, or outside the range of `Date` (such as
 * nanoseconds).
 */
function parseTimestamp(timestamp: string): number | undefined {
  const ms = Number(timestamp)
  return ms > 0 && ms <= 8.64e15 ? ms : undefined
}

/** Reads what the supervisor needs from a frame. */
export const tradeFrames = {
  classify: ({ eventType }: ReceivedTradeFrame) => classify(eventType),
  serverTimeMs: ({ timestamp }: Pick<ReceivedTradeFrame, 'timestamp'>) => parseTimestamp(timestamp),
  connectionId: ({ requestId }: ReceivedTradeFrame) => (requestId === '' ? undefined : requestId),
} satisfies FrameReader<ReceivedTradeFrame>

/** Decodes the frames of one stream. */
export class TradeFrameDecoder implements Decoder<ReceivedTradeFrame> {
  readonly #texts = new KnownStrings()
  /** Has the type of the interface, because the class uses types that exist only in Node. */
  readonly texts: Decoder<unknown>['texts'] = this.#texts
  /** Returns the memory of a frame's unknown fields. */
  readonly extraBytes: Decoder<ReceivedTradeFrame>['extraBytes'] = fieldBytes
  /** The last timestamp in whole seconds, as a number and as a string. */
  #seconds = 0
  #secondsString = ''

  /** Decodes a frame from a range of bytes. */
  readonly decode: Decode<ReceivedTradeFrame> = (bytes, start, end) =>
    fieldsOfSubscribeResponse(bytes as Buffer, start, end, this.#texts, this.#createFrame)

  readonly #createFrame: Parameters<typeof fieldsOfSubscribeResponse<ReceivedTradeFrame>>[4] = (
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
    timestamp: this.#formatTimestamp(timestamp),
    unknownFields: unknown ?? NO_FIELDS,
  })

  /**
   * Formats a timestamp in decimal. The seconds are cached, because formatting the whole number would take
   * ten times as long.
   */
  #formatTimestamp(timestamp: number | bigint): string {
    if (typeof timestamp === 'bigint' || timestamp < 1000) return String(timestamp)
    const seconds = Math.floor(timestamp / 1000)
    if (seconds !== this.#seconds) {
      this.#seconds = seconds
      this.#secondsString = String(seconds)
    }
    return this.#secondsString + String(timestamp - seconds * 1000).padStart(3, '0')
  }
}
