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
export const INVALID: unique symbol = Symbol.for('@brokerwire/payloads/invalid') as never

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
export interface DecodeContext {
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
export function createContext(strict: boolean, source?: Source): DecodeContext {
  return { strict, source, path: [], problems: [], issues: [] }
}

/** Reports a problem at the current path. */
export function invalid(
  context: DecodeContext,
  code: IssueCode,
  expected: string,
  value: unknown,
): typeof INVALID {
  addFinding(context, context.problems, code, expected, value)
  return INVALID
}

/** Turns the problems from index `from` into issues: their field is omitted. */
export function demoteProblems({ problems, issues }: DecodeContext, from: number): void {
  issues.push(...problems.splice(from).slice(0, Math.max(MAX_FINDINGS - issues.length, 0)))
}

/** Reports a readable difference from the documents, in strict mode only. */
export function reportDrift(context: DecodeContext, code: IssueCode, expected: string, value: unknown): void {
  if (context.strict) reportIssue(context, code, expected, value)
}

/** Reports an issue in every mode. */
export function reportIssue(context: DecodeContext, code: IssueCode, expected: string, value: unknown): void {
  addFinding(context, context.issues, code, expected, value)
}

function addFinding(
  context: DecodeContext,
  to: Issue[],
  code: IssueCode,
  expected: string,
  value: unknown,
): void {
  if (to.length >= MAX_FINDINGS) return
  const path = [...context.path]
  const shown = typeof value === 'number' ? (context.source?.numberAt(path) ?? value) : value
  to.push(
    shown === undefined ? { code, path, expected } : { code, path, expected, excerpt: toExcerpt(shown) },
  )
}

/** The exact text of a number in a text field; `undefined` if it is unknown. */
export function exactNumber(context: DecodeContext, value: number): string | undefined {
  if (context.source !== undefined) return context.source.numberAt(context.path)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** A value that no definition describes, at the current path: none of its numbers has lost digits. */
export function exactUndescribed(context: DecodeContext, value: unknown): unknown {
  const hasNumbers = typeof value === 'number' || (typeof value === 'object' && value !== null)
  return hasNumbers && context.source !== undefined ? context.source.exact(value, context.path) : value
}
