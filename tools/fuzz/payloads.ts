/**
 * `pnpm test:fuzz [--runs N] [--seed N]`: a million made-up payloads through every decoder.
 *
 * The seed is printed: with it the same payloads come again.
 */
import { parseArgs } from 'node:util'
import { fuzzPayloads } from '../../packages/payloads/src/test/fuzz.ts'

const BATCH = 20_000

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } })
const runs = Number(values.runs ?? 1_000_000)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--runs and --seed: expected whole numbers')
}

console.log(`seed ${seed}`)
const start = performance.now()
for (let done = 0; done < runs; done += BATCH) fuzzPayloads(Math.min(BATCH, runs - done), seed + done)
console.log(`${runs} payloads, 0 failures, ${Math.round((performance.now() - start) / 1000)} s`)
