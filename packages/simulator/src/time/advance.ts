/** `simulator.advance()`: advances the clock and reports what happened. */
import type { Clock } from '@brokerwire/core'
import { integer } from '@brokerwire/core/internal'
import type { Apps } from '../apps/app.ts'
import type { ScenarioPace, ScenarioProgress } from '../scenario/pace.ts'
import type { Lifecycle } from '../server/lifecycle.ts'
import type { Simulator } from '../simulator-api.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import type { ClockMoves } from './clock-moves.ts'
import type { SettleOptions } from './settle.ts'
import { requireMs } from './steering.ts'

export interface AdvanceContext {
  readonly clock: Clock
  readonly apps: Apps
  readonly lifecycle: Lifecycle
  readonly moves: ClockMoves
  readonly pace: ScenarioPace
  readonly settle: (options?: SettleOptions) => Promise<void>
}

export function createAdvance(context: AdvanceContext): Simulator['advance'] {
  const { clock, apps, lifecycle, moves, pace, settle } = context
  const eventCount = (): number =>
    apps.all.reduce((sum, { tradeLog, moduleLog }) => sum + tradeLog.end + moduleLog.end, 0)
  return async (ms, given = {}) => {
    lifecycle.requireOpen('advance')
    const { scenarioSteps } = readArguments(given, ['scenarioSteps'])
    const bounds = { min: 0, max: 1_000_000, default: 10_000 }
    const maxSteps = integer(bounds)(scenarioSteps, 'scenarioSteps', argumentFailure)
    const passedMs = requireMs(clock, ms)
    const eventsBefore = eventCount()
    const endPace = pace.begin(maxSteps)
    let progress: ScenarioProgress | undefined
    try {
      await moves.move(passedMs, settle)
    } finally {
      progress = endPace()
    }
    return {
      now: clock.now(),
      events: eventCount() - eventsBefore,
      scenarioSteps: progress.steps,
      scenarioHeldMs: progress.heldMs,
    }
  }
}
