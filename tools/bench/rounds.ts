/** Rounds of functions in one process. mitata measures the time. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { measure } from 'mitata'
import { interleave } from './benchmark.ts'

setFlagsFromString('--expose-gc')

/** Runs a full garbage collection. */
export const collectGarbage: () => void = runInNewContext('gc')

/**
 * Measures functions.
 *
 * @param roundMs - Duration of a case in each round.
 * @returns Microseconds per call in each round.
 */
export function measureRounds(
  cases: Readonly<Record<string, () => unknown>>,
  rounds: number,
  roundMs: number,
): Promise<Record<string, number[]>> {
  return interleave(cases, rounds, async (run) => {
    const { avg } = await measure(run, {
      min_cpu_time: roundMs * 1e6,
      batch_samples: 64,
      // All samples count, also those with a garbage collection, which is part of the cost of a case.
      samples_threshold: Number.MAX_SAFE_INTEGER,
      // Collections between the samples would also discard the compiled code of the other cases.
      gc: false,
    })
    return avg / 1000
  })
}
