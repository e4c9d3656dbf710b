/**
 * The summary of an event in one line, for the command line and the simulator's console.
 *
 * The summary of an order or a settlement is a phrase. The summary of any other event is a list of its
 * fields. An event that cannot be decoded has a summary with the reason.
 */
import type { DecodeResult } from '../decode.ts'
import type { ModuleEvent } from '../modules/module-event.ts'
import type { PositionEvent, TradeEvent, UnknownPayload } from '../trade-frames.ts'
import { fieldsText } from './fields.ts'
import { plainDecimal } from './plain-decimal.ts'

/** An event of any stream, with the properties that a summary needs. */
export type SummarizedEvent =
  | { readonly service: 'module'; readonly kind: string; decode(): DecodeResult<ModuleEvent> }
  | { readonly service: 'trade'; readonly kind: 'order'; decode(): DecodeResult<TradeEvent> }
  | { readonly service: 'trade'; readonly kind: 'position'; decode(): DecodeResult<PositionEvent> }
  | {
      readonly service: 'trade'
      readonly kind: 'option' | 'unknown'
      readonly eventType: number
      decode(): DecodeResult<UnknownPayload>
    }

/** The tone of an event, for its color. */
export type SummaryTone = 'good' | 'bad' | 'strong' | 'module' | 'plain'

/** The summary of an event. */
export interface EventSummary {
  /** Name of the event in one or two words: `partly filled`, `settled`, `funding TRANSFER`. */
  readonly name: string
  /** The whole line, which begins with the name. */
  readonly text: string
  /** Tone of the event, for its color. */
  readonly tone: SummaryTone
}

/** Options of {@link summarizeEvent}. */
export interface SummaryOptions {
  /** Width of the names of orders and positions in characters, to align lines. @defaultValue 0 */
  readonly nameWidth?: number | undefined
}

/**
 * Summarizes an event: `filled BUY 416 TSLA LIMIT, 416 at 411.08 (order …665544, account …567890)`. Decimals have no exponents.
 */
export function summarizeEvent(event: SummarizedEvent, { nameWidth = 0 }: SummaryOptions = {}): EventSummary {
  if (event.service === 'module') return summarize(event.decode(), summarizeModule)
  if (event.kind === 'order')
    return summarize(event.decode(), (order) => padded(summarizeOrder(order), nameWidth))
  if (event.kind === 'position')
    return summarize(event.decode(), (position) => padded(summarizePosition(position), nameWidth))
  const name = `code ${event.eventType}`
  return summarize(event.decode(), (value) => ({
    name,
    text: `${name}: ${fieldsText(value.format === 'json' ? value.json : value.raw)}`,
    tone: 'plain',
  }))
}

function summarize<T>(result: DecodeResult<T>, make: (value: T) => EventSummary): EventSummary {
  if (result.ok) return make(result.value)
  return { name: 'not decodable', text: `not decodable: ${result.error.message}`, tone: 'bad' }
}

function padded({ name, text, tone }: EventSummary, nameWidth: number): EventSummary {
  return { name, text: name.padEnd(nameWidth) + text.slice(name.length), tone }
}

/**
 * The name and the tone of each scene. It is a map and not an object, because the service chooses the key,
 * which may be `__proto__`.
 */
const SCENES: ReadonlyMap<string | undefined, readonly [name: string, tone: SummaryTone]> = new Map([
  ['FILLED', ['partly filled', 'good']],
  ['FINAL_FILLED', ['filled', 'good']],
  ['PLACE_FAILED', ['failed', 'bad']],
  ['MODIFY_SUCCESS', ['changed', 'strong']],
  ['MODIFY_FAILED', ['change rejected', 'bad']],
  ['CANCEL_SUCCESS', ['cancelled', 'strong']],
  ['CANCEL_FAILED', ['cancel rejected', 'bad']],
])

function summarizeOrder(order: TradeEvent): EventSummary {
  const { sceneType, orderStatus } = order
  const placed = sceneType === undefined && orderStatus === 'SUBMITTED'
  const [name, tone] = SCENES.get(sceneType) ?? [placed ? 'placed' : (sceneType ?? orderStatus), 'strong']
  const isFill = sceneType === 'FILLED' || sceneType === 'FINAL_FILLED'
  const fill = isFill ? `, ${plainDecimal(order.filledQty)} at ${plainDecimal(order.filledPrice)}` : ''
  const ids = `order ${shortenId(order.orderId)}, account ${shortenId(order.accountId)}`
  const asked = `${order.side} ${plainDecimal(order.qty)} ${order.symbol} ${order.orderType}`
  return { name, text: `${name} ${asked}${fill} (${ids})`, tone }
}

const ID_CHARACTERS = 6

/** Shortens an identifier to its end, because similar identifiers differ at the end. */
function shortenId(id = '-'): string {
  return id.length > ID_CHARACTERS + 2 ? `\u2026${id.slice(-ID_CHARACTERS)}` : id
}

function summarizePosition(position: PositionEvent): EventSummary {
  const { eventName, yesCondition, settleSide, settleResult } = position
  const quantity = plainDecimal(position.quantity)
  const amount = plainDecimal(position.settleAmount)
  const name = 'settled'
  const text = `${name} ${eventName} (${yesCondition}): ${settleResult}; ${quantity} ${settleSide} for ${amount}`
  return { name, text, tone: 'good' }
}

function summarizeModule(event: ModuleEvent): EventSummary {
  const module = event.module === 'unknown' ? event.eventType : event.module
  const name = `${module} ${event.bizType ?? ''}`.trimEnd()
  return { name, text: `${name}: ${fieldsText(event.payload)}`, tone: 'module' }
}
