/**
 * Until when a stream was complete, and the bounds of a gap, by the clocks of the service and of this host.
 *
 * The two clocks may differ, and both may jump. An instant by the service's clock comes from the timestamp of a frame. The
 * offset between the clocks is the largest difference seen on a connection, because latency only makes it smaller.
 */

import type { NoticeBounds } from '../items/notices.ts'

/** An instant until which a stream was complete. Milliseconds since the Unix epoch. */
export interface CompleteUntil {
  /** By the service's clock; `undefined` until a frame with a timestamp was received. */
  readonly serviceMs: number | undefined
  /** By this host's clock. */
  readonly hostMs: number
}

/** {@link CompleteUntil} as it is stored, with the offset that was measured last: service minus host. */
export interface StoredCompleteness extends CompleteUntil {
  readonly offsetMs: number | undefined
}

/** The offset after a frame. @param offsetMs - Before it, on the same connection. */
export function measureOffset(
  offsetMs: number | undefined,
  { serviceMs, hostMs }: CompleteUntil,
): number | undefined {
  if (serviceMs === undefined) return offsetMs
  return Math.max(serviceMs - hostMs, offsetMs ?? Number.NEGATIVE_INFINITY)
}

/**
 * Advances to a frame. Frames arrive in the order in which they were sent, so everything before its timestamp has arrived.
 *
 * An old event that is sent again moves nothing back, and a frame without a timestamp shows nothing once others have one.
 *
 * @param frame - Its timestamp, and this host's clock at its receipt.
 * @param offsetMs - Measured with this frame.
 */
export function advance(
  before: CompleteUntil,
  frame: CompleteUntil,
  offsetMs: number | undefined,
): CompleteUntil {
  const { serviceMs, hostMs } = frame
  if (serviceMs === undefined) return before.serviceMs === undefined ? frame : before
  if (before.serviceMs !== undefined && serviceMs <= before.serviceMs) return before
  return { serviceMs, hostMs: Math.min(hostMs, serviceMs - (offsetMs ?? serviceMs - hostMs)) }
}

/** The earlier of two instants. */
export function earlier(one: CompleteUntil, other: CompleteUntil): CompleteUntil {
  if (one.serviceMs === undefined || other.serviceMs === undefined)
    return one.hostMs <= other.hostMs ? one : other
  return one.serviceMs <= other.serviceMs ? one : other
}

/**
 * The bounds of a gap. If the clocks contradict each other, the start is the earliest candidate and the end the latest.
 *
 * @param from - Until when the stream was complete before.
 * @param to - When it was subscribed again.
 * @param offsetMs - The last one that was measured.
 */
export function gapBounds(
  from: CompleteUntil,
  to: CompleteUntil,
  offsetMs: number | undefined,
): NoticeBounds {
  const byService = ({ serviceMs, hostMs }: CompleteUntil): number => serviceMs ?? hostMs + (offsetMs ?? 0)
  const start = byService(from)
  // The offset is a lower bound, so an end that has no timestamp is the latest candidate.
  const toMs = to.serviceMs ?? Math.max(byService(to), to.hostMs, start)
  // The host's clock was set back, or a timestamp lies in the future.
  const isContradiction = start > byService(to)
  const fromMs = isContradiction ? Math.min(from.hostMs, from.hostMs + (offsetMs ?? 0), byService(to)) : start
  return {
    fromMs,
    toMs,
    hostFromMs: Math.min(from.hostMs, to.hostMs),
    hostToMs: Math.max(from.hostMs, to.hostMs),
    clockOffsetMs: offsetMs,
  }
}
