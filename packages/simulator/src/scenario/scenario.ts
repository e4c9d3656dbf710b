/**
 * Scenarios: what happens on the service, as data.
 *
 * A scenario yields steps; the runner waits on the clock and carries them out. The same seed and the same clock give
 * the same bytes, because each step draws from the simulator's one sequence in the same order.
 */
import type { ModuleName } from '../wire/modules.ts'
import { MODULE_NAMES, MODULES } from '../wire/modules.ts'
import type { OrderScene } from '../wire/order.ts'

/** One step, `afterMs` after the one before. */
export type ScenarioStep = { readonly afterMs: number } & (
  | {
      readonly type: 'order'
      /** Steps with the same name are about the same order; the first one draws it. */
      readonly order: string
      readonly scene: OrderScene
      readonly accountId?: string | undefined
    }
  | { readonly type: 'position'; readonly accountId?: string | undefined }
  | { readonly type: 'module'; readonly module: ModuleName; readonly bizType?: string | undefined }
  | { readonly type: 'drop' }
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
