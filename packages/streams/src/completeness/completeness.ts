/**
 * Instants up to which a stream is complete, and the bounds of gaps, by the service's clock and by this host's clock.
 *
 * The clocks may differ, and both may jump. A frame's timestamp is an instant by the service's clock. The clock offset is the
 * largest difference seen on a connection, because latency can only make the difference smaller.
 */
import type { NoticeBounds } from '../items/notices.ts'

/** An instant up to which a stream is complete, in milliseconds since the Unix epoch. */
export interface CompleteUntil {
  /** By the service's clock; `undefined` until a frame with a timestamp was received. */
  readonly serviceMs: number | undefined
  /** By this host's clock. */
  readonly hostMs: number
}

/** The stored form of {@link CompleteUntil}. */
export interface StoredCompleteness extends CompleteUntil {
  /** The last measured clock offset in milliseconds: the service's clock minus this host's clock. */
  readonly offsetMs: number | undefined
}

/**
 * Returns the clock offset after a frame.
 * @param offsetMs - The offset before the frame, measured on the same connection.
 */
export function measureOffset(
  offsetMs: number | undefined,
  { serviceMs, hostMs }: CompleteUntil,
): number | undefined {
  if (serviceMs === undefined) return offsetMs
  return Math.max(serviceMs - hostMs, offsetMs ?? Number.NEGATIVE_INFINITY)
}

/**
 * Returns the instant up to which the stream is complete after a frame. Frames arrive in the order sent, so
 * everything before the frame's timestamp was received.
 *
 * The instant never moves back when an old event is replayed. Once a timestamp is known, frames without one are ignored.
 *
 * @param frame - The frame's timestamp, and the time of receipt by this host's clock.
 * @param offsetMs - The clock offset after this frame.
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

/** Returns the earlier of two instants. */
export function earlier(one: CompleteUntil, other: CompleteUntil): CompleteUntil {
  if (one.serviceMs === undefined || other.serviceMs === undefined)
    return one.hostMs <= other.hostMs ? one : other
  return one.serviceMs <= other.serviceMs ? one : other
}

/**
 * Returns the bounds of a gap. If the clocks contradict each other, the start is the earliest candidate and the end the latest.
 *
 * @param from - The instant up to which the stream was complete.
 * @param to - The instant of the next subscription.
 * @param offsetMs - The last measured clock offset.
 */
export function gapBounds(
  from: CompleteUntil,
  to: CompleteUntil,
  offsetMs: number | undefined,
): NoticeBounds {
  const toServiceTime = ({ serviceMs, hostMs }: CompleteUntil): number =>
    serviceMs ?? hostMs + (offsetMs ?? 0)
  const start = toServiceTime(from)
  // Latency makes the measured offset too small, so without a timestamp the end is the latest candidate.
  const toMs = to.serviceMs ?? Math.max(toServiceTime(to), to.hostMs, start)
  // The start is later than the end if this host's clock was set back, or if a timestamp is in the future.
  const isContradiction = start > toServiceTime(to)
  const fromMs = isContradiction
    ? Math.min(from.hostMs, from.hostMs + (offsetMs ?? 0), toServiceTime(to))
    : start
  return {
    fromMs,
    toMs,
    hostFromMs: Math.min(from.hostMs, to.hostMs),
    hostToMs: Math.max(from.hostMs, to.hostMs),
    clockOffsetMs: offsetMs,
  }
}
