/**
 * Lenient readers of the token endpoints' answers.
 *
 * Public clients and documents disagree on the expiry's name and type, and new statuses may come: what can be used
 * is taken and the difference reported. Only what would break a later request is an error.
 */
import { printable, Secret } from '@brokerwire/core'
import { describe, isRecord, ownOptions } from '@brokerwire/core/internal'
import { answerInvalid, isTokensError, type TokensError } from './tokens-error.ts'
import type { AccessTokenResponse, ResponseIssue } from './types.ts'

/** The result of reading an answer. */
export type ParseResult<T> =
  | { readonly ok: true; readonly value: T; readonly issues: readonly ResponseIssue[] }
  | { readonly ok: false; readonly error: TokensError<'TOKEN_RESPONSE_INVALID'> }

/** Visible ASCII, blanks only inside: what a header carries unchanged on every host. */
export const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
/** Common servers refuse header blocks beyond 16 KiB. */
const MAX_TOKEN_LENGTH = 8192
const DOCUMENTED_TOKEN = /^[0-9a-fA-F]{32}$/
/** The last millisecond of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999

const EXPIRY = 'milliseconds since the epoch, as a number or a numeric string'

export function readToken(answer: Record<string, unknown>, field: string): Secret {
  const value = answer[field]
  if (typeof value !== 'string' || value === '')
    throw answerInvalid(field, 'a non-empty string', describe(value))
  if (value.length > MAX_TOKEN_LENGTH)
    throw answerInvalid(field, `at most ${MAX_TOKEN_LENGTH} characters`, `${value.length} characters`)
  if (!HEADER_SAFE.test(value))
    throw answerInvalid(field, 'visible ASCII, which a header can carry', 'other characters')
  return new Secret(value)
}

/** The specification's name wins where both are present; one that is missing is reported (specification, Resources). */
export function readTime(
  answer: Record<string, unknown>,
  names: readonly [string, string],
  issues: ResponseIssue[],
): number | undefined {
  const field = names.find((name) => answer[name] !== undefined && answer[name] !== null)
  if (field === undefined) {
    issues.push({ field: names[0], expected: EXPIRY, received: 'nothing' })
    return undefined
  }
  const value = answer[field]
  const time = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
  if (typeof time !== 'number' || !Number.isInteger(time)) throw answerInvalid(field, EXPIRY, describe(value))
  if (time <= 0 || time > MAX_TIME_MS)
    throw answerInvalid(field, 'a time between 1970 and 9999, in milliseconds', 'a time outside of that')
  if (field !== names[0]) issues.push({ field: names[0], expected: `the name ${names[0]}`, received: field })
  else if (typeof value === 'string') issues.push({ field, expected: 'a number', received: 'a string' })
  return time
}

export function readAnswer<T>(
  json: unknown,
  reader: (answer: Record<string, unknown>, issues: ResponseIssue[]) => T,
): ParseResult<T> {
  const issues: ResponseIssue[] = []
  try {
    if (!isRecord(json)) throw answerInvalid('body', 'a JSON object', describe(json))
    return { ok: true, value: reader(ownOptions(json), issues), issues }
  } catch (error) {
    if (isTokensError(error, 'TOKEN_RESPONSE_INVALID')) return { ok: false, error }
    throw error
  }
}

/**
 * Reads an access-token record: `token`, `status`, `expires_at` (also `expires`; a number or a numeric string).
 *
 * @param json - The parsed body of an answer.
 * @returns The record with its differences from the documents, or an error that names the field and never its value.
 */
export function parseAccessTokenResponse(json: unknown): ParseResult<AccessTokenResponse> {
  return readAnswer(json, (answer, issues) => {
    const token = readToken(answer, 'token')
    const { length } = token.reveal()
    if (!DOCUMENTED_TOKEN.test(token.reveal()))
      issues.push({ field: 'token', expected: '32 hexadecimal digits', received: `${length} characters` })
    const { status } = answer
    if (typeof status !== 'string' || status === '' || status.length > 64)
      throw answerInvalid('status', 'a short non-empty string', describe(status))
    const expiresAtMs = readTime(answer, ['expires_at', 'expires'], issues)
    // Errors, observers and the store carry it on: an unknown one steers no terminal.
    return { token, expiresAtMs, status: printable(status), issues }
  })
}
