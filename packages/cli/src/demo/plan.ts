/**
 * The demo's scenario in three parts: before the connections are lost, while they are lost, and after that.
 * The first and the last part contain whole order lifecycles, which can be read from their first to their
 * last line. The second part shows which events a gap contains on each stream.
 */
import { MODULE_NAMES, MODULES, type OrderScene, type ScenarioStep } from '@brokerwire/simulator'

/** The parts of the scenario, in order. */
export interface DemoPlan {
  readonly before: readonly ScenarioStep[]
  readonly during: readonly ScenarioStep[]
  readonly after: readonly ScenarioStep[]
}

const LIFECYCLES = {
  filled: ['PLACED', 'FILLED', 'FILLED', 'FINAL_FILLED'],
  failed: ['PLACED', 'PLACE_FAILED'],
  changed: ['PLACED', 'MODIFY_SUCCESS', 'MODIFY_FAILED', 'FINAL_FILLED'],
  cancelled: ['PLACED', 'FILLED', 'CANCEL_FAILED', 'CANCEL_SUCCESS'],
} as const satisfies Record<string, readonly OrderScene[]>

/** @param stepMs - Milliseconds between two steps. */
export function demoPlan(stepMs: number): DemoPlan {
  const modules: readonly ScenarioStep[] = MODULE_NAMES.flatMap((module) =>
    Object.keys(MODULES[module].bizTypes).map(
      (bizType) => ({ afterMs: stepMs, type: 'module', module, bizType }) as const,
    ),
  )
  const position: ScenarioStep = { afterMs: stepMs, type: 'position' }
  return {
    // Every event type occurs once before the loss, because a stream has a cursor only after its first event.
    before: interleave([...lifecycle('filled', stepMs), ...lifecycle('failed', stepMs), position], modules),
    during: interleave(
      [{ afterMs: stepMs, type: 'order', order: 'in the gap', scene: 'PLACED' }, position],
      modules.slice(0, 4),
    ),
    after: interleave(
      [...lifecycle('changed', stepMs), ...lifecycle('cancelled', stepMs), position],
      modules.slice(4),
    ),
  }
}

function lifecycle(order: keyof typeof LIFECYCLES, afterMs: number): readonly ScenarioStep[] {
  return LIFECYCLES[order].map((scene) => ({ afterMs, type: 'order', order, scene }))
}

/** Takes elements from both lists alternately. */
function interleave<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  const mixed: T[] = []
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    mixed.push(...one.slice(index, index + 1), ...other.slice(index, index + 1))
  }
  return mixed
}
