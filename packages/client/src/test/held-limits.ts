/**
 * Limits of attempts that end when a test says so, instead of after a time that a busy machine may need for something
 * else. They are told apart from every other timer by their length.
 */
import { type Clock, systemClock } from '@brokerwire/core'

/** A clock whose timers of one length are in a test's hand. */
export interface HeldLimits {
  readonly clock: Clock
  /** Fires all of them that are set. */
  end(): void
}

/** @param limitMs - Their length: one that nothing else waits for. */
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
