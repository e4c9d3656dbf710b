/**
 * Lenient parsers of the token endpoints' responses.
 *
 * Public clients and documents disagree on the name and type of the expiry, and new statuses may be added. A usable
 * value is accepted, and its difference from the documents is reported. Only a value that would break a later
 * request is an error.
 */
import { escapeControlChars, Secret } from '@brokerwire/core'
import { isRecord, ownOptions, typeName } from '@brokerwire/core/internal'
import { isTokensError, responseInvalid, type TokensError } from './tokens-error.ts'
import type { AccessTokenResponse, ResponseIssue } from './types.ts'

/** The result of parsing a response. */
export type ParseResult<T> =
  | {
      readonly ok: true
      /** The parsed response of the service. */
      readonly value: T
      /** Differences from the documents that were accepted. */
      readonly issues: readonly ResponseIssue[]
    }
  | {
      readonly ok: false
      /** The error, which names the field and never its value. */
      readonly error: TokensError<'TOKEN_RESPONSE_INVALID'>
    }

/**
 * Visible ASCII, and spaces that are neither first nor last. Every host sends a header with such a value
 * unchanged.
 */
export const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
/** Common servers reject header blocks larger than 16 KiB. */
const MAX_TOKEN_LENGTH = 8192
const DOCUMENTED_TOKEN = /^[0-9a-fA-F]{32}$/
/** The last millisecond of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999

const EXPIRY = 'milliseconds since the epoch, as a number or a numeric string'

export function parseToken(response: Record<string, unknown>, field: string): Secret {
  const value = response[field]
  if (typeof value !== 'string' || value === '')
    throw responseInvalid(field, 'a non-empty string', typeName(value))
  if (value.length > MAX_TOKEN_LENGTH)
    throw responseInvalid(field, `at most ${MAX_TOKEN_LENGTH} characters`, `${value.length} characters`)
  if (!HEADER_SAFE.test(value))
    throw responseInvalid(field, 'visible ASCII, which a header can carry', 'other characters')
  return new Secret(value)
}

/**
 * Parses the expiry. If both names are present, the specification's name is used. A missing expiry is
 * reported (specification, Resources).
 */
export function parseExpiry(
  response: Record<string, unknown>,
  names: readonly [string, string],
  issues: ResponseIssue[],
): number | undefined {
  const field = names.find((name) => response[name] !== undefined && response[name] !== null)
  if (field === undefined) {
    issues.push({ field: names[0], expected: EXPIRY, received: 'nothing' })
    return undefined
  }
  const value = response[field]
  const time = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
  if (typeof time !== 'number' || !Number.isInteger(time))
    throw responseInvalid(field, EXPIRY, typeName(value))
  if (time <= 0 || time > MAX_TIME_MS)
    throw responseInvalid(field, 'a time between 1970 and 9999, in milliseconds', 'a time outside of that')
  if (field !== names[0]) issues.push({ field: names[0], expected: `the name ${names[0]}`, received: field })
  else if (typeof value === 'string') issues.push({ field, expected: 'a number', received: 'a string' })
  return time
}

export function parseResponse<T>(
  json: unknown,
  reader: (response: Record<string, unknown>, issues: ResponseIssue[]) => T,
): ParseResult<T> {
  const issues: ResponseIssue[] = []
  try {
    if (!isRecord(json)) throw responseInvalid('body', 'a JSON object', typeName(json))
    return { ok: true, value: reader(ownOptions(json), issues), issues }
  } catch (error) {
    if (isTokensError(error, 'TOKEN_RESPONSE_INVALID')) return { ok: false, error }
    throw error
  }
}

/**
 * Parses an access-token response: `token`, `status`, `expires_at`. The expiry may also be named `expires`, and
 * may be a number or a numeric string.
 *
 * @param json - The parsed body of a response.
 * @returns The response with its differences from the documents, or an error that names the field and never its
 * value.
 *
 * @example
 * ```ts
 * import { parseAccessTokenResponse } from '@brokerwire/tokens'
 *
 * const parsed = parseAccessTokenResponse({ token: 'a', status: 'NORMAL', expires_at: 1_800_000_000_000 })
 * console.log(parsed.ok && parsed.value.status) // NORMAL
 * ```
 */
export function parseAccessTokenResponse(json: unknown): ParseResult<AccessTokenResponse> {
  return parseResponse(json, (response, issues) => {
    const token = parseToken(response, 'token')
    const { length } = token.reveal()
    if (!DOCUMENTED_TOKEN.test(token.reveal()))
      issues.push({ field: 'token', expected: '32 hexadecimal digits', received: `${length} characters` })
    const { status } = response
    if (typeof status !== 'string' || status === '' || status.length > 64)
      throw responseInvalid('status', 'a short non-empty string', typeName(status))
    const expiresAtMs = parseExpiry(response, ['expires_at', 'expires'], issues)
    // The status is escaped, because it appears in errors, observers and the store.
    return { token, expiresAtMs, status: escapeControlChars(status), issues }
  })
}
