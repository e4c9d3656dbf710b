/**
 * The headers that a caller adds. What the client sets itself is refused instead of overruled in silence, and the
 * app secret is refused whatever reference pages say: a signature exists so that it never travels.
 */
import { describe, isRecord } from '@brokerwire/core'
import { HttpError, optionFailure } from './http-error.ts'

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
/** Visible ASCII, blanks and tabs only inside: every host sends it unchanged. */
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

const OWN = 'the client sets it'
const CONNECTION = 'the host sets it'
const FORBIDDEN: Readonly<Record<string, string>> = {
  // `constructor` is a name like any other.
  __proto__: null as never,
  'x-app-secret': 'the app secret is never sent',
  'x-app-key': OWN,
  'x-timestamp': OWN,
  'x-signature': OWN,
  'x-signature-version': OWN,
  'x-signature-algorithm': OWN,
  'x-signature-nonce': OWN,
  'x-version': 'set the option apiVersion',
  'x-access-token': 'set the option accessToken',
  host: 'it follows from baseUrl',
  'content-length': OWN,
  'transfer-encoding': OWN,
  connection: OWN,
  'proxy-connection': CONNECTION,
  'keep-alive': CONNECTION,
  expect: CONNECTION,
  te: CONNECTION,
  trailer: CONNECTION,
  upgrade: CONNECTION,
}

/** Whether a header can carry this text unchanged. */
export function isHeaderValue(text: string): boolean {
  return VALUE.test(text)
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
      const reason = FORBIDDEN[name]
      if (reason !== undefined) {
        throw new HttpError('HTTP_HEADER_FORBIDDEN', `headers.${name}: ${reason}`, {
          details: { header: name, reason },
        })
      }
      if (typeof value !== 'string') throw optionFailure(`headers.${name}`, 'a string', describe(value))
      if (!isHeaderValue(value)) throw optionFailure(`headers.${name}`, 'visible ASCII', 'other characters')
      return [name, value]
    }),
  )
}
