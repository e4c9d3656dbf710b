/**
 * The context of one decoding: the current path, the problems and the issues. Decoders report problems to the
 * context instead of throwing, so that one pass finds every problem of a payload.
 */
import { type Issue, type IssueCode, type PathStep, toExcerpt } from './issue.ts'

/**
 * The result of a decoder that failed. The reason is among the problems of the context. `INVALID` is a
 * registered symbol, so that decoders of another copy of this package are compatible.
 */
export const INVALID: unique symbol = Symbol.for('@brokerwire/payloads/invalid') as never

/** Maximum number of problems, and of issues, because a hostile payload may have many. */
const MAX_FINDINGS = 100

/** The source text of the numbers of a JSON text. */
export interface Source {
  /** Returns the source text of the number at a path. */
  numberAt(path: readonly PathStep[]): string | undefined
  /**
   * Returns `value`, which is at the path, with a `NumberText` for each number that a JavaScript number
   * cannot represent.
   */
  exact(value: unknown, path: readonly PathStep[]): unknown
}

/** The context of one decoding, passed to every decoder. */
export interface DecodeContext {
  /** Whether differences from the documents are reported as issues. */
  readonly strict: boolean
  /** Source of the numbers in the JSON text. `undefined` if only the parsed value is known. */
  readonly source: Source | undefined
  /** Path from the root to the current value. */
  readonly path: PathStep[]
  /** Findings that fail the decoding. */
  readonly problems: Issue[]
  /** Findings that do not fail the decoding. */
  readonly issues: Issue[]
}

/** Creates the context of a decoding. */
export function createContext(strict: boolean, source?: Source): DecodeContext {
  return { strict, source, path: [], problems: [], issues: [] }
}

/**
 * Reports a problem at the current path, which fails the decoding.
 *
 * @returns Always {@link INVALID}, so that a decoder can return the result.
 *
 * @example
 * ```ts
 * import { decoder, invalid } from '@brokerwire/payloads'
 *
 * export const flag = decoder({ kind: 'string' }, (value, context) =>
 *   value === 'Y' || value === 'N' ? value : invalid(context, 'wrong-format', 'Y or N', value),
 * )
 * ```
 */
export function invalid(
  context: DecodeContext,
  code: IssueCode,
  expected: string,
  value: unknown,
): typeof INVALID {
  addFinding(context, context.problems, code, expected, value)
  return INVALID
}

/** Moves the problems with index `from` or higher to the issues, because their field is omitted. */
export function demoteProblems({ problems, issues }: DecodeContext, from: number): void {
  issues.push(...problems.splice(from).slice(0, Math.max(MAX_FINDINGS - issues.length, 0)))
}

/**
 * Reports a difference from the documents as an issue, in strict mode only.
 *
 * @example
 * ```ts
 * import { decoder, invalid, reportDrift } from '@brokerwire/payloads'
 *
 * export const market = decoder({ kind: 'string' }, (value, context) => {
 *   if (typeof value !== 'string') return invalid(context, 'wrong-type', 'a market', value)
 *   if (value !== 'US' && value !== 'HK') reportDrift(context, 'unknown-value', 'US or HK', value)
 *   return value
 * })
 * ```
 */
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

/** Returns the source text of the number at the current path; `undefined` if it is unknown. */
export function exactNumber(context: DecodeContext, value: number): string | undefined {
  if (context.source !== undefined) return context.source.numberAt(context.path)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** Returns an undocumented value at the current path, with a `NumberText` for each number that would lose digits. */
export function exactUndescribed(context: DecodeContext, value: unknown): unknown {
  const hasNumbers = typeof value === 'number' || (typeof value === 'object' && value !== null)
  return hasNumbers && context.source !== undefined ? context.source.exact(value, context.path) : value
}
