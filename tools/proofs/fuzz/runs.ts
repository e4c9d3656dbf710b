/** What the fuzzing scripts are started with: `[--runs N] [--seed N]`. */
import { parseArgs } from 'node:util'

/** @throws An error that names the arguments. */
export function readRuns(): { readonly runs: number; readonly seed: number } {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } })
  const runs = Number(values.runs ?? 1_000_000)
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
    throw new Error('--runs and --seed: expected whole numbers')
  }
  return { runs, seed }
}
