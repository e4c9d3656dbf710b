/**
 * Vitest fixtures: a simulator for each test that uses the fixture. By default, a test that leaves a stream
 * open fails.
 */
import { test as base, type TestAPI } from 'vitest'
import type { SimulatorOptions } from '../options.ts'
import { startSimulator } from '../simulator.ts'
import type { Simulator } from '../simulator-api.ts'

/** The fixtures of a test. */
export interface SimulatorFixtures {
  /** A simulator that is started for this test and closed after it. */
  readonly simulator: Simulator
}

/** Options of {@link simulatorTest}: the options of the simulator, and `openStreams`. */
export interface SimulatorTestOptions extends SimulatorOptions {
  /** `'fail'`: a test that leaves streams open fails. `'allow'`: it does not. @defaultValue 'fail' */
  readonly openStreams?: 'fail' | 'allow' | undefined
}

/**
 * Creates a `test` function whose simulators have these options. If the options contain a clock, pass a
 * function that creates the options for each test.
 *
 * @example
 * ```ts
 * import { simulatorTest } from '@brokerwire/simulator/vitest'
 * import { expect } from 'vitest'
 *
 * const test = simulatorTest({ environment: 'sandbox', openStreams: 'allow' })
 *
 * test('nothing was sent yet', ({ simulator }) => {
 *   expect(simulator.requests()).toEqual([])
 * })
 * ```
 */
export function simulatorTest(
  options: SimulatorTestOptions | (() => SimulatorTestOptions) = {},
): TestAPI<SimulatorFixtures> {
  return base.extend<SimulatorFixtures>({
    // Vitest requires a destructured parameter. It is empty, because this fixture uses no other fixture.
    // biome-ignore lint/correctness/noEmptyPattern: see above
    simulator: async ({}, use) => {
      const { openStreams = 'fail', ...own } = typeof options === 'function' ? options() : options
      await using simulator = await startSimulator(own)
      await use(simulator)
      await simulator.waitForIdle()
      const open = openStreams === 'fail' ? simulator.subscriptions() : []
      if (open.length > 0) throw new Error(describeOpenStreams(open))
    },
  })
}

/**
 * The `test` function of Vitest with a simulator that has the default options.
 *
 * @example
 * ```ts
 * import { test } from '@brokerwire/simulator/vitest'
 * import { expect } from 'vitest'
 *
 * test('an order that is filled is a trade event', ({ simulator }) => {
 *   simulator.emitOrder({ scene: 'FINAL_FILLED' })
 *   expect(simulator.tradeEvents()).toHaveLength(1)
 * })
 * ```
 */
export const test: TestAPI<SimulatorFixtures> = simulatorTest()

function describeOpenStreams(open: ReturnType<Simulator['subscriptions']>): string {
  const names = open.map(({ requested }) =>
    requested.service === 'trade'
      ? `trade stream of ${requested.accounts.join(', ')}`
      : `module stream of ${requested.events.map(({ eventType }) => eventType).join(', ')}`,
  )
  return `the test left ${open.length} stream${open.length === 1 ? '' : 's'} open: ${names.join('; ')}. Close what opened them, or pass openStreams: 'allow'`
}
