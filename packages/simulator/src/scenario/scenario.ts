/**
 * Scenarios: what happens on the service, as data.
 *
 * A scenario yields steps; the runner waits on the clock and carries them out. The same seed and the same clock give
 * the same bytes, because each step draws from the simulator's one sequence in the same order.
 */
import type {
  ModuleEmission,
  OrderEmission,
  PositionEmission,
  RawModuleEmission,
  RawTradeEmission,
} from '../events/emissions.ts'
import type { FaultTimes } from '../fault-queue.ts'
import type { FrameFault } from '../grpc/frame-fault.ts'
import type { StreamService, SubscriptionFault } from '../grpc/subscription-fault.ts'
import type { HttpFault } from '../http/http-fault.ts'
import type { QuotesAction } from '../quotes/quotes-actions.ts'
import type { RouteAnswer } from '../routes/route-answer.ts'
import { MODULE_NAMES, MODULES } from '../wire/modules.ts'
import type { OrderScene } from '../wire/order.ts'

/** A fault as a step: exactly one of `http`, `subscription`, `frame` and `clear`. */
export interface FaultStep {
  readonly http?: HttpFault | undefined
  readonly subscription?: SubscriptionFault | undefined
  readonly frame?: FrameFault | undefined
  readonly clear?: boolean | undefined
  /** Of `http`. */
  readonly path?: string | undefined
  /** Of `subscription` and `frame`. */
  readonly service?: StreamService | undefined
  readonly count?: FaultTimes | undefined
}

/** One step, `afterMs` after the one before. */
export type ScenarioStep = {
  /** @defaultValue 0 */
  readonly afterMs?: number | undefined
} & (
  | (Omit<OrderEmission, 'order' | 'scene'> & {
      readonly type: 'order'
      /** Steps with the same name are about the same order; the first one draws it. */
      readonly order: string
      readonly scene: OrderScene
      readonly app?: string | undefined
    })
  | (PositionEmission & { readonly type: 'position'; readonly app?: string | undefined })
  | (Omit<ModuleEmission, 'withPosition' | 'id'> & {
      readonly type: 'module'
      readonly app?: string | undefined
    })
  | (RawTradeEmission & { readonly type: 'frame'; readonly app?: string | undefined })
  | (RawModuleEmission & { readonly type: 'module-frame'; readonly app?: string | undefined })
  | {
      readonly type: 'token'
      /** To all tokens of the app: their second factor, or their end. */
      readonly action: 'approve' | 'invalidate' | 'expire'
      readonly app?: string | undefined
    }
  | (FaultStep & { readonly type: 'fault' })
  | { readonly type: 'drop'; readonly service?: StreamService | undefined }
  | (QuotesAction & { readonly type: 'quotes' })
  | { readonly type: 'time'; readonly advanceMs: number }
  | {
      readonly type: 'route'
      readonly method: string
      readonly path: string
      readonly answer: RouteAnswer
      readonly token?: 'required' | 'none' | undefined
    }
)

/** Steps, in order. May be endless. */
export type Scenario = Iterable<ScenarioStep>

/** Scenarios that come with the simulator. */
export const SCENARIO_NAMES = ['lifecycles', 'lifecycles-forever'] as const

/** Name of a scenario that comes with the simulator. */
export type ScenarioName = (typeof SCENARIO_NAMES)[number]

/** Lifecycles of orders: name, and the scenes in order. */
const LIVES: readonly (readonly [string, readonly OrderScene[]])[] = [
  ['filled', ['PLACED', 'FILLED', 'FINAL_FILLED']],
  ['failed', ['PLACED', 'PLACE_FAILED']],
  ['changed', ['PLACED', 'MODIFY_SUCCESS', 'MODIFY_FAILED', 'FINAL_FILLED']],
  ['cancelled', ['PLACED', 'FILLED', 'CANCEL_FAILED', 'CANCEL_SUCCESS']],
]

/**
 * Every order lifecycle, two settlements, and every business type of every module, mixed.
 *
 * @param intervalMs - Between two steps.
 * @param rounds - Times the whole is played.
 *
 * @example
 * ```ts
 * import { lifecycles, startSimulator } from '@brokerwire/simulator'
 *
 * await using simulator = await startSimulator()
 * simulator.startScenario(lifecycles(100, 3))
 * ```
 */
export function* lifecycles(intervalMs: number, rounds: number): Generator<ScenarioStep, void, undefined> {
  const modules = MODULE_NAMES.flatMap((module) =>
    Object.keys(MODULES[module].bizTypes).map((bizType) => ({ type: 'module' as const, module, bizType })),
  )
  for (let round = 0; round < rounds; round += 1) {
    const orders = LIVES.flatMap(([name, scenes]) =>
      scenes.map((scene) => ({ type: 'order' as const, order: `${name} ${round}`, scene })),
    )
    const length = Math.max(orders.length, modules.length)
    for (let index = 0; index < length; index += 1) {
      const order = orders[index]
      const module = modules[index]
      if (order !== undefined) yield { afterMs: intervalMs, ...order }
      if (module !== undefined) yield { afterMs: intervalMs, ...module }
      if (index % 7 === 6) yield { afterMs: intervalMs, type: 'position' }
    }
  }
}

/** The steps of a scenario that comes with the simulator. */
export function namedScenario(name: ScenarioName, intervalMs: number): Scenario {
  return lifecycles(intervalMs, name === 'lifecycles' ? 1 : Number.POSITIVE_INFINITY)
}
