/**
 * An event as one readable line.
 *
 * Order events read as sentences; everything else lists its fields, so that modules and fields which nobody knew when
 * this was written are shown too. An event that cannot be decoded is a line as well, with the reason.
 */
import { isRecord } from '@brokerwire/core'
import type { PositionEvent, TradeEvent } from '@brokerwire/payloads'
import type { Brokerage } from '@brokerwire/client'
import type { Line } from './line.ts'
import type { Tone } from './palette.ts'

type ItemOf<Stream> = Stream extends AsyncIterable<infer Item> ? Item : never

/** An event of any stream. */
export type EventItem = Extract<
  ItemOf<ReturnType<Brokerage['tradeEvents']>> | ItemOf<ReturnType<Brokerage['moduleEvents']>>,
  { readonly type: 'event' }
>

/** What an event is called in one or two words: `partly filled`, `settled`, `funding TRANSFER`. */
export function eventName(item: EventItem): string {
  if (item.service === 'module') {
    const decoded = item.decode()
    return decoded.ok ? moduleName(decoded.value) : `${item.eventType} (not decodable)`
  }
  const code = `code ${item.eventType}`
  if (item.kind === 'order') {
    const decoded = item.decode()
    return decoded.ok ? orderName(decoded.value) : `${code} (not decodable)`
  }
  return item.kind === 'position' ? 'settled' : code
}

/** The line. */
export function eventLine(item: EventItem): Line {
  const line = (tag: string, text: string, tone: Tone): Line => ({ atMs: item.receivedAtMs, tag, text, tone })
  const decoded = item.decode()
  if (!decoded.ok) return line(item.kind, `not decodable: ${decoded.error.message}`, 'bad')
  if (item.service === 'module') {
    const event = decoded.value as { readonly payload?: unknown }
    return line('module', `${eventName(item)}: ${fieldsText(event.payload)}`, 'module')
  }
  switch (item.kind) {
    case 'order': {
      const order = decoded.value as TradeEvent
      return line('order', orderText(order), orderTone(order))
    }
    case 'position':
      return line('position', positionText(decoded.value as PositionEvent), 'good')
    default:
      return line(item.kind, `${eventName(item)}: ${fieldsText(decoded.value)}`, 'plain')
  }
}

const ORDER_NAMES: Readonly<Record<string, string>> = {
  FILLED: 'partly filled',
  FINAL_FILLED: 'filled',
  PLACE_FAILED: 'failed',
  MODIFY_SUCCESS: 'changed',
  MODIFY_FAILED: 'change refused',
  CANCEL_SUCCESS: 'cancelled',
  CANCEL_FAILED: 'cancel refused',
}

function orderName({ sceneType, orderStatus }: TradeEvent): string {
  if (sceneType === undefined) return orderStatus === 'SUBMITTED' ? 'placed' : String(orderStatus)
  return ORDER_NAMES[sceneType] ?? sceneType
}

function orderTone({ sceneType }: TradeEvent): Tone {
  if (sceneType === 'FILLED' || sceneType === 'FINAL_FILLED') return 'good'
  return sceneType === 'PLACE_FAILED' ? 'bad' : 'strong'
}

function orderText(order: TradeEvent): string {
  const isFill = order.sceneType === 'FILLED' || order.sceneType === 'FINAL_FILLED'
  const fill = isFill ? `, ${order.filledQty} at ${order.filledPrice}` : ''
  return `${orderName(order).padEnd(14)} ${order.side} ${order.qty} ${order.symbol} ${order.orderType}${fill}`
}
