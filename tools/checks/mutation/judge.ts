/** What a mutation run means: the score, and where the survivors and the checked-in list of them disagree. */
import type { Spot } from './spot.ts'

/** What became of one mutant, as Stryker names it. Those that cannot run at all are left out: they prove nothing. */
export type Fate = 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage'

export interface Mutant extends Spot {
  /** From the root. */
  readonly file: string
  readonly fate: Fate
  /** Of its first line, from 1. */
  readonly line: number
}

/** A survivor that is known, and why it may live. */
export interface Listed extends Spot {
  readonly file: string
  readonly reason: string
}

export interface Judgement {
  /** For reading: scores, then survivors. */
  readonly lines: readonly string[]
  /** Empty where the run is as it should be. */
  readonly problems: readonly string[]
}

/** A run of everything fails below this share of killed mutants, in percent. */
const GOAL = 90

const keyOf = ({ file, from, to }: Spot & { readonly file: string }): string =>
  JSON.stringify([file, from, to])
const survives = ({ fate }: Mutant): boolean => fate === 'Survived' || fate === 'NoCoverage'
const scoreOf = (mutants: readonly Mutant[]): number =>
  mutants.length === 0 ? 100 : (100 * mutants.filter((mutant) => !survives(mutant)).length) / mutants.length
const row = (name: string, mutants: readonly Mutant[]): string => {
  const left = mutants.filter(survives).length
  const score = scoreOf(mutants).toFixed(1).padStart(6)
  return `${score} %  ${String(mutants.length).padStart(4)} mutants  ${String(left).padStart(3)} survive  ${name}`
}

/**
 * @param mutants - Of the run.
 * @param listed - The checked-in survivors.
 * @param whole - Whether all files took part: only then the goal and the whole list apply.
 */
export function judge(mutants: readonly Mutant[], listed: readonly Listed[], whole: boolean): Judgement {
  const files = [...new Set(mutants.map(({ file }) => file))].sort()
  const reasons = new Map(listed.map((entry) => [keyOf(entry), entry.reason]))
  const lines = files.map((file) =>
    row(
      file,
      mutants.filter((mutant) => mutant.file === file),
    ),
  )
  lines.push(row('in total', mutants))
  const late = mutants.filter(({ fate }) => fate === 'Timeout').length
  if (late > 0) lines.push(`${late} of the killed ran too long: endless loops, or a busy machine`)
  const problems: string[] = []
  for (const mutant of mutants.filter(survives)) {
    const reason = reasons.get(keyOf(mutant))
    const text = [`${mutant.file}:${mutant.line}`, `  - ${mutant.from}`, `  + ${mutant.to}`]
    lines.push(
      '',
      ...text,
      `  ${reason ?? (mutant.fate === 'NoCoverage' ? 'not listed, runs in no test' : 'not listed')}`,
    )
    if (reason === undefined) problems.push(`${mutant.file}:${mutant.line}: survives and is not listed`)
  }
  // A timeout says nothing of a survivor: the machine may have been busy.
  const living = new Set(mutants.filter((one) => survives(one) || one.fate === 'Timeout').map(keyOf))
  for (const entry of listed) {
    if (!whole && !files.includes(entry.file)) continue
    if (!living.has(keyOf(entry))) problems.push(`${entry.file}: listed, but does not survive: ${entry.to}`)
  }
  if (whole && scoreOf(mutants) < GOAL) problems.push(`the score is below ${GOAL} %`)
  return { lines, problems }
}
