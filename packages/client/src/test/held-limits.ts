/**
 * Time limits of attempts that a test fires, because a busy machine may need longer than a fixed time. They are recognized by their
 * length.
 */
import { type Clock, systemClock } from '@brokerwire/core'

/** A clock whose timers of one length are fired by a test. */
export interface HeldLimits {
  readonly clock: Clock
  /** Fires all running timers of that length. */
  end(): void
}

/** @param limitMs - A length in milliseconds that no other timer has. */
export function holdLimits(limitMs: number, { now, setTimer }: Clock = systemClock): HeldLimits {
  const limits = new Set<() => void>()
  return {
    clock: {
      now,
      setTimer(callback, delayMs) {
        if (delayMs !== limitMs) return setTimer(callback, delayMs)
        limits.add(callback)
        return () => void limits.delete(callback)
      },
    },
    end() {
      for (const end of limits) end()
    },
  }
}
