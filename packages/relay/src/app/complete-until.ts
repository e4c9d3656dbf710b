/**
 * Calculates until when a subscription was complete, on two clocks, and the bounds of the gap after that.
 * Pure.
 *
 * A backfill requests events by the service's clock. The host's clock may differ by minutes, or be set back.
 */
import type { NoticeBounds } from '@brokerwire/streams'
import type { CompleteUntil } from '../wire/notices.ts'

/** The time by which both bounds of a gap are widened, for events in transit. */
export const MARGIN_MS = 5000

/**
 * Returns an instant of the host's clock on both clocks.
 *
 * @param clockOffsetMs - The service's clock minus the host's.
 */
export function completeUntilHost(hostMs: number, clockOffsetMs: number | undefined): CompleteUntil {
  return { untilMs: hostMs + (clockOffsetMs ?? 0), hostUntilMs: hostMs, clockOffsetMs }
}

/** Returns the instant that is later by the service's clock. */
export function laterOf(
  one: CompleteUntil | undefined,
  other: CompleteUntil | undefined,
): CompleteUntil | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return other.untilMs > one.untilMs ? other : one
}

/** Returns the earlier of two instants, for each clock separately. */
export function earlierOf(one: CompleteUntil, other: CompleteUntil): CompleteUntil {
  return {
    untilMs: Math.min(one.untilMs, other.untilMs),
    hostUntilMs: Math.min(one.hostUntilMs, other.hostUntilMs),
    clockOffsetMs: one.clockOffsetMs ?? other.clockOffsetMs,
  }
}

/** Returns the bounds of the gap between the end of one complete period and the start of the next. */
export function gapBounds(
  from: CompleteUntil,
  to: { readonly hostMs: number; readonly clockOffsetMs: number | undefined },
  marginMs: number,
): NoticeBounds {
  const { clockOffsetMs = from.clockOffsetMs } = to
  // If an offset was not measured, either clock may be right, so take the widest bounds.
  const instants = [from.untilMs, to.hostMs + (clockOffsetMs ?? 0)]
  if (from.clockOffsetMs === undefined) instants.push(from.hostUntilMs + (clockOffsetMs ?? 0))
  if (to.clockOffsetMs === undefined) instants.push(to.hostMs)
  const hostInstants = [from.hostUntilMs, to.hostMs]
  return {
    fromMs: Math.min(...instants) - marginMs,
    toMs: Math.max(...instants) + marginMs,
    hostFromMs: Math.min(...hostInstants) - marginMs,
    hostToMs: Math.max(...hostInstants) + marginMs,
    clockOffsetMs,
  }
}
