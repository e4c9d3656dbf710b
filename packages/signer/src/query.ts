/**
 * The query of a request line, read as application/x-www-form-urlencoded: `+` is a space, a name without `=` has an
 * empty value, a malformed escape is literal text.
 */

/** One name and its value, decoded. */
export type QueryPair = readonly [name: string, value: string]

const PLUS = /\+/g
const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/g
const ENCODED = /[+%]/

function decodePart(text: string): string {
  if (!ENCODED.test(text)) return text
  return decodeURIComponent(text.replace(PLUS, ' ').replace(STRAY_PERCENT, '%25'))
}

/**
 * Splits and decodes a query.
 *
 * @param query - Without the `?`.
 * @returns The pairs in their order, or `undefined` where an escape does not decode to UTF-8: no decoded text could
 * stand for those bytes.
 */
export function parseQuery(query: string): QueryPair[] | undefined {
  try {
    return query
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.indexOf('=')
        return at < 0
          ? [decodePart(part), '']
          : [decodePart(part.slice(0, at)), decodePart(part.slice(at + 1))]
      })
  } catch {
    return undefined
  }
}
