/** From rounds to figures: what every bench makes of its samples, and how it prints and keeps them. */
import { writeFileSync } from 'node:fs'

/** Values of one figure, round by round, of each contender. */
export type Rounds = Readonly<Record<string, readonly number[]>>

/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** Middle value. */
export const median = (values: readonly number[]): number => percentile(values, 50)

/** A round that was hardly disturbed: other programs only ever add time. */
export const undisturbed = (values: readonly number[] = []): number => percentile(values, 10)

/** As many digits as a ratio is kept with. */
export const rounded = (ratio: number): number => Number(ratio.toFixed(3))

/** `ours` against `other`, by the medians of their rounds: neither a disturbed round nor a lucky one counts. */
export function ratioOf(rounds: Rounds, ours: string, other: string): number {
  return rounded(median(rounds[ours] ?? []) / median(rounds[other] ?? []))
}

/** How many times `under` goes into `over`: the median over the rounds, each compared with itself. */
export function ratioByRound(over: readonly number[] = [], under: readonly number[] = []): number {
  return rounded(median(over.map((value, round) => value / (under[round] ?? Number.NaN))))
}

/** The rounds of several runs together. */
export function joined(runs: readonly Rounds[]): Record<string, number[]> {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run)))]
  return Object.fromEntries(names.map((name) => [name, runs.flatMap((run) => run[name] ?? [])]))
}

/** Text columns, the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

/** Writes the ratios. @param file - `undefined`: nowhere. */
export function writeRatios(file: string | undefined, ratios: Readonly<Record<string, number>>): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ ratios }, undefined, 2)}\n`)
}
