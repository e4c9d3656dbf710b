/** A mutant by its text, which stays the same when lines are added above it. */

/** Where a mutant lies. All count from 1; `end` is the first character behind it. */
export interface Location {
  readonly start: { readonly line: number; readonly column: number }
  readonly end: { readonly line: number; readonly column: number }
}

/** The whole lines that a mutant changes, before and after, with white space joined. */
export interface Spot {
  readonly from: string
  readonly to: string
}

const joined = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function spotOf(source: string, { start, end }: Location, replacement: string): Spot {
  const lines = source.split('\n')
  const before = (lines[start.line - 1] ?? '').slice(0, start.column - 1)
  const after = (lines[end.line - 1] ?? '').slice(end.column - 1)
  return {
    from: joined(lines.slice(start.line - 1, end.line).join('\n')),
    to: joined(before + replacement + after),
  }
}
