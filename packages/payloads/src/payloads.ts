/**
 * The decoders of both event services, as one object that streams and callers use.
 *
 * Immutable: `with` makes another one.
 */
import { type DecodeOptions, type DecodeResult, readDecodeOptions } from './decode.ts'
import { positionEvent } from './events/position-event.ts'
import { tradeEvent } from './events/trade-event.ts'
import type { ModuleEvent, ModuleSchemas, WithModules } from './modules/module-event.ts'
import { decodeModuleFrame, type ModuleFrame } from './modules/module-frames.ts'
import { createRegistry, type Registry } from './modules/registry.ts'
import {
  decodeTradeFrame,
  decodeUnknownFrame,
  type FrameOptions,
  type PositionEvent,
  type TradeEvent,
  type TradeFrame,
  type UnknownPayload,
} from './trade-frames.ts'

/** Options of {@link createPayloads}. Read once. */
export interface PayloadsOptions extends DecodeOptions {}

/** Decodes frames. No method throws; each keeps the payload as received. */
export interface Payloads<Event = ModuleEvent> {
  /** A frame of the trade stream that says that an order changed (code 1024). */
  order(frame: TradeFrame): DecodeResult<TradeEvent>
  /** A frame of the position stream that says that a position was settled (code 1028). */
  position(frame: TradeFrame): DecodeResult<PositionEvent>
  /** A frame with another code: parsed where its content type is JSON. */
  unknown(frame: TradeFrame): DecodeResult<UnknownPayload>
  /** A frame of the module stream. */
  module(frame: ModuleFrame): DecodeResult<Event>
  /**
   * The same decoders, and schemas for more modules or instead of the package's own.
   *
   * @param modules - Any Standard Schemas by event type (`SOD`), or by event type and business type
   *   (`FUNDING/TRANSFER`). They read the envelope's payload and answer at once.
   * @throws PayloadsError `PAYLOAD_OPTION_INVALID`.
   */
  with<const S extends ModuleSchemas>(modules: S): Payloads<WithModules<Event, S>>
}

/**
 * Makes decoders.
 *
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createPayloads } from '@brokerwire/payloads'
 *
 * const payloads = createPayloads({ mode: 'strict' })
 * console.log(Object.keys(payloads))
 * ```
 */
export function createPayloads(options: PayloadsOptions = {}): Payloads {
  return payloadsOf(readDecodeOptions(options), createRegistry())
}

/** Decoders with the default options: lenient, payloads of at most 1048576 characters. */
export const payloads: Payloads = createPayloads()

function payloadsOf<Event>(options: FrameOptions, registry: Registry): Payloads<Event> {
  return {
    order: (frame) => decodeTradeFrame(tradeEvent, frame, options),
    position: (frame) => decodeTradeFrame(positionEvent, frame, options),
    unknown: (frame) => decodeUnknownFrame(frame, options),
    // The registry holds, for each name, the schema that its event's type is made of.
    module: (frame) => decodeModuleFrame(frame, registry, options) as DecodeResult<Event>,
    with: (modules) => payloadsOf(options, registry.with(modules)),
  }
}
