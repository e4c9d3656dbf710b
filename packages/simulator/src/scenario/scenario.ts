/**
 * Scenarios are sequences of steps as data. The runner executes the steps by the clock. The same seed and the
 * same clock produce the same bytes, because the steps of an app take random values from one sequence, always
 * in the same order.
 */
import type {
  ModuleEmission,
  OrderEmission,
  PositionEmission,
  RawModuleEmission,
  RawTradeEmission,
} from '../events/emissions.ts'
import type { FaultCount } from '../fault-queue.ts'
import type { FrameFault } from '../grpc/frame-fault.ts'
import type { StreamService, SubscriptionFault } from '../grpc/subscription-fault.ts'
import type { HttpFault } from '../http/http-fault.ts'
import type { QuotesAction } from '../quotes/quotes-actions.ts'
import type { RouteResponse } from '../routes/route-response.ts'
import { MODULE_NAMES, MODULES } from '../wire/modules.ts'
import type { OrderScene } from '../wire/order.ts'

/** A fault step, with exactly one of `http`, `subscription`, `frame` and `clear`. */
export interface FaultStep {
  /** Fault of the next HTTP request. */
  readonly http?: HttpFault | undefined
  /** Fault of the next subscription. */
  readonly subscription?: SubscriptionFault | undefined
  /** Fault of the next data frame. */
  readonly frame?: FrameFault | undefined
  /** `true`: removes all pending faults. */
  readonly clear?: boolean | undefined
  /** Path of the request, for `http`. */
  readonly path?: string | undefined
  /** Service of the stream, for `subscription` and `frame`. */
  readonly service?: StreamService | undefined
  /** Number of injections of the fault. @defaultValue 1 */
  readonly count?: FaultCount | undefined
}

/** One step, `afterMs` after the previous one. */
export type ScenarioStep = {
  /** Milliseconds after the previous step. @defaultValue 0 */
  readonly afterMs?: number | undefined
} & (
  | (Omit<OrderEmission, 'order' | 'scene'> & {
      readonly type: 'order'
      /**
       * Name of the order. Steps with the same name apply to the same order, which the first of these steps
       * generates.
       */
      readonly order: string
      /** Step in the life of the order. */
      readonly scene: OrderScene
      /** Name or key of the app. @defaultValue the first app */
      readonly app?: string | undefined
    })
  | (PositionEmission & {
      readonly type: 'position'
      /** Name or key of the app. @defaultValue the first app */
      readonly app?: string | undefined
    })
  | (Omit<ModuleEmission, 'withPosition' | 'id'> & {
      readonly type: 'module'
      /** Name or key of the app. @defaultValue the first app */
      readonly app?: string | undefined
    })
  | (RawTradeEmission & {
      readonly type: 'frame'
      /** Name or key of the app. @defaultValue the first app */
      readonly app?: string | undefined
    })
  | (RawModuleEmission & {
      readonly type: 'module-frame'
      /** Name or key of the app. @defaultValue the first app */
      readonly app?: string | undefined
    })
  | {
      readonly type: 'token'
      /**
       * Action on all tokens of the app: `approve` completes their second factor, `invalidate` and `expire`
       * end them.
       */
      readonly action: 'approve' | 'invalidate' | 'expire'
      /** Name or key of the app. @defaultValue the first app */
      readonly app?: string | undefined
    }
  | (FaultStep & { readonly type: 'fault' })
  | {
      readonly type: 'drop'
      /** Service whose connections are destroyed. @defaultValue both services */
      readonly service?: StreamService | undefined
    }
  | (QuotesAction & { readonly type: 'quotes' })
  | {
      readonly type: 'time'
      /** Milliseconds by which the clock is advanced. */
      readonly advanceMs: number
    }
  | {
      readonly type: 'route'
      /** GET, HEAD, POST, PUT, PATCH or DELETE. */
      readonly method: string
      /** Path such as `/openapi/orders/:id`, without a query. */
      readonly path: string
      /** Response to every request of the route. */
      readonly response: RouteResponse
      /** Whether a NORMAL access token is required. @defaultValue 'required' */
      readonly token?: 'required' | 'none' | undefined
    }
)

/** A sequence of steps, possibly endless. */
export type Scenario = Iterable<ScenarioStep>

/** Names of the built-in scenarios. */
export const SCENARIO_NAMES = ['lifecycles', 'lifecycles-forever'] as const

/** Name of a built-in scenario. */
export type ScenarioName = (typeof SCENARIO_NAMES)[number]

/** Lifecycles of orders: name, and the scenes in order. */
const LIFECYCLES: readonly (readonly [string, readonly OrderScene[]])[] = [
  ['filled', ['PLACED', 'FILLED', 'FINAL_FILLED']],
  ['failed', ['PLACED', 'PLACE_FAILED']],
  ['changed', ['PLACED', 'MODIFY_SUCCESS', 'MODIFY_FAILED', 'FINAL_FILLED']],
  ['cancelled', ['PLACED', 'FILLED', 'CANCEL_FAILED', 'CANCEL_SUCCESS']],
]

/**
 * Yields every order lifecycle, two settlements, and every business type of every module. Steps of orders
 * alternate with steps of modules.
 *
 * @param intervalMs - Milliseconds between two steps.
 * @param rounds - Number of repetitions.
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
    const orders = LIFECYCLES.flatMap(([name, scenes]) =>
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

/** Creates a built-in scenario. */
export function createNamedScenario(name: ScenarioName, intervalMs: number): Scenario {
  return lifecycles(intervalMs, name === 'lifecycles' ? 1 : Number.POSITIVE_INFINITY)
}
