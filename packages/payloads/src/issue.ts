/**
 * Findings in a payload, as data. An excerpt of the value is short and printable. It is truncated if it may
 * be an identifier.
 */
import { typeName } from '@brokerwire/core/internal'

/**
 * The code of a finding.
 *
 * In every mode:
 *
 * - `wrong-type`, `wrong-format`, `missing`, `too-deep`: the value is invalid or absent.
 * - `schema`: a custom schema reported the finding.
 * - `frame-differs`: frame and envelope have different values; the frame's value is used.
 * - `inexact-number`: a custom schema got a number that had lost digits.
 *
 * In strict mode only:
 *
 * - `unknown-field`, `unknown-value`: not documented.
 * - `unexpected-type`: accepted, although documented with another JSON type.
 * - `unexpected-key`: another spelling, or spaces around the key.
 * - `null-for-absent`: null instead of an absent field.
 * - `duplicate-key`: the same key twice in one object.
 * - `unexpected-pair`: scene and status that were not observed together.
 */
export type IssueCode =
  | 'wrong-type'
  | 'wrong-format'
  | 'inexact-number'
  | 'missing'
  | 'too-deep'
  | 'schema'
  | 'frame-differs'
  | 'unknown-field'
  | 'unknown-value'
  | 'unexpected-type'
  | 'unexpected-key'
  | 'null-for-absent'
  | 'duplicate-key'
  | 'unexpected-pair'

/** A step into a payload: a key as received, or an index. */
export type PathStep = string | number

/** One finding in a payload. */
export interface Issue {
  /** Code of the finding. */
  readonly code: IssueCode
  /** Keys and indices as received, from the payload's root. */
  readonly path: readonly PathStep[]
  /** Expected value or type, for people. */
  readonly expected: string
  /** At most 24 printable ASCII characters of the value; `undefined` if there is no value. */
  readonly excerpt?: string | undefined
  /** Message of a custom schema, at most 200 characters. It may quote the value, so no error message contains it. */
  readonly schemaMessage?: string | undefined
}

/** Maximum length of an excerpt. */
const EXCERPT_LENGTH = 24

/** Returns a short form of a value that is safe to print. */
export function toExcerpt(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' && typeof value !== 'number') return typeName(value)
  const start = String(value).slice(0, 4 * EXCERPT_LENGTH)
  const safe = start.replace(/[^ -~]/g, '?').replace(/[A-Za-z0-9]{16,}/g, (run) => `${run.slice(0, 4)}...`)
  return safe.length > EXCERPT_LENGTH ? `${safe.slice(0, EXCERPT_LENGTH - 3)}...` : safe
}

/**
 * Formats a path, such as `fees[0].actual_value`. Long keys are cut, and characters that are not printable ASCII become `?`.
 *
 * @example
 * ```ts
 * import { formatPath } from '@brokerwire/payloads'
 *
 * console.log(formatPath(['fees', 0, 'actual_value'])) // fees[0].actual_value
 * ```
 */
export function formatPath(path: readonly PathStep[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += `${text === '' ? '' : '.'}${step.slice(0, 64).replace(/[^ -~]/g, '?')}`
  }
  return text === '' ? 'payload' : text
}
