/** The gap notice of a reader, and the times of the events around the gap. */
import type { RelayItem } from '../../wire/items.ts'
import type { ReaderGap } from '../../wire/notices.ts'

/** Times of an event. Milliseconds since the Unix epoch; `undefined` if unknown. */
export interface EventTimes {
  /** By the service's clock. */
  readonly serviceMs?: number | undefined
  /** By the clock of the relay's host. */
  readonly hostMs?: number | undefined
}

/**
 * Creates the notice of missing messages.
 *
 * @param before - Times of the last event before the missing messages, or of an earlier one.
 * @param after - Times of the first event after the missing messages.
 */
export function readerGap(
  missing: Pick<ReaderGap, 'cause' | 'fromSeq' | 'toSeq' | 'certain'>,
  before: EventTimes,
  after: EventTimes,
  atMs: number,
): ReaderGap {
  const [fromMs, toMs] = ordered(before.serviceMs, after.serviceMs)
  const [hostFromMs, hostToMs] = ordered(before.hostMs, after.hostMs)
  const bounds = { fromMs, toMs, hostFromMs, hostToMs, clockOffsetMs: undefined, eventTypes: undefined }
  return { type: 'notice', kind: 'gap', atMs, ...missing, ...bounds }
}

/**
 * Sorts two instants, because events may be redelivered with an earlier timestamp, and clocks may be set
 * back.
 */
function ordered(
  from: number | undefined,
  to: number | undefined,
): readonly [number | undefined, number | undefined] {
  return from === undefined || to === undefined || from <= to ? [from, to] : [to, from]
}

/** Returns the times of an item of the stream. */
export function itemTimes(item: RelayItem<unknown>): EventTimes {
  if (item.type === 'undecodable') return { hostMs: item.receivedAtMs }
  if (item.type !== 'notice') {
    const { timestamp, receivedAtMs } = item
    // The timestamp of a trade event is in milliseconds. That of a module event is an instant of ISO 8601.
    const serviceMs = /^\d+$/.test(timestamp) ? Number(timestamp) : Date.parse(timestamp)
    return { serviceMs: Number.isNaN(serviceMs) ? undefined : serviceMs, hostMs: receivedAtMs }
  }
  if (item.kind === 'gap' && 'certain' in item) return { serviceMs: item.toMs, hostMs: item.hostToMs }
  return { hostMs: item.atMs }
}
