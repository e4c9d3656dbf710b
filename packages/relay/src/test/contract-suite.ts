/** The contract of a sink as tests of vitest. */
import { test } from 'vitest'
import { type SinkContractOptions, sinkContract } from '../testing/sink-contract.ts'

/** Defines a test for each case of the contract. */
export function contractSuite(options: SinkContractOptions): void {
  for (const { name, run } of sinkContract(options)) test(name, run, 60_000)
}

const REPLACED = 'rejects a writer after another one has written, until it reads the tail again'

/** Defines the test of a replaced writer, for a sink that returns only the last messages. */
export function fencingSuite(open: SinkContractOptions['open']): void {
  const cases = sinkContract({ open, truncation: false, restart: false, sizeLimit: false })
  for (const { name, run } of cases) if (name === REPLACED) test(name, run)
}
