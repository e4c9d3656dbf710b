/** The parts that all benchmarks share: options, results, rounds and figures. */

/** Options of a run. */
export interface Options {
  /** Runs fewer and shorter rounds, which only show that a benchmark works. */
  readonly quick: boolean
  /** Returns whether `--only` selects a part. */
  readonly includes: (part: string) => boolean
}

/** The value that a ratio is compared with. */
export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
}

/** Rows of a table. The first row is the head. */
export type Table = readonly (readonly string[])[]

/** Results of a run. */
export interface Results {
  readonly tables: readonly Table[]
  readonly ratios: Readonly<Record<string, number>>
}

/** The exports of a benchmark's module. */
export interface Benchmark {
  readonly goals: Readonly<Record<string, Goal>>
  /** Names that `--only` selects from. */
  readonly parts?: readonly string[]
  /**
   * Number of runs. Each run starts new processes, because the speed of the same code differs between
   * processes.
   * @defaultValue 1
   */
  readonly runs?: number
  run(options: Options): Promise<Results>
}

/** Samples of each case, one for each round. */
export type Rounds = Readonly<Record<string, readonly number[]>>

/**
 * Returns the cases in the order of a round. Each round starts with another case, and every second round is
 * reversed, so that a case does not always follow the same case.
 */
export function orderOf<T>(items: readonly T[], round: number): T[] {
  const at = Math.abs(round) % Math.max(items.length, 1)
  const order = [...items.slice(at), ...items.slice(0, at)]
  return round % 2 === 0 ? order : order.reverse()
}

/**
 * Measures every case in every round, so that a slow moment of the machine affects all cases.
 *
 * @param warmUps - Number of rounds before the measured ones. Their samples are discarded.
 */
export async function interleave<C>(
  cases: Readonly<Record<string, C>>,
  rounds: number,
  measure: (value: C, name: string) => number | Promise<number>,
  warmUps = 1,
): Promise<Record<string, number[]>> {
  const entries = Object.entries(cases)
  const samples: Record<string, number[]> = Object.fromEntries(entries.map(([name]) => [name, []]))
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [name, value] of orderOf(entries, round)) {
      const sample = await measure(value, name)
      if (round >= 0) samples[name]?.push(sample)
    }
  }
  return samples
}

/** Returns the value below which `percent` percent of the values are. */
export function percentile(values: readonly number[] = [], percent = 50): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

export const median = (values?: readonly number[]): number => percentile(values)

/** Rounds a ratio to the digits that are printed and written to the JSON file. */
export const rounded = (ratio: number): number => Number(ratio.toFixed(3))

/** Divides the median of the case `over` by the median of the case `under`. */
export const ratioOf = (rounds: Rounds, over: string, under: string): number =>
  rounded(median(rounds[over]) / median(rounds[under]))

/** Divides `over` by `under` in each round, and returns the median of these ratios. */
export function ratioByRound(rounds: Rounds, over: string, under: string): number {
  const divisors = rounds[under] ?? []
  return rounded(median((rounds[over] ?? []).map((value, round) => value / (divisors[round] ?? Number.NaN))))
}

/** Joins the results of the parts of a benchmark. */
export const joined = (results: readonly Results[]): Results => ({
  tables: results.flatMap(({ tables }) => tables),
  ratios: Object.assign({}, ...results.map(({ ratios }) => ratios)),
})

/** Creates a table of the medians of all cases. */
export function medians(head: string, unit: string, rounds: Rounds, digits = 2): Table {
  const rows = Object.entries(rounds).map(([name, values]) => [name, median(values).toFixed(digits)])
  return [[head, unit], ...rows]
}
