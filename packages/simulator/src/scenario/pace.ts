/**
 * How far a scenario comes while the clock is moved on: a bounded number of steps, then it stands still and goes on after
 * the move. Fifteen days are five million steps of an endless scenario; what only time decides needs none of them.
 */
import type { Clock } from '@brokerwire/core'

/** What a scenario did during a move of the clock. */
export interface ScenarioProgress {
  /** Steps that it carried out. */
  readonly steps: number
  /** Milliseconds, at the end of the move, for which it stood still because it had carried out as many as it may. */
  readonly heldMs: number
}

/** The pace of the scenarios of one simulator. */
export interface ScenarioPace {
  /**
   * A move of the clock begins. Inside another one, that one's bound stays.
   *
   * @param mostSteps - How many steps may be carried out in it.
   * @returns Ends it.
   */
  begin(mostSteps: number): () => ScenarioProgress
  /**
   * A step is due. It may be carried out where `undefined` is returned.
   *
   * @param goOn - Called at the end of the move otherwise.
   * @returns Forgets `goOn`.
   */
  hold(goOn: () => void): (() => void) | undefined
}

/** Makes a pace. */
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
