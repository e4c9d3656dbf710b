/**
 * Limits the scenario steps during an advance of the clock: after the limit the scenario pauses until the advance has
 * ended. Fifteen days are five million steps of an endless scenario, and time-dependent results need none of them.
 */
import type { Clock } from '@brokerwire/core'

/** Progress of a scenario during an advance of the clock. */
export interface ScenarioProgress {
  /** Number of executed steps. */
  readonly steps: number
  /** Milliseconds at the end of the advance in which the scenario was paused. */
  readonly heldMs: number
}

/** Limits the scenarios of one simulator. */
export interface ScenarioPace {
  /**
   * Begins an advance of the clock. A nested advance keeps the limit of the outer one.
   *
   * @param mostSteps - Limit of steps.
   * @returns Ends the advance.
   */
  begin(mostSteps: number): () => ScenarioProgress
  /**
   * Counts a step that is due. Returns `undefined` if it may be executed now.
   *
   * @param goOn - Otherwise called at the end of the advance.
   * @returns Cancels the call of `goOn`.
   */
  hold(goOn: () => void): (() => void) | undefined
}

/** Creates the limiter. */
export function createScenarioPace(clock: Clock): ScenarioPace {
  let moves = 0
  let carriedOut = 0
  let most = Number.POSITIVE_INFINITY
  let held: { readonly goOn: () => void; readonly sinceMs: number } | undefined
  return {
    begin(mostSteps) {
      const before = carriedOut
      if (moves === 0) most = carriedOut + mostSteps
      moves += 1
      return () => {
        moves -= 1
        const heldMs = held === undefined ? 0 : clock.now() - held.sinceMs
        if (moves === 0) {
          most = Number.POSITIVE_INFINITY
          const last = held
          held = undefined
          last?.goOn()
        }
        return { steps: carriedOut - before, heldMs }
      }
    },
    hold(goOn) {
      if (carriedOut < most) {
        carriedOut += 1
        return undefined
      }
      const entry = { goOn, sinceMs: clock.now() }
      held = entry
      return () => {
        if (held === entry) held = undefined
      }
    },
  }
}
