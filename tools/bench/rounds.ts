/** Rounds of functions in one process, timed by mitata. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { measure } from 'mitata'
import { interleave } from './benchmark.ts'

setFlagsFromString('--expose-gc')

/** Collects all garbage. */
export const collectGarbage: () => void = runInNewContext('gc')

/**
 * @param roundMs - Time that a case gets in a round.
 * @returns Microseconds of one call in each round.
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
      // No sample is left out: the garbage that a case makes is part of its time.
      samples_threshold: Number.MAX_SAFE_INTEGER,
      // Repeated collections would also discard the compiled code of the other cases.
      gc: false,
    })
    return avg / 1000
  })
}
