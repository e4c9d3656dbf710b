/**
 * Limits the scenario steps during an advance of the clock: after the limit the scenario pauses until the advance has
 * ended. Fifteen days are five million steps of an endless scenario, and time-dependent results need none of them.
 */
import type { Clock } from '@brokerwire/core'

/** Progress of a scenario during an advance of the clock. */
export interface AdvanceProgress {
  /** Number of executed steps. */
  readonly steps: number
  /** Milliseconds at the end of the advance in which the scenario was paused. */
  readonly pausedMs: number
}

/** Limits the scenarios of one simulator. */
export interface StepLimiter {
  /**
   * Begins an advance of the clock. A nested advance keeps the limit of the outer one.
   *
   * @param maxSteps - Limit of steps in the advance.
   * @returns Ends the advance.
   */
  begin(maxSteps: number): () => AdvanceProgress
  /**
   * Counts a step that is due. Returns `undefined` if it may be executed now.
   *
   * @param resume - Otherwise called at the end of the advance.
   * @returns Cancels the call of `resume`.
   */
  pauseIfLimited(resume: () => void): (() => void) | undefined
}

/** Creates the limiter. */
export function createStepLimiter(clock: Clock): StepLimiter {
  let openAdvances = 0
  let executed = 0
  let limit = Number.POSITIVE_INFINITY
  let paused: { readonly resume: () => void; readonly sinceMs: number } | undefined
  return {
    begin(maxSteps) {
      const before = executed
      if (openAdvances === 0) limit = executed + maxSteps
      openAdvances += 1
      return () => {
        openAdvances -= 1
        const pausedMs = paused === undefined ? 0 : clock.now() - paused.sinceMs
        if (openAdvances === 0) {
          limit = Number.POSITIVE_INFINITY
          const last = paused
          paused = undefined
          last?.resume()
        }
        return { steps: executed - before, pausedMs }
      }
    },
    pauseIfLimited(resume) {
      if (executed < limit) {
        executed += 1
        return undefined
      }
      const entry = { resume, sinceMs: clock.now() }
      paused = entry
      return () => {
        if (paused === entry) paused = undefined
      }
    },
  }
}
