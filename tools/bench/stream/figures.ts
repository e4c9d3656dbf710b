/** From the rounds' samples to the ratios, their goals and what is printed of them. */
import { median } from '../sign/rounds.ts'
import { GOALS } from './parts.ts'

/** Values of one figure, round by round, of each contender. */
export type Rounds = Readonly<Record<string, readonly number[]>>

/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** `ours` against `other`, by the medians of their rounds: neither a disturbed round nor a lucky one counts. */
export function ratioOf(rounds: Rounds, ours: string, other: string): number {
  return Number((median(rounds[ours] ?? []) / median(rounds[other] ?? [])).toFixed(3))
}

/** `goal: at least 3, ok`. */
export function judge(name: string, value: number): string {
  const { atLeast, atMost } = GOALS[name] ?? {}
  if (atLeast !== undefined) return `goal: at least ${atLeast}, ${value >= atLeast ? 'ok' : 'missed'}`
  if (atMost !== undefined) return `goal: at most ${atMost}, ${value <= atMost ? 'ok' : 'missed'}`
  return ''
}

/** Each round begins with another contender, so that nobody always follows the same neighbour. */
export function rotated<T>(items: readonly T[], turn: number): T[] {
  const at = items.length === 0 ? 0 : turn % items.length
  const order = [...items.slice(at), ...items.slice(0, at)]
  return turn % 2 === 0 ? order : order.reverse()
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
