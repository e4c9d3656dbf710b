import { MODULE_NAMES, MODULES } from '@brokerwire/simulator'
import { describe, expect, test } from 'vitest'
import { demoPlan } from './plan.ts'

const plan = demoPlan(200)

describe('the plan of the demo', () => {
  test('has every event type before the loss, so that each has a cursor to resume from', () => {
    const seen = new Set(
      plan.before.flatMap((step) =>
        step.type === 'module' && step.module !== undefined ? [MODULES[step.module].eventType] : [],
      ),
    )
    expect(seen).toEqual(new Set(MODULE_NAMES.map((name) => MODULES[name].eventType)))
  })

  test('has every module', () => {
    const steps = [...plan.before, ...plan.during, ...plan.after]
    const seen = new Set(steps.flatMap((step) => (step.type === 'module' ? [step.module] : [])))
    expect(seen).toEqual(new Set(MODULE_NAMES))
  })

  test('has no whole order lifecycle in the gap', () => {
    const lives = new Map<string, string[]>()
    for (const [part, steps] of Object.entries(plan)) {
      for (const step of steps)
        if (step.type === 'order') lives.set(step.order, [...(lives.get(step.order) ?? []), part])
    }
    for (const [order, parts] of lives) {
      expect(new Set(parts).size, order).toBe(1)
      if (order !== 'in the gap') expect(parts[0], order).not.toBe('during')
    }
  })

  test('has an event of each stream in the gap', () => {
    expect(new Set(plan.during.map((step) => step.type))).toEqual(new Set(['order', 'position', 'module']))
  })

  test('takes less than half a minute', () => {
    const total = [...plan.before, ...plan.during, ...plan.after].reduce(
      (sum, step) => sum + (step.afterMs ?? 0),
      0,
    )
    expect(total).toBeLessThan(15_000)
  })
})
