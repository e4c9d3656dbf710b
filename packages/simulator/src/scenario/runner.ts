/**
 * Executes the steps of a scenario by the clock. It sets only one timer at a time, and `stop()` cancels the
 * timer.
 */
import type { Clock } from '@brokerwire/core'
import { unreachable } from '@brokerwire/core/internal'
import type { SimulatedApp } from '../apps/simulated-app.ts'
import type { Publisher } from '../events/publisher.ts'
import type { StreamService } from '../grpc/subscription-fault.ts'
import type { QuotesAction } from '../quotes/quotes-actions.ts'
import { argumentFailure } from '../simulator-error.ts'
import { evictOldest } from '../tokens/evict-oldest.ts'
import { isFinal, type OrderState } from '../wire/order.ts'
import { checkStep } from './check-step.ts'
import type { FaultStep, Scenario, ScenarioStep } from './scenario.ts'
import type { StepLimiter } from './step-limiter.ts'

/** The simulator's interface for steps. */
export interface ScenarioTarget {
  /** @param app - Name or key of an app. `undefined` for the first app. */
  readonly app: (app: string | undefined) => {
    readonly handle: SimulatedApp
    readonly publisher: Publisher
  }
  /** Whether accepted orders send an event: see `emitPlaceEvents`. */
  readonly emitPlaceEvents: boolean
  readonly dropConnections: (selection: { readonly service?: StreamService | undefined }) => void
  readonly quotes: (action: QuotesAction) => void
  readonly setFault: (fault: FaultStep) => void
  readonly addRoute: (step: Extract<ScenarioStep, { readonly type: 'route' }>) => void
  readonly advance: (ms: number) => Promise<unknown>
  readonly stepLimiter: StepLimiter
}

/** Result of a scenario. */
export type ScenarioEnd =
  | { readonly ok: true }
  | {
      readonly ok: false
      /** The error that ended the scenario. */
      readonly error: unknown
    }

/** A running scenario. */
export interface ScenarioRun {
  /** Whether there are further steps to execute. */
  readonly running: boolean
  /** Resolves when the scenario has ended, was stopped, or has failed. */
  readonly done: Promise<ScenarioEnd>
  /** Stops the scenario: no further step is executed. */
  stop(): void
}

/** Starts a scenario. */
export function runScenario(scenario: Scenario, target: ScenarioTarget, clock: Clock): ScenarioRun {
  const steps = scenario[Symbol.iterator]()
  const orders = new Map<string, OrderState>()
  let cancel: (() => void) | undefined
  let isRunning = true
  let finish: (end: ScenarioEnd) => void = () => undefined
  const done = new Promise<ScenarioEnd>((resolve) => {
    finish = resolve
  })
  const end = (how: ScenarioEnd): void => {
    if (!isRunning) return
    isRunning = false
    cancel?.()
    finish(how)
  }
  /** Calls `work`. An error ends the scenario, because an exception in a timer would end the process. */
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      end({ ok: false, error })
    }
  }
  const advance = (): void => {
    const next = steps.next()
    if (next.done === true) {
      end({ ok: true })
      return
    }
    const step = checkStep(next.value, 'step', argumentFailure)
    const onDue = (): void => {
      // If the step is paused, its timer starts again after the advance, so that the step is due `afterMs`
      // after the end of the advance.
      const forget = target.stepLimiter.pauseIfLimited(startTimer)
      if (forget !== undefined) {
        cancel = forget
        return
      }
      if (step.type === 'time') {
        // Timers that are due during this advance fire before the next step.
        target.advance(step.advanceMs).then(
          () => attempt(() => isRunning && advance()),
          (error: unknown) => end({ ok: false, error }),
        )
        return
      }
      attempt(() => {
        executeStep(step, target, orders)
        if (isRunning) advance()
      })
    }
    const startTimer = (): void => {
      cancel = clock.setTimer(onDue, step.afterMs ?? 0)
    }
    startTimer()
  }
  attempt(advance)
  return {
    get running() {
      return isRunning
    },
    done,
    stop() {
      end({ ok: true })
      steps.return?.()
    },
  }
}

/**
 * Maximum number of open orders of a scenario. The oldest orders are discarded, because an endless scenario
 * may never complete them.
 */
const MAX_ORDERS = 10_000

function executeStep(
  { afterMs: _, ...step }: Exclude<ScenarioStep, { readonly type: 'time' }>,
  target: ScenarioTarget,
  orders: Map<string, OrderState>,
): void {
  switch (step.type) {
    case 'order': {
      const { type: _, app, order: name, scene, ...input } = step
      const { symbol, side, orderType, quantity, ...emission } = input
      const { publisher } = target.app(app)
      const before =
        orders.get(name) ?? publisher.generateOrder(step.accountId, { symbol, side, orderType, quantity })
      const isSilent = scene === 'PLACED' && !target.emitPlaceEvents
      const { order } = isSilent
        ? { order: before }
        : publisher.emitOrder({ ...emission, order: before, scene })
      orders.delete(name)
      if (!isFinal(order)) orders.set(name, order)
      evictOldest(orders, MAX_ORDERS)
      return
    }
    case 'position': {
      const { type: _, app, ...input } = step
      target.app(app).publisher.emitPosition(input)
      return
    }
    case 'module': {
      const { type: _, app, ...input } = step
      target.app(app).publisher.emitModule(input)
      return
    }
    case 'frame': {
      const { type: _, app, ...input } = step
      target.app(app).publisher.emitTradeFrame(input)
      return
    }
    case 'module-frame': {
      const { type: _, app, ...input } = step
      target.app(app).publisher.emitModuleFrame(input)
      return
    }
    case 'token': {
      const { handle } = target.app(step.app)
      if (step.action === 'approve') handle.approveSecondFactor()
      else handle.endAccessTokens({ status: step.action === 'expire' ? 'EXPIRED' : 'INVALID' })
      return
    }
    case 'fault': {
      const { type: _, ...fault } = step
      target.setFault(fault)
      return
    }
    case 'drop':
      target.dropConnections({ service: step.service })
      return
    case 'quotes': {
      const { type: _, ...action } = step
      target.quotes(action)
      return
    }
    case 'route':
      target.addRoute(step)
      return
    default:
      unreachable(step)
  }
}
