/**
 * The headers that a caller adds. What the client sets itself is refused instead of overruled in silence, and the
 * app secret is refused whatever reference pages say: a signature exists so that it never travels.
 */
import { describe, isRecord } from '@brokerwire/core/internal'
import { HttpError, optionFailure } from './http-error.ts'

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
/** Visible ASCII, blanks and tabs only inside: every host sends it unchanged. */
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

/** Names that are refused, by the reason. */
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

/**
 * A text that a header carries unchanged.
 *
 * @throws {@link HttpError} `HTTP_OPTION_INVALID`
 */
export function readHeaderValue(option: string, text: string): string {
  if (VALUE.test(text)) return text
  throw optionFailure(option, 'visible ASCII', 'other characters')
}

/**
 * The caller's headers under lower-case names.
 *
 * @throws {@link HttpError} `HTTP_HEADER_FORBIDDEN`, `HTTP_OPTION_INVALID`
 */
export function readHeaders(headers: unknown = {}): Record<string, string> {
  // A `Headers` or a `Map` has no entries of its own to read: its headers would be left out in silence.
  if (!isRecord(headers) || Symbol.iterator in headers)
    throw optionFailure('headers', 'a plain object of texts', describe(headers))
  return Object.fromEntries(
    Object.entries(headers).map(([given, value]) => {
      if (!NAME.test(given)) throw optionFailure('headers', 'names of HTTP headers', 'another name')
      const name = given.toLowerCase()
      const reason = FORBIDDEN.find(({ names }) => names.includes(name))?.reason
      const option = `headers.${name}`
      if (reason !== undefined) {
        throw new HttpError('HTTP_HEADER_FORBIDDEN', `${option}: ${reason}`, {
          details: { header: name, reason },
        })
      }
      if (typeof value !== 'string') throw optionFailure(option, 'a string', describe(value))
      return [name, readHeaderValue(option, value)]
    }),
  )
}
