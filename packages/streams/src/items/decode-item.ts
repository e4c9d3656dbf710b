/** Decodes copies of items, made by spreading, `structuredClone` or JSON, in this process or another one. */
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

/** Decoders of all payloads: `payloads` of `@brokerwire/payloads`, or the result of its `with(...)`. */
export interface StreamDecoders<Event> extends TradeDecoders {
  /** Decodes the payload of a module event. */
  readonly module: ModuleDecoder<Event>
}

/** The data of an item, without its methods. A copy of an item has this type. */
export type ItemData<Item> = Item extends unknown ? Omit<Item, 'decode' | 'ack'> : never

/**
 * Decodes the payload of an item or of a copy of it, for example in a worker. Never throws. Each call decodes the payload again.
 * The result for an undecodable item has the error `PAYLOAD_UNDECODABLE`.
 *
 * @param decoders - The decoders to use. @defaultValue `payloads` of `@brokerwire/payloads`
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
  if (item.type === 'undecodable') return createFailure(item)
  if (item.service === 'trade') return decodeTradeFrame(item.kind, item, decoders)
  return (decoders.module ?? payloads.module)(item)
}

function createFailure({ message, reason }: UndecodableItem): DecodeResult<never> {
  const text = `the message with the payload cannot be decoded: ${message}`
  return {
    ok: false,
    error: new PayloadsError('PAYLOAD_UNDECODABLE', text, { details: { reason } }),
    raw: '',
  }
}
