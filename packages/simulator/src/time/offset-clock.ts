/** The host's clock with an adjustable offset: the simulator's default clock. */
import { type Clock, systemClock } from '@brokerwire/core'

/**
 * The last millisecond of the year 9999. A clock cannot be moved further, because an HTTP header could not
 * contain its date.
 */
export const MAX_TIME_MS = 253_402_300_799_999

/** The last timestamp of an ECMAScript `Date`. */
export const MAX_DATE_MS = 8_640_000_000_000_000

/** A running clock that can be moved forward. */
export interface OffsetClock extends Clock {
  /** Offset from the host's clock. */
  readonly offsetMs: number
  /**
   * Moves the clock to the time of the earliest timer that is due by `untilMs` and fires this timer. If no
   * timer is due, moves the clock to `untilMs`. Until {@link OffsetClock.resumeTimers} is called, other
   * timers fire only in these steps.
   *
   * @returns Whether a timer was fired.
   */
  step(untilMs: number): boolean
  /** Starts the remaining timers again, so that they fire by the host's clock. */
  resumeTimers(): void
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
  cancel: () => void
}

/**
 * Creates the clock.
 *
 * @param startMs - The initial offset.
 * @param base - The clock to which the offset is added.
 */
export function createOffsetClock(startMs = 0, base: Clock = systemClock): OffsetClock {
  let offsetMs = startMs
  const timers = new Set<Timer>()
  const now = (): number => base.now() + offsetMs
  const startTimer = (timer: Timer): void => {
    timer.cancel = base.setTimer(() => {
      timers.delete(timer)
      timer.callback()
    }, timer.dueMs - now())
  }
  const moveTo = (untilMs: number): void => {
    const aheadMs = untilMs - now()
    if (aheadMs > 0) offsetMs += aheadMs
  }
  return {
    now,
    get offsetMs() {
      return offsetMs
    },
    setTimer(callback, delayMs) {
      const dueMs = now() + (Number.isNaN(delayMs) ? 0 : Math.max(delayMs, 0))
      const timer: Timer = { dueMs, callback, cancel: () => undefined }
      timers.add(timer)
      startTimer(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    step(untilMs) {
      let next: Timer | undefined
      for (const timer of timers) if (next === undefined || timer.dueMs < next.dueMs) next = timer
      if (next === undefined || next.dueMs > untilMs) {
        moveTo(untilMs)
        return false
      }
      moveTo(next.dueMs)
      next.cancel()
      timers.delete(next)
      next.callback()
      return true
    },
    resumeTimers() {
      for (const timer of timers) {
        timer.cancel()
        startTimer(timer)
      }
    },
  }
}
