/**
 * The query of a request line, read as application/x-www-form-urlencoded: `+` is a space, a name without `=` has an
 * empty value, a malformed escape is literal text.
 */

/** One name and its value, decoded. */
export type QueryPair = readonly [name: string, value: string]

const PART = /([^&=]+|(?==))=?([^&]*)/g
const PLUS = /\+/g
const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/g

/**
 * Splits and decodes a query.
 *
 * @param query - Without the `?`.
 * @throws URIError where an escape does not decode to UTF-8: no decoded text could stand for those bytes.
 */
export function parseQuery(query: string): QueryPair[] {
  const plain = query.replace(PLUS, ' ').replace(STRAY_PERCENT, '%25')
  return Array.from(
    plain.matchAll(PART),
    ([, ...pair]) => pair.map(decodeURIComponent) as unknown as QueryPair,
  )
}
