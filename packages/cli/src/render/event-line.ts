/** An event as one line of output. */
import { type EventSummary, summarizeEvent } from '@brokerwire/payloads/internal'
import type { EventItem } from '../stream-item.ts'
import type { Line } from './line.ts'

/** Properties of an event that a line shows. */
export type DescribedEvent = EventItem extends infer Item
  ? Item extends EventItem
    ? Pick<Item, 'service' | 'kind' | 'eventType' | 'decode'>
    : never
  : never

/** Width of the names of orders and positions, for alignment. */
const NAME_WIDTH = 14

const summarize = (item: DescribedEvent): EventSummary => summarizeEvent(item, { nameWidth: NAME_WIDTH })

/** Returns the name under which an event is counted. */
export function eventName(item: DescribedEvent): string {
  return summarize(item).name
}

/**
 * Creates the line of an event.
 *
 * @param at - Time of the event, or other text.
 */
export function eventLine(item: DescribedEvent, at: number | string): Line {
  const { text, tone } = summarize(item)
  return { at, tag: item.kind, text, tone }
}
