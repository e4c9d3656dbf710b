/**
 * Checks the caller's headers. A header that the client sets is rejected, because it would be overwritten
 * silently. The app secret is also rejected, even if a reference page lists it as a header, because requests
 * are signed so that the secret is never sent.
 */
import { isRecord, type OptionFailure, type Schema, typeName } from '@brokerwire/core/internal'
import { HttpError } from './http-error.ts'

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
/**
 * Visible ASCII. Spaces and tabs are allowed only between visible characters. All hosts send such a value
 * unchanged.
 */
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

/** Rejected names with the reason. */
const FORBIDDEN = [
  {
    reason: 'the client sets it',
    names: [
      'x-app-key',
      'x-signature-algorithm',
      'x-signature-nonce',
      'x-signature-version',
      'x-timestamp',
      'x-signature',
      'content-length',
      'transfer-encoding',
      'connection',
    ],
  },
  {
    reason: 'the host sets it',
    names: ['proxy-connection', 'keep-alive', 'expect', 'te', 'trailer', 'upgrade'],
  },
  { reason: 'the app secret is never sent', names: ['x-app-secret'] },
  { reason: 'set the option apiVersion', names: ['x-version'] },
  { reason: 'set the option accessToken', names: ['x-access-token'] },
  { reason: 'it follows from baseUrl', names: ['host'] },
]

/** Checks the value of a header. @throws The error that `fail` creates. */
export function requireHeaderValue(option: string, value: string, fail: OptionFailure): string {
  if (VALUE.test(value)) return value
  throw fail(option, 'visible ASCII', 'other characters')
}

/**
 * Returns the caller's headers with names in lower case.
 * @throws {@link HttpError} `HTTP_HEADER_FORBIDDEN`, and the error that `fail` creates
 */
export const headers: Schema<Readonly<Record<string, string>>> = (value = {}, path, fail) => {
  if (!isRecord(value)) throw fail(path, 'a plain object of strings', typeName(value))
  // The headers of a `Headers` or a `Map` are not properties, so they would be lost.
  if (Symbol.iterator in value)
    throw fail(
      path,
      'a plain object of strings',
      'an iterable',
      `${path} must be a plain object of strings; received an iterable. Use Object.fromEntries(headers)`,
    )
  const read = new Map<string, string>()
  for (const [given, text] of Object.entries(value)) {
    if (!NAME.test(given)) throw fail(path, 'an object of header names', 'another name')
    const name = given.toLowerCase()
    const reason = FORBIDDEN.find(({ names }) => names.includes(name))?.reason
    const option = `${path}.${name}`
    if (reason !== undefined) {
      throw new HttpError('HTTP_HEADER_FORBIDDEN', `${option} must not be set: ${reason}`, {
        details: { header: name, reason },
      })
    }
    if (typeof text !== 'string') throw fail(option, 'a string', typeName(text))
    if (read.has(name)) throw fail(option, 'given once', 'names that differ only in case')
    read.set(name, requireHeaderValue(option, text, fail))
  }
  return Object.fromEntries(read)
}
