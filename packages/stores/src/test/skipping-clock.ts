/**
 * A clock for a test that waits for timers and for the disk: each timer fires at once, and time advances by its delay.
 *
 * The virtual clock advances when no work is pending, and does not notice that a file is still being read.
 */
import type { Clock } from '@brokerwire/core'

/**
 * @param onTime - Called with the milliseconds that have passed, before each timer fires.
 */
export function createSkippingClock(onTime: (passedMs: number) => void = () => undefined): Clock & {
  readonly passedMs: number
} {
  const start = Date.UTC(2026, 0, 1)
  let passedMs = 0
  return {
    now: () => start + passedMs,
    get passedMs() {
      return passedMs
    },
    setTimer(callback, delayMs) {
      const handle = setImmediate(() => {
        passedMs += delayMs
        onTime(passedMs)
        callback()
      })
      return () => clearImmediate(handle)
    },
  }
}
