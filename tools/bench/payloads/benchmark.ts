/**
 * Decoding of trade events, compared with `JSON.parse` alone and with schema libraries that return the same
 * result.
 */
import { type Options, percentile, type Results, rounded } from '../benchmark.ts'
import { measureProgram } from '../programs.ts'
import type { PayloadCommands } from './payloads-process.ts'

export const goals = {
  'trade.vs_json_parse': { atLeast: 0.6 },
  'trade.vs_best_without_eval': { atLeast: 1.3 },
}

export const runs = 3

export async function run({ quick }: Options): Promise<Results> {
  const program = new URL('payloads-process.ts', import.meta.url)
  const { rounds, withEval } = await measureProgram<PayloadCommands>(program, quick ? 5 : 25)
  // The tenth percentile is the time of a round with little other load on the machine. Other load can only
  // increase a time.
  const us = Object.entries(rounds).map(([name, times]) => [name, percentile(times, 10)] as const)
  const ours = percentile(rounds.ours, 10)
  const others = us.filter(([name]) => name !== 'ours').map(([name, time]) => [name, time / ours] as const)
  const best = (isIncluded: (name: string) => boolean): number =>
    Math.min(
      ...others.filter(([name]) => name !== 'json_parse' && isIncluded(name)).map(([, ratio]) => ratio),
    )
  return {
    tables: [[['a trade event', 'µs'], ...us.map(([name, time]) => [name, time.toFixed(2)])]],
    ratios: {
      ...Object.fromEntries(others.map(([name, ratio]) => [`trade.vs_${name}`, rounded(ratio)])),
      'trade.vs_best_without_eval': rounded(best((name) => !withEval.includes(name))),
      'trade.vs_best_with_eval': rounded(best(() => true)),
    },
  }
}
