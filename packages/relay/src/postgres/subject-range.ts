/** The subjects that a filter matches, as a range of the index and a pattern. */

export interface SubjectRange {
  /** The smallest subject, inclusive. */
  readonly lower: string
  /** A subject after the range, exclusive. */
  readonly upper: string
  /** A regular expression of Postgres. */
  readonly pattern: string
}

/** The character after `.` in the order of the index, which is that of the bytes. */
const AFTER_DOT = '/'
/** A character that no subject contains, and that is before all others. */
const FIRST = '\u0001'

/** Converts a filter: `*` matches any one token, `>` at its end one or more tokens. */
export function subjectRange(filter: string): SubjectRange {
  const tokens = filter.split('.')
  const wildcard = tokens.findIndex((token) => token === '*' || token === '>')
  const fixed = wildcard === -1 ? tokens : tokens.slice(0, wildcard)
  const prefix = fixed.join('.')
  const pattern = `^${tokens.map(tokenPattern).join('\\.')}$`
  if (wildcard === -1) return { lower: filter, upper: `${filter}${FIRST}`, pattern }
  if (wildcard === 0) return { lower: '', upper: '\u{10ffff}', pattern }
  return { lower: `${prefix}.`, upper: `${prefix}${AFTER_DOT}`, pattern }
}

function tokenPattern(token: string): string {
  if (token === '*') return '[^.]+'
  if (token === '>') return '.+'
  return token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
