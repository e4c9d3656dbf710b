/** A simulator for each test of a file, on a virtual clock. It is closed after the test. */
import { createVirtualClock } from '@brokerwire/core/testing'
import { afterEach } from 'vitest'
import type { SimulatorOptions } from '../options.ts'
import { startSimulator } from '../simulator.ts'
import type { Simulator } from '../simulator-api.ts'

/** Registers the hooks of a test file. Call it once in the file. */
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
