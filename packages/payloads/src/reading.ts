/**
 * The state of one decoding: where it stands, and what it found.
 *
 * Decoders report here instead of throwing, so that one pass tells every problem of a payload.
 */
import { excerptOf, type Issue, type IssueCode, type PathStep } from './issue.ts'

/**
 * Says that a decoder could not read a value; the reason is among the problems. In the registry of symbols, so that a
 * decoder made with another copy of this package is understood.
 */
export const UNREADABLE: unique symbol = Symbol.for('@brokerwire/payloads/unreadable') as never

/** Of a hostile payload only the first findings are kept. */
const MAX_FINDINGS = 100

/** The numbers of a JSON text, as they stand there. */
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
  /** The JSON text that is read. `undefined` where only the parsed value is there. */
  readonly source: Source | undefined
  /** From the root to the value that is read now. */
  readonly path: PathStep[]
  /** Make the decoding fail. */
  readonly problems: Issue[]
  /** Stand beside the value. */
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
  note(reading, reading.problems, code, expected, value)
  return UNREADABLE
}

/** Makes issues of the problems from the `from`th on: what they are about is left out. */
export function forgive({ problems, issues }: Reading, from: number): void {
  issues.push(...problems.splice(from).slice(0, Math.max(MAX_FINDINGS - issues.length, 0)))
}

/** Reports what differs from the documents and could be read nevertheless. In lenient mode it goes unsaid. */
export function drift(reading: Reading, code: IssueCode, expected: string, value: unknown): void {
  if (reading.strict) report(reading, code, expected, value)
}

/** Reports an issue in every mode. */
export function report(reading: Reading, code: IssueCode, expected: string, value: unknown): void {
  note(reading, reading.issues, code, expected, value)
}

function note(reading: Reading, to: Issue[], code: IssueCode, expected: string, value: unknown): void {
  if (to.length >= MAX_FINDINGS) return
  const path = [...reading.path]
  const shown = typeof value === 'number' ? (reading.source?.numberAt(path) ?? value) : value
  to.push(
    shown === undefined ? { code, path, expected } : { code, path, expected, excerpt: excerptOf(shown) },
  )
}

/** The exact text of a number that stands where text is declared; `undefined` where it cannot be known. */
export function exactNumber(reading: Reading, value: number): string | undefined {
  if (reading.source !== undefined) return reading.source.numberAt(reading.path)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** A value that no definition describes, at the current path: none of its numbers has lost digits. */
export function undescribed(reading: Reading, value: unknown): unknown {
  const hasNumbers = typeof value === 'number' || (typeof value === 'object' && value !== null)
  return hasNumbers && reading.source !== undefined ? reading.source.exact(value, reading.path) : value
}
