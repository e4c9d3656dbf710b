/** Decodes items that are plain data: copies by spreading, `structuredClone` or JSON, in this process or another one. */
import {
  type DecodeResult,
  type ModuleEvent,
  PayloadsError,
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
import type { UndecodableItem } from './undecodable-item.ts'

/** Decoders of payloads: `payloads` of `@brokerwire/payloads`, or its `with(...)`. */
export interface StreamDecoders<Event> extends TradeDecoders {
  readonly module: ModuleDecoder<Event>
}

/** An item without its methods: any copy of it. */
export type ItemData<Item> = Item extends unknown ? Omit<Item, 'decode' | 'ack'> : never

/**
 * Decodes the payload of an item or of a copy of one, such as a worker receives it. Never throws; each call parses. An
 * undecodable item gives the error `PAYLOAD_UNDECODABLE`.
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
export function decodeItem(item: UndecodableItem, decoders?: TradeDecoders): DecodeResult<never>
export function decodeItem<Event = ModuleEvent>(
  item: ItemData<TradeStreamEvent | ModuleItem<Event> | UndecodableItem>,
  decoders?: StreamDecoders<Event>,
): DecodeResult<TradeEvent | PositionEvent | UnknownPayload | Event>
export function decodeItem(
  item: ItemData<TradeStreamEvent | ModuleItem<unknown> | UndecodableItem>,
  decoders: TradeDecoders & { readonly module?: ModuleDecoder<unknown> } = payloads,
): DecodeResult<unknown> {
  if (item.type === 'undecodable') return undecodable(item)
  if (item.service === 'trade') return decodeTradeFrame(item.kind, item, decoders)
  return (decoders.module ?? payloads.module)(item)
}

function undecodable({ message, reason }: UndecodableItem): DecodeResult<never> {
  const text = `the message of the payload cannot be decoded: ${message}`
  return {
    ok: false,
    error: new PayloadsError('PAYLOAD_UNDECODABLE', text, { details: { reason } }),
    raw: '',
  }
}
