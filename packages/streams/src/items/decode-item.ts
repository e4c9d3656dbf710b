/** Decodes items that are plain data: copies by spreading, `structuredClone` or JSON, in this process or another one. */
import {
  type DecodeResult,
  type ModuleEvent,
  type PositionEvent,
  payloads,
  type TradeEvent,
  type UnknownPayload,
} from '@brokerwire/payloads'
import type { ModuleDecoder, ModuleItem } from './module-items.ts'
import {
  decodeTradeFrame,
  type OrderItem,
  type OtherTradeItem,
  type PositionItem,
  type TradeDecoders,
  type TradeStreamEvent,
} from './trade-items.ts'

/** Decoders of payloads: `payloads` of `@brokerwire/payloads`, or its `with(...)`. */
export interface StreamDecoders<Event> extends TradeDecoders {
  readonly module: ModuleDecoder<Event>
}

/** An item without its methods: any copy of it. */
export type ItemData<Item> = Item extends unknown ? Omit<Item, 'decode' | 'ack'> : never

/**
 * Decodes the payload of an item or of a copy of one, such as a worker receives it. Never throws; each call parses.
 *
 * @param decoders - Default: `payloads` of `@brokerwire/payloads`.
 *
 * @example
 * ```ts
 * import { decodeItem, type ItemData, type OrderItem } from '@brokerwire/streams'
 *
 * declare const item: OrderItem
 *
 * const copy: ItemData<OrderItem> = structuredClone(item)
 * console.log(decodeItem(copy).ok)
 * ```
 */
export function decodeItem(item: ItemData<OrderItem>, decoders?: TradeDecoders): DecodeResult<TradeEvent>
export function decodeItem(
  item: ItemData<PositionItem>,
  decoders?: TradeDecoders,
): DecodeResult<PositionEvent>
export function decodeItem(
  item: ItemData<OtherTradeItem>,
  decoders?: TradeDecoders,
): DecodeResult<UnknownPayload>
export function decodeItem<Event = ModuleEvent>(
  item: ItemData<ModuleItem<Event>>,
  decoders?: StreamDecoders<Event>,
): DecodeResult<Event>
export function decodeItem<Event = ModuleEvent>(
  item: ItemData<TradeStreamEvent | ModuleItem<Event>>,
  decoders?: StreamDecoders<Event>,
): DecodeResult<TradeEvent | PositionEvent | UnknownPayload | Event>
export function decodeItem(
  item: ItemData<TradeStreamEvent | ModuleItem<unknown>>,
  decoders: TradeDecoders & { readonly module?: ModuleDecoder<unknown> } = payloads,
): DecodeResult<unknown> {
  if (item.service === 'trade') return decodeTradeFrame(item.kind, item, decoders)
  return (decoders.module ?? payloads.module)(item)
}
