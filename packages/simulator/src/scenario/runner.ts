/** Carries out a scenario's steps on the clock. One timer at a time; stopping cancels it. */
import { type Clock, requireKnownOptions, unreachable } from '@brokerwire/core'
import { readInteger, readOneOf } from '../checks.ts'
import type { Publisher } from '../events/publisher.ts'
import { argumentFailure } from '../simulator-error.ts'
import { isFinal, type OrderState } from '../wire/order.ts'
import type { Scenario, ScenarioStep } from './scenario.ts'

/** What steps act on. */
export interface ScenarioTarget {
  readonly publisher: Publisher
  /** Whether accepted orders are announced: see `placedEvents`. */
  readonly placedEvents: boolean
  dropConnections(): void
}

/** How a scenario ended. */
export type ScenarioEnd = { readonly ok: true } | { readonly ok: false; readonly error: unknown }

/** A scenario on its way. */
export interface ScenarioRun {
  readonly running: boolean
  /** Resolves when the scenario has ended, was stopped, or had a step that could not be carried out. */
  readonly done: Promise<ScenarioEnd>
  stop(): void
}

const STEP_FIELDS: Readonly<Record<ScenarioStep['type'], readonly string[]>> = {
  order: ['type', 'afterMs', 'order', 'scene', 'accountId'],
  position: ['type', 'afterMs', 'accountId'],
  module: ['type', 'afterMs', 'module', 'bizType'],
  drop: ['type', 'afterMs'],
}

const AFTER_MS = { min: 0, max: 864_000_000, fallback: 0 }

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
  /** A throw out of a timer would end the process. */
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
    const step = next.value
    const type = readOneOf(argumentFailure, 'type', step.type, ['order', 'position', 'module', 'drop'])
    requireKnownOptions(argumentFailure, step, STEP_FIELDS[type])
    const afterMs = readInteger(argumentFailure, 'afterMs', step.afterMs, AFTER_MS)
    cancel = clock.setTimer(() => {
      attempt(() => {
        carryOut(step, target, orders)
        if (isRunning) advance()
      })
    }, afterMs)
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

function carryOut(step: ScenarioStep, target: ScenarioTarget, orders: Map<string, OrderState>): void {
  const { publisher } = target
  switch (step.type) {
    case 'order': {
      const before = orders.get(step.order) ?? publisher.drawOrder(step.accountId, {})
      const isSilent = step.scene === 'PLACED' && !target.placedEvents
      const { order } = isSilent
        ? { order: before }
        : publisher.emitOrder({ order: before, scene: step.scene })
      if (isFinal(order)) orders.delete(step.order)
      else orders.set(step.order, order)
      return
    }
    case 'position':
      publisher.emitPosition({ accountId: step.accountId })
      return
    case 'module':
      publisher.emitModule({ module: step.module, bizType: step.bizType })
      return
    case 'drop':
      target.dropConnections()
      return
    default:
      unreachable(step)
  }
}
