/**
 * The decoders of both event services, as one object for streams and callers. The object is immutable:
 * `with()` returns a new object.
 */
import { type DecodeOptions, type DecodeResult, parseDecodeOptions } from './decode.ts'
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

/** Options of {@link createPayloads}. They are read once. */
export interface PayloadsOptions extends DecodeOptions {}

/** Decodes frames. No method throws for any frame. Each result has the payload as received. */
export interface Payloads<Event = ModuleEvent> {
  /** Decodes an order event of the trade stream (code 1024). */
  order(frame: TradeFrame): DecodeResult<TradeEvent>
  /** Decodes a settlement of the position stream (code 1028). */
  position(frame: TradeFrame): DecodeResult<PositionEvent>
  /** Decodes a frame with another code. Its payload is parsed if its content type is JSON. */
  unknown(frame: TradeFrame): DecodeResult<UnknownPayload>
  /** Decodes a frame of the module stream. */
  module(frame: ModuleFrame): DecodeResult<Event>
  /**
   * Returns decoders with additional schemas, which may replace built-in ones.
   *
   * @param modules - Standard Schemas by event type (`SOD`), or by event type and business type (`FUNDING/TRANSFER`). They
   *   validate the envelope's payload synchronously.
   * @throws PayloadsError `PAYLOAD_OPTION_INVALID` if a name or schema is invalid.
   */
  with<const S extends ModuleSchemas>(modules: S): Payloads<WithModules<Event, S>>
}

/**
 * Creates the decoders of both event services.
 *
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID` if an option is invalid.
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
  return makePayloads(parseDecodeOptions(options), createRegistry())
}

/** Decoders with the default options: lenient, payloads of at most 1048576 characters. */
export const payloads: Payloads = createPayloads()

function makePayloads<Event>(options: FrameOptions, registry: Registry): Payloads<Event> {
  return {
    order: (frame) => decodeTradeFrame(tradeEvent, frame, options),
    position: (frame) => decodeTradeFrame(positionEvent, frame, options),
    unknown: (frame) => decodeUnknownFrame(frame, options),
    // The types of the events are those of the schemas in the registry.
    module: (frame) => decodeModuleFrame(frame, registry, options) as DecodeResult<Event>,
    with: (modules) => makePayloads(options, registry.with(modules)),
  }
}
