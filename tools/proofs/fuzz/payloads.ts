/**
 * `pnpm test:fuzz [--runs N] [--seed N]`: a million made-up payloads through every decoder.
 *
 * The seed is printed: with it the same payloads come again.
 */
import { fuzzPayloads } from '../../../packages/payloads/src/test/fuzz.ts'
import { readRuns } from './runs.ts'

const BATCH = 20_000

const { runs, seed } = readRuns()

console.log(`seed ${seed}`)
const start = performance.now()
for (let done = 0; done < runs; done += BATCH) fuzzPayloads(Math.min(BATCH, runs - done), seed + done)
console.log(`${runs} payloads, 0 failures, ${Math.round((performance.now() - start) / 1000)} s`)
