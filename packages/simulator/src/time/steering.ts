/** Moves a clock on, timer by timer, and lets what each timer started come to rest before the next one. */

import type { Clock } from '@brokerwire/core'
import { received } from '@brokerwire/core/internal'
import { argumentFailure, SimulatorError } from '../simulator-error.ts'
import { LATEST_MS, type OffsetClock } from './offset-clock.ts'

/** A clock that stands still but for its steps, as `createVirtualClock()` of `@brokerwire/core/testing` makes one. */
interface SteppedClock extends Clock {
  advanceToNextTimer(): Promise<boolean>
  advance(ms: number): Promise<void>
}

const isOffsetClock = (clock: Clock): clock is OffsetClock => 'step' in clock && 'offsetMs' in clock
const isSteppedClock = (clock: Clock): clock is SteppedClock =>
  'advanceToNextTimer' in clock && typeof clock.advanceToNextTimer === 'function' && 'advance' in clock

/** The longest time that one call may pass over. */
const LONGEST_MS = 366 * 86_400_000

/** How far a clock may be moved: half a millisecond would stand in times that are written as whole ones. */
export function requireMs(clock: Clock, ms: number): number {
  if (!(Number.isSafeInteger(ms) && ms >= 0 && ms <= LONGEST_MS)) {
    throw argumentFailure('ms', `whole milliseconds from 0 to ${LONGEST_MS}`, received(ms))
  }
  if (clock.now() + ms <= LATEST_MS) return ms
  throw argumentFailure('ms', 'an end before the year 10000', 'a later one')
}

/** What a move of the clock asks of its caller. */
export interface SteerOptions {
  /** Waits until nothing moves any more. @param isFirst - Whether the clock was not moved before it. */
  readonly settle: (isFirst: boolean) => Promise<void>
  /** The clock is moved from now on, until this instant. */
  readonly onBegin: (untilMs: number) => void
}

/** Moves `clock` on by `ms`. */
export async function steer(clock: Clock, ms: number, { settle, onBegin }: SteerOptions): Promise<void> {
  await settle(true)
  const nowMs = clock.now()
  // Another move may have ended meanwhile.
  const untilMs = Math.min(nowMs + ms, LATEST_MS)
  onBegin(untilMs)
  if (isOffsetClock(clock)) {
    try {
      while (clock.step(untilMs)) await settle(false)
    } finally {
      clock.rest()
    }
  } else if (isSteppedClock(clock)) {
    let isThere = false
    // Timers of the same instant that were set before this one fire before it; those set later by `advance(0)` below.
    const cancel = clock.setTimer(() => {
      isThere = true
    }, untilMs - nowMs)
    try {
      while (!isThere) {
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
