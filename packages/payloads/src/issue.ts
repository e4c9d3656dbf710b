/**
 * Findings in a payload, as data. An excerpt is short, printable, and cut if it may be an identifier.
 */
import { describe } from '@brokerwire/core/internal'

/**
 * The kind of a finding.
 *
 * Problems, in every mode: `wrong-type`, `wrong-format`, `missing`, `too-deep`, `schema` (reported by a custom schema),
 * `frame-differs` (frame and envelope disagree; the frame's value was taken), `inexact-number` (a caller's schema got a
 * number that had lost digits).
 * Drift, in strict mode alone: `unknown-field`, `unknown-value`, `unexpected-type` (read, although documented as
 * another JSON type), `unexpected-key` (another spelling, or spaces around it), `null-for-absent`, `duplicate-key`,
 * `unexpected-pair` (scene and status not seen together).
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

/** One finding. */
export interface Issue {
  /** Kind of the finding. */
  readonly code: IssueCode
  /** Keys as received, from the payload's root. */
  readonly path: readonly PathStep[]
  /** Expected value or type, in words. */
  readonly expected: string
  /** At most 24 printable ASCII characters of the value; `undefined` if there is no value. */
  readonly excerpt?: string | undefined
  /** Message of a custom schema, at most 200 characters. It may quote the value, so no error message contains it. */
  readonly schemaMessage?: string | undefined
}

/** Longest excerpt. */
const EXCERPT_LENGTH = 24

/** A short form of a value that is safe to print. */
export function toExcerpt(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' && typeof value !== 'number') return describe(value)
  const start = String(value).slice(0, 4 * EXCERPT_LENGTH)
  const safe = start.replace(/[^ -~]/g, '?').replace(/[A-Za-z0-9]{16,}/g, (run) => `${run.slice(0, 4)}...`)
  return safe.length > EXCERPT_LENGTH ? `${safe.slice(0, EXCERPT_LENGTH - 3)}...` : safe
}

/** A path as text: `fees[0].actual_value`. Long keys are cut, what is not printable becomes `?`. */
export function formatPath(path: readonly PathStep[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += `${text === '' ? '' : '.'}${step.slice(0, 64).replace(/[^ -~]/g, '?')}`
  }
  return text === '' ? 'payload' : text
}
