/** The contract of a sink as tests of vitest. */
import { test } from 'vitest'
import { type SinkContractOptions, sinkContract } from '../testing/sink-contract.ts'

/** Defines a test for each case of the contract. */
export function contractSuite(options: SinkContractOptions): void {
  for (const { name, run } of sinkContract(options)) test(name, run, 60_000)
}

/** Cases that need only the keys and sequences of the last messages. */
const KEY_CASES: ReadonlySet<string> = new Set([
  'has the sequence 0 and no message if the stream is empty',
  'acknowledges an empty batch after the messages before it',
  'rejects messages before the tail was read',
  'rejects every call after it was closed, and may be closed twice',
  'rejects a writer after another one has written, until it reads the tail again',
])

/** Defines the tests of a sink that returns only the last messages, without the bodies of events. */
export function keyContractSuite(open: SinkContractOptions['open']): void {
  const cases = sinkContract({ open, truncation: false, restart: false, sizeLimit: false })
  const selected = cases.filter(({ name }) => KEY_CASES.has(name))
  if (selected.length !== KEY_CASES.size) throw new Error('a case has another name')
  for (const { name, run } of selected) test(name, run)
}
