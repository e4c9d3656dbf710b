/**
 * Checks the caller's headers. A header that a client sets is rejected, because it would be overwritten silently. The app secret is
 * also rejected, even if a reference page lists it as a header, because requests are signed so that the secret is never sent.
 */
import { isRecord, typeName } from '../guards.ts'
import type { OptionFailure } from './failure.ts'
import type { Schema } from './schema.ts'

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
/**
 * Visible ASCII. Spaces and tabs are allowed only between visible characters. All hosts send such a value
 * unchanged.
 */
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

/** Names in lower case that are rejected, with the reason. */
export interface ForbiddenHeaders {
  readonly reason: string
  readonly names: readonly string[]
}

/** The headers that no caller may set, over HTTP and in streams. */
export const RESERVED_HEADERS: readonly ForbiddenHeaders[] = [
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
]

/** Checks the value of a header. @throws The error that `fail` creates. */
export function requireHeaderValue(option: string, value: string, fail: OptionFailure): string {
  if (VALUE.test(value)) return value
  throw fail(option, 'visible ASCII', 'other characters')
}

/**
 * The caller's headers, with names in lower case.
 *
 * @param forbidden - Names that are rejected.
 * @param reject - Creates the error for one of these names.
 */
export const headers =
  (
    forbidden: readonly ForbiddenHeaders[],
    reject: (option: string, header: string, reason: string) => Error,
  ): Schema<Readonly<Record<string, string>>> =>
  (value = {}, path, fail) => {
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
      const reason = forbidden.find(({ names }) => names.includes(name))?.reason
      const option = `${path}.${name}`
      if (reason !== undefined) throw reject(option, name, reason)
      if (typeof text !== 'string') throw fail(option, 'a string', typeName(text))
      if (read.has(name)) throw fail(option, 'given once', 'names that differ only in case')
      read.set(name, requireHeaderValue(option, text, fail))
    }
    return Object.fromEntries(read)
  }
