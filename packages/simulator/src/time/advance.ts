/** `simulator.advance()`: advances the clock and reports what happened. */
import type { Clock } from '@brokerwire/core'
import { integer } from '@brokerwire/core/internal'
import type { Apps } from '../apps/app.ts'
import type { AdvanceProgress, StepLimiter } from '../scenario/step-limiter.ts'
import type { Lifecycle } from '../server/lifecycle.ts'
import type { Simulator } from '../simulator-api.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import type { ClockAdvances } from './clock-advances.ts'
import { validateMs } from './clock-control.ts'
import type { SettleOptions } from './settle.ts'

export interface AdvanceContext {
  readonly clock: Clock
  readonly apps: Apps
  readonly lifecycle: Lifecycle
  readonly advances: ClockAdvances
  readonly stepLimiter: StepLimiter
  readonly settle: (options?: SettleOptions) => Promise<void>
}

export function createAdvance(context: AdvanceContext): Simulator['advance'] {
  const { clock, apps, lifecycle, advances, stepLimiter, settle } = context
  const eventCount = (): number =>
    apps.all.reduce((sum, { tradeLog, moduleLog }) => sum + tradeLog.end + moduleLog.end, 0)
  return async (ms, given = {}) => {
    lifecycle.requireOpen('advance')
    const { scenarioSteps } = readArguments(given, ['scenarioSteps'])
    const bounds = { min: 0, max: 1_000_000, default: 10_000 }
    const maxSteps = integer(bounds)(scenarioSteps, 'scenarioSteps', argumentFailure)
    const passedMs = validateMs(clock, ms)
    const eventsBefore = eventCount()
    const endPace = stepLimiter.begin(maxSteps)
    let progress: AdvanceProgress | undefined
    try {
      await advances.advance(passedMs, settle)
    } finally {
      progress = endPace()
    }
    return {
      now: clock.now(),
      events: eventCount() - eventsBefore,
      scenarioSteps: progress.steps,
      scenarioPausedMs: progress.pausedMs,
    }
  }
}
