/** Decoding of frames of the trade and position streams. */
import { isShallow } from './combinators/json.ts'
import { isJsonContentType } from './content-type.ts'
import { createTextContext, type DecodeResult, decodeParsed, failed, NO_ISSUES, parseJson } from './decode.ts'
import { exactUndescribed } from './decode-context.ts'
import type { Decoder } from './decoder.ts'
import type { PositionPayload } from './events/position-event.ts'
import type { TradePayload } from './events/trade-event.ts'

/** The fields of a frame that decoding uses (specification, Trade/position stream response). */
export interface TradeFrame {
  /** Code of the message, such as 1024. */
  readonly eventType: number
  /** Content type of the payload. An empty one counts as JSON. */
  readonly contentType: string
  /** Payload of the message as text. */
  readonly payload: string
}

/** A decoded payload with its text. */
export type WithRaw<T> = T extends unknown
  ? T & {
      /** The payload as received. */
      readonly raw: string
    }
  : never

/** A change of an order, discriminated by `sceneType`. Unknown fields are in `extra` under their wire names. */
export type TradeEvent = WithRaw<TradePayload>

/** The settlement of a position of an event contract. */
export type PositionEvent = WithRaw<PositionPayload>

/** A payload without a definition. */
export type UnknownPayload =
  | {
      /** The content type is JSON, and the payload is parsed. */
      readonly format: 'json'
      /** Parsed JSON; a number that a JavaScript number cannot represent is a `NumberText`. */
      readonly json: unknown
      /** The payload as received. */
      readonly raw: string
    }
  | {
      /** The content type is not JSON, and the payload is not parsed. */
      readonly format: 'text'
      /** Content type of the payload. */
      readonly contentType: string
      /** The payload as received. */
      readonly raw: string
    }

/** The options of decoding after validation. */
export interface FrameOptions {
  readonly strict: boolean
  readonly maxLength: number
}

/** Decodes a frame whose payload must be JSON. */
export function decodeTradeFrame<T extends object>(
  decoder: Decoder<T>,
  { contentType, payload: raw }: TradeFrame,
  { strict, maxLength }: FrameOptions,
): DecodeResult<WithRaw<T>> {
  if (!isJsonContentType(contentType)) return failed('PAYLOAD_CONTENT_TYPE', 'a JSON content type', raw)
  const json = parseJson(raw, maxLength)
  if (!json.ok) return json
  const result = decodeParsed(decoder, json.value, raw, strict) as DecodeResult<WithRaw<T>>
  // The value may be changed here, because the decoder has just created it.
  if (result.ok) (result.value as { raw: string }).raw = raw
  return result
}

/** Decodes a frame without a definition, by its content type. */
export function decodeUnknownFrame(
  { contentType, payload: raw }: TradeFrame,
  { maxLength }: FrameOptions,
): DecodeResult<UnknownPayload> {
  if (!isJsonContentType(contentType)) {
    return { ok: true, value: { format: 'text', contentType, raw }, issues: NO_ISSUES }
  }
  const json = parseJson(raw, maxLength)
  if (!json.ok) return json
  if (!isShallow(json.value)) return failed('PAYLOAD_TOO_LARGE', 'at most 256 levels', raw)
  return {
    ok: true,
    value: {
      format: 'json',
      json: exactUndescribed(createTextContext({ text: raw, mayLoseDigits: undefined }, false), json.value),
      raw,
    },
    issues: NO_ISSUES,
  }
}
