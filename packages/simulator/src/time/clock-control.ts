/**
 * Advances a clock timer by timer. Before each timer fires, the advance waits until the effects of the
 * previous timer have ended.
 */

import type { Clock } from '@brokerwire/core'
import { received } from '@brokerwire/core/internal'
import { argumentFailure, SimulatorError } from '../simulator-error.ts'
import { MAX_TIME_MS, type OffsetClock } from './offset-clock.ts'

/** A clock that only moves in steps, like `createVirtualClock()` of `@brokerwire/core/testing`. */
interface SteppedClock extends Clock {
  advanceToNextTimer(): Promise<boolean>
  advance(ms: number): Promise<void>
}

const isOffsetClock = (clock: Clock): clock is OffsetClock => 'step' in clock && 'offsetMs' in clock
const isSteppedClock = (clock: Clock): clock is SteppedClock =>
  'advanceToNextTimer' in clock && typeof clock.advanceToNextTimer === 'function' && 'advance' in clock

/** Maximum time by which one call advances the clock. */
const MAX_ADVANCE_MS = 366 * 86_400_000

/** Validates the argument of an advance: whole milliseconds, because timestamps on the wire are integers. */
export function validateMs(clock: Clock, ms: number): number {
  if (!(Number.isSafeInteger(ms) && ms >= 0 && ms <= MAX_ADVANCE_MS)) {
    throw argumentFailure('ms', `whole milliseconds from 0 to ${MAX_ADVANCE_MS}`, received(ms))
  }
  if (clock.now() + ms <= MAX_TIME_MS) return ms
  throw argumentFailure('ms', 'at most the time until the year 10000', 'more')
}

/** Dependencies of an advance. */
export interface AdvanceClockOptions {
  /**
   * Waits until there is no more activity.
   *
   * @param isFirst - `true` before the clock is moved for the first time, `false` later.
   */
  readonly settle: (isFirst: boolean) => Promise<void>
  /** Called before the clock is moved, with the end of the advance. */
  readonly onBegin: (untilMs: number) => void
}

/** Advances `clock` by `ms`. */
export async function advanceClock(
  clock: Clock,
  ms: number,
  { settle, onBegin }: AdvanceClockOptions,
): Promise<void> {
  await settle(true)
  const nowMs = clock.now()
  // The end is limited again, because another advance may have moved the clock while this one waited.
  const untilMs = Math.min(nowMs + ms, MAX_TIME_MS)
  onBegin(untilMs)
  if (isOffsetClock(clock)) {
    try {
      while (clock.step(untilMs)) await settle(false)
    } finally {
      clock.resumeTimers()
    }
  } else if (isSteppedClock(clock)) {
    let isReached = false
    // This timer is due at the end of the advance. Timers for the same time that were set earlier fire before
    // it. Timers that were set later fire in `advance(0)` below.
    const cancel = clock.setTimer(() => {
      isReached = true
    }, untilMs - nowMs)
    try {
      while (!isReached) {
        await clock.advanceToNextTimer()
        await settle(false)
      }
    } finally {
      cancel()
    }
    await clock.advance(0)
  } else {
    throw new SimulatorError(
      'SIMULATOR_CLOCK_FIXED',
      'advance: the clock of this simulator cannot be moved',
      {
        details: { expected: 'no option clock, or one of createVirtualClock() of @brokerwire/core/testing' },
      },
    )
  }
  await settle(false)
}
