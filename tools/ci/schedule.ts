/** Runs gates a few at a time, each after those that it needs. */
import type { Gate } from './gates.ts'

/** How a gate ended. */
export interface GateResult {
  readonly gate: Gate
  readonly passed: boolean
  readonly durationMs: number
  readonly output: string
}

/** What runs a gate. */
export type GateRunner = (gate: Gate) => Promise<{ readonly passed: boolean; readonly output: string }>

/**
 * @param gates - A gate stands behind those that it needs.
 * @param width - How many run at a time.
 * @param onDone - Called as each one ends.
 * @returns The results, in the order of `gates`. A gate whose needs failed is not run, and counts as failed.
 */
export function runGates(
  gates: readonly Gate[],
  width: number,
  runner: GateRunner,
  onDone: (result: GateResult) => void,
): Promise<GateResult[]> {
  const slots = createSlots(width)
  const results = new Map<string, Promise<GateResult>>()
  const start = async (gate: Gate): Promise<GateResult> => {
    const needs = await Promise.all((gate.after ?? []).map((script) => results.get(script)))
    if (needs.some((need) => need?.passed !== true)) {
      return { gate, passed: false, output: `not run: needs ${gate.after?.join(', ')}`, durationMs: 0 }
    }
    const release = await slots()
    const startedAt = performance.now()
    const { passed, output } = await runner(gate)
    release()
    return { gate, passed, output, durationMs: performance.now() - startedAt }
  }
  for (const gate of gates) {
    results.set(
      gate.script,
      start(gate).then((result) => {
        onDone(result)
        return result
      }),
    )
  }
  return Promise.all(results.values())
}

/** Hands out a fixed number of slots, first come, first served. */
function createSlots(count: number): () => Promise<() => void> {
  let free = count
  const waiting: (() => void)[] = []
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return async () => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return release
  }
}
