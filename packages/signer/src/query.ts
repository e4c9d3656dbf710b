/**
 * The query of a request line, read as application/x-www-form-urlencoded: `+` is a space, a name without `=` has an
 * empty value, a malformed escape is literal text.
 */

/** One name and its value, decoded. */
export type QueryPair = readonly [name: string, value: string]

const PLUS = /\+/g
const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/g

const decode = (text: string): string =>
  decodeURIComponent(text.replace(PLUS, ' ').replace(STRAY_PERCENT, '%25'))

/**
 * Splits and decodes a query.
 *
 * @param query - Without the `?`.
 * @throws URIError where an escape does not decode to UTF-8: no decoded text could stand for those bytes.
 */
export function parseQuery(query: string): QueryPair[] {
  return query
    .split('&')
    .filter(Boolean)
    .map((part) => {
      const at = `${part}=`.indexOf('=')
      return [decode(part.slice(0, at)), decode(part.slice(at + 1))]
    })
}
