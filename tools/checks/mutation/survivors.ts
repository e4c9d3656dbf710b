/** Mutants that survive, and the list of them in git, with reasons. */

/**
 * A mutant. It is described by the text of its lines instead of their numbers, so that lines that are added
 * above do not change the description. Consecutive white space counts as one space.
 */
export interface Change {
  /** Path from the root of the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Location of a mutant. Lines and columns are counted from 1, and `end` is exclusive. */
interface Location {
  readonly start: { readonly line: number; readonly column: number }
  readonly end: { readonly line: number; readonly column: number }
}

const joined = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function changeOf(
  file: string,
  source: string,
  { start, end }: Location,
  replacement: string,
): Change {
  const lines = source.split('\n')
  const before = (lines[start.line - 1] ?? '').slice(0, start.column - 1)
  const after = (lines[end.line - 1] ?? '').slice(end.column - 1)
  const from = joined(lines.slice(start.line - 1, end.line).join('\n'))
  return { file, from, to: joined(before + replacement + after) }
}

/**
 * Compares a run with the list. A listed mutant whose tests time out is no problem, because the machine may
 * have been busy.
 *
 * @param mutants - The mutants of the run.
 * @param listed - The listed mutants in the files of the run.
 */
export function survivorProblems(
  mutants: readonly (Change & { readonly status: string })[],
  listed: readonly Change[],
): string[] {
  const keys = (changes: readonly Change[]): Set<string> =>
    new Set(changes.map(({ file, from, to }) => `${file}:\n  - ${from}\n  + ${to}`))
  const withStatus = (...all: string[]): Set<string> =>
    keys(mutants.filter(({ status }) => all.includes(status)))
  const known = keys(listed)
  const alive = withStatus('Survived', 'NoCoverage')
  const maybe = withStatus('Survived', 'NoCoverage', 'Timeout')
  return [
    ...[...alive].filter((key) => !known.has(key)).map((key) => `survives and is not listed: ${key}`),
    ...[...known].filter((key) => !maybe.has(key)).map((key) => `is listed and does not survive: ${key}`),
  ]
}
