/** Mutants that survive, and the checked-in list of them with reasons. */

/** A mutant by the text of its lines, which stays the same if lines are added above it. White space is joined. */
export interface Change {
  /** From the root. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Of a mutant; counted from 1, `end` is exclusive. */
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
 * @param mutants - Those of the run. A timeout is no proof against the list: the machine may have been busy.
 * @param listed - The known survivors of the files that took part.
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
