/**
 * A clock that a test advances, for tests without real waiting. Between two timers the clock lets pending
 * promises settle, so that work that a timer starts can set the next timer. The clock cannot wait for work
 * outside of the event loop, such as that of a thread pool or a socket. A test of such code must wait for the
 * result of the work instead.
 */
import { type Clock, timerDelay } from '../time/clock.ts'
import { createTimerQueue, type Timer } from './timer-queue.ts'

/** A {@link Clock} that a test controls. */
export interface VirtualClock extends Clock {
  /** Number of timers that have not fired. */
  readonly pendingTimers: number
  /** Advances the time by `ms` milliseconds, and fires each timer at its time, in order. */
  advance(ms: number): Promise<void>
  /** Advances the time to the next timer and fires it. @returns Whether there was a timer. */
  advanceToNextTimer(): Promise<boolean>
  /** Sets the time without firing timers, as when a host's clock is corrected. */
  jumpTo(epochMs: number): void
  /** Lets pending promises settle, without advancing the time. */
  settle(): Promise<void>
}

declare const setTimeout: (callback: () => void, delayMs: number) => unknown
declare const setImmediate: ((callback: () => void) => unknown) | undefined

/** Waits for one turn of the host's event loop, in which promises and, on Node, finished I/O settle. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

/**
 * Creates a virtual clock.
 *
 * @param startMs - Milliseconds since the Unix epoch.
 * @defaultValue startMs 2026-01-01T00:00:00Z
 *
 * @example
 * ```ts
 * import { createVirtualClock } from '@brokerwire/core/testing'
 *
 * const clock = createVirtualClock()
 * let fired = false
 * clock.setTimer(() => {
 *   fired = true
 * }, 60_000)
 * await clock.advance(60_000)
 * console.log(fired) // true
 * ```
 */
export function createVirtualClock(startMs = Date.UTC(2026, 0, 1)): VirtualClock {
  let wallMs = startMs
  let elapsedMs = 0
  let order = 0
  /** Timers that will fire. A cancelled timer stays in the queue until it is the first one. */
  const timers = new Set<Timer>()
  const queue = createTimerQueue()

  const settle = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1) await turn()
  }
  const nextTimer = (): Timer | undefined => {
    for (let first = queue.first(); first !== undefined; first = queue.first()) {
      if (timers.has(first)) return first
      queue.removeFirst()
    }
    return undefined
  }
  const moveTo = (at: number): void => {
    wallMs += at - elapsedMs
    elapsedMs = at
  }
  const fire = async (timer: Timer): Promise<void> => {
    moveTo(Math.max(timer.at, elapsedMs))
    timers.delete(timer)
    timer.callback()
    await settle()
  }

  return {
    now: () => wallMs,
    get pendingTimers() {
      return timers.size
    },
    setTimer(callback, delayMs) {
      order += 1
      const timer: Timer = { at: elapsedMs + timerDelay(delayMs), order, callback }
      timers.add(timer)
      queue.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    async advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms)))
        throw new RangeError('ms must be a finite number of milliseconds, 0 or more')
      const end = elapsedMs + ms
      await settle()
      for (let timer = nextTimer(); timer !== undefined && timer.at <= end; timer = nextTimer())
        await fire(timer)
      moveTo(end)
      await settle()
    },
    async advanceToNextTimer() {
      await settle()
      const timer = nextTimer()
      if (timer === undefined || timer.at === Number.POSITIVE_INFINITY) return false
      await fire(timer)
      return true
    },
    jumpTo(epochMs) {
      wallMs = epochMs
    },
    settle,
  }
}
