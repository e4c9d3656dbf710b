/**
 * The state of one decoding: its current path and its findings.
 *
 * Decoders report here instead of throwing, so that one pass finds every problem of a payload.
 */
import { type Issue, type IssueCode, type PathStep, toExcerpt } from './issue.ts'

/**
 * The result of a decoder that failed; the reason is among the problems. A registered symbol, so that decoders of another
 * copy of this package are compatible.
 */
export const UNREADABLE: unique symbol = Symbol.for('@brokerwire/payloads/unreadable') as never

/** Most findings that are kept, because a payload may be hostile. */
const MAX_FINDINGS = 100

/** The source text of the numbers of a JSON text. */
export interface Source {
  /** The source text of the number at a path. */
  numberAt(path: readonly PathStep[]): string | undefined
  /** The parsed value at a path, with a `NumberText` for each number that a JavaScript number does not hold. */
  exact(value: unknown, path: readonly PathStep[]): unknown
}

/** One decoding. */
export interface Reading {
  /** Reports drift as issues. */
  readonly strict: boolean
  /** Source of the JSON text; `undefined` if only the parsed value is known. */
  readonly source: Source | undefined
  /** From the root to the value that is read now. */
  readonly path: PathStep[]
  /** Findings that make the decoding fail. */
  readonly problems: Issue[]
  /** Findings that do not make the decoding fail. */
  readonly issues: Issue[]
}

/** The state before the first value. */
export function startReading(strict: boolean, source?: Source): Reading {
  return { strict, source, path: [], problems: [], issues: [] }
}

/** Reports a problem at the current path. */
export function unreadable(
  reading: Reading,
  code: IssueCode,
  expected: string,
  value: unknown,
): typeof UNREADABLE {
  addFinding(reading, reading.problems, code, expected, value)
  return UNREADABLE
}

/** Turns the problems from index `from` into issues: their field is omitted. */
export function demoteProblems({ problems, issues }: Reading, from: number): void {
  issues.push(...problems.splice(from).slice(0, Math.max(MAX_FINDINGS - issues.length, 0)))
}

/** Reports a readable difference from the documents, in strict mode only. */
export function drift(reading: Reading, code: IssueCode, expected: string, value: unknown): void {
  if (reading.strict) report(reading, code, expected, value)
}

/** Reports an issue in every mode. */
export function report(reading: Reading, code: IssueCode, expected: string, value: unknown): void {
  addFinding(reading, reading.issues, code, expected, value)
}

function addFinding(reading: Reading, to: Issue[], code: IssueCode, expected: string, value: unknown): void {
  if (to.length >= MAX_FINDINGS) return
  const path = [...reading.path]
  const shown = typeof value === 'number' ? (reading.source?.numberAt(path) ?? value) : value
  to.push(
    shown === undefined ? { code, path, expected } : { code, path, expected, excerpt: toExcerpt(shown) },
  )
}

/** The exact text of a number in a text field; `undefined` if it is unknown. */
export function exactNumber(reading: Reading, value: number): string | undefined {
  if (reading.source !== undefined) return reading.source.numberAt(reading.path)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** A value that no definition describes, at the current path: none of its numbers has lost digits. */
export function exactUndescribed(reading: Reading, value: unknown): unknown {
  const hasNumbers = typeof value === 'number' || (typeof value === 'object' && value !== null)
  return hasNumbers && reading.source !== undefined ? reading.source.exact(value, reading.path) : value
}
