/** Interleaved rounds: every contender in every round, so that a slow moment of the machine hits all of them. */

/** One contender: signs once, at once or with a promise. */
export type Contender = () => unknown

async function timeOnce(run: Contender, times: number): Promise<number> {
  const isAsync = run() instanceof Promise
  // Unmeasured calls first: caches and garbage of the contender before are not ours to pay for.
  for (let i = 0; i < times / 10; i += 1) await run()
  const start = process.hrtime.bigint()
  if (isAsync) for (let i = 0; i < times; i += 1) await run()
  else for (let i = 0; i < times; i += 1) run()
  return Number(process.hrtime.bigint() - start) / times / 1000
}

/**
 * @param roundMs - Time that one contender gets in one round.
 * @returns Microseconds of each round, by contender.
 */
export async function measureRounds(
  contenders: Readonly<Record<string, Contender>>,
  rounds: number,
  roundMs: number,
): Promise<Record<string, number[]>> {
  const times: Record<string, number> = {}
  const results: Record<string, number[]> = {}
  for (const [name, run] of Object.entries(contenders)) {
    // Warm up, then find out how many fit into a round.
    await timeOnce(run, 200)
    const us = await timeOnce(run, 2000)
    times[name] = Math.max(20, Math.round((roundMs * 1000) / us))
    results[name] = []
  }
  for (let round = 0; round < rounds; round += 1) {
    // Forward and backward in turn: nobody always follows the same neighbour.
    const order = Object.entries(contenders)
    for (const [name, run] of round % 2 === 0 ? order : order.reverse()) {
      results[name]?.push(await timeOnce(run, times[name] ?? 1))
    }
  }
  return results
}
