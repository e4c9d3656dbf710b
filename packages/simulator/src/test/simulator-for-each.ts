/** A simulator for each test of a file, closed after it, on a clock in the test's hand. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { afterEach } from 'vitest'
import type { SimulatorOptions } from '../options.ts'
import { startSimulator } from '../simulator.ts'
import type { Simulator } from '../simulator-api.ts'

/** Called once in a file, beside its tests. */
export function simulatorForEach() {
  const clock = createVirtualClock()
  let simulator: Simulator | undefined
  afterEach(async () => {
    await simulator?.close()
    simulator = undefined
  })
  return {
    clock,
    async start(options: SimulatorOptions = {}): Promise<Simulator> {
      simulator = await startSimulator({ clock, ...options })
      return simulator
    },
  }
}
