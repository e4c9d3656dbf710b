/**
 * An event as one readable line.
 *
 * Orders and settlements read as sentences, everything else lists its fields. An event that cannot be decoded is a
 * line as well, with the reason: it was received.
 */
import {
  type Decimal,
  decimalToPlain,
  type ModuleEvent,
  type PositionEvent,
  type TradeEvent,
} from '@brokerwire/payloads'
import type { EventItem } from '../stream-item.ts'
import { fieldsText } from './fields.ts'
import type { Line } from './line.ts'
import type { Tone } from './palette.ts'

interface Description {
  /** In one or two words: `partly filled`, `settled`, `funding TRANSFER`. */
  readonly name: string
  readonly text: string
  readonly tone: Tone
}

/** What a line of an event is made of. */
export type DescribedEvent = EventItem extends infer Item
  ? Item extends EventItem
    ? Pick<Item, 'service' | 'kind' | 'eventType' | 'decode'>
    : never
  : never

/** What an event is called, for counting. */
export function eventName(item: DescribedEvent): string {
  return describeEvent(item).name
}

/** The line of an event. @param at - Its time, or what stands there. */
export function eventLine(item: DescribedEvent, at: number | string): Line {
  const { text, tone } = describeEvent(item)
  return { at, tag: item.kind, text, tone }
}

function describeEvent(item: DescribedEvent): Description {
  const undecodable = (error: Error): Description => ({
    name: 'not decodable',
    text: `not decodable: ${error.message}`,
    tone: 'bad',
  })
  if (item.service === 'module') {
    const event = item.decode()
    return event.ok ? describeModule(event.value) : undecodable(event.error)
  }
  switch (item.kind) {
    case 'order': {
      const order = item.decode()
      return order.ok ? describeOrder(order.value) : undecodable(order.error)
    }
    case 'position': {
      const position = item.decode()
      return position.ok ? describePosition(position.value) : undecodable(position.error)
    }
    default: {
      const other = item.decode()
      if (!other.ok) return undecodable(other.error)
      const name = `code ${item.eventType}`
      const { value } = other
      return {
        name,
        text: `${name}: ${fieldsText(value.format === 'json' ? value.json : value.raw)}`,
        tone: 'plain',
      }
    }
  }
}

/** A map: the service writes the key, and `__proto__` is nobody's scene. */
const SCENES: ReadonlyMap<string | undefined, readonly [name: string, tone: Tone]> = new Map([
  ['FILLED', ['partly filled', 'good']],
  ['FINAL_FILLED', ['filled', 'good']],
  ['PLACE_FAILED', ['failed', 'bad']],
  ['MODIFY_SUCCESS', ['changed', 'strong']],
  ['MODIFY_FAILED', ['change refused', 'bad']],
  ['CANCEL_SUCCESS', ['cancelled', 'strong']],
  ['CANCEL_FAILED', ['cancel refused', 'bad']],
])

function describeOrder(order: TradeEvent): Description {
  const { sceneType, orderStatus } = order
  const placed = sceneType === undefined && orderStatus === 'SUBMITTED'
  const [name, tone] = SCENES.get(sceneType) ?? [placed ? 'placed' : (sceneType ?? orderStatus), 'strong']
  const isFill = sceneType === 'FILLED' || sceneType === 'FINAL_FILLED'
  const fill = isFill ? `, ${plain(order.filledQty)} at ${plain(order.filledPrice)}` : ''
  const whose = `order ${shortened(order.orderId)}, account ${shortened(order.accountId)}`
  const text = `${name.padEnd(14)} ${order.side} ${plain(order.qty)} ${order.symbol} ${order.orderType}${fill} (${whose})`
  return { name, text, tone }
}

const SHOWN_OF_ID = 6

/** The end of an identifier, which tells neighbours apart. */
function shortened(id = '-'): string {
  return id.length > SHOWN_OF_ID + 2 ? `\u2026${id.slice(-SHOWN_OF_ID)}` : id
}

/** A decimal without exponent and trailing zeros; what is none stays as it is. */
function plain(value: Decimal | undefined): string {
  if (value === undefined) return '-'
  const text = decimalToPlain(value)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function describePosition(position: PositionEvent): Description {
  const { eventName: title, yesCondition, settleSide, settleResult, quantity, settleAmount } = position
  const text = `settled        ${title} (${yesCondition}): ${settleResult}; ${quantity} ${settleSide} for ${settleAmount}`
  return { name: 'settled', text, tone: 'good' }
}

function describeModule(event: ModuleEvent): Description {
  const name =
    `${event.module === 'unknown' ? event.eventType : event.module} ${event.bizType ?? ''}`.trimEnd()
  return { name, text: `${name}: ${fieldsText(event.payload)}`, tone: 'module' }
}
