/**
 * Limits the number of scenario steps during an advance of the clock. When the limit is reached, the scenario
 * pauses until the advance has ended. In fifteen days an endless scenario has five million steps, and no
 * result that depends only on time needs these steps.
 */
import type { Clock } from '@brokerwire/core'

/** Progress of a scenario during an advance of the clock. */
export interface AdvanceProgress {
  /** Number of executed steps. */
  readonly steps: number
  /** Milliseconds for which the scenario was paused, up to the end of the advance. */
  readonly pausedMs: number
}

/** Limits the scenarios of one simulator. */
export interface StepLimiter {
  /**
   * Starts an advance of the clock. If an advance starts during another one, the limit of the outer advance
   * applies to both.
   *
   * @param maxSteps - Maximum number of steps in the advance.
   * @returns A function that ends the advance.
   */
  begin(maxSteps: number): () => AdvanceProgress
  /**
   * Counts a step that is due, and decides whether it may be executed now or must wait.
   *
   * @param resume - Called at the end of the advance if the step must wait.
   * @returns If the step must wait, a function that cancels the call of `resume`. Otherwise `undefined`.
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
