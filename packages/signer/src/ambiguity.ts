/**
 * Finds requests whose canonical string may equal that of a different request. This can happen, because a
 * separator inside a name or value looks like a separator between them. THREATS.md shows each case with its
 * test.
 */
import type { QueryPair } from '@brokerwire/core'
import { SIGNED_HEADERS } from './canonical-request.ts'
import type { Compare } from './order.ts'

const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/
const DIGEST_SHAPE = /^(?:[\dA-F]{32}|[\dA-F]{64})$/

/** Returns the first ambiguity in the values of one repeated name; `undefined` if there is none. */
function repeatedReason(values: readonly string[], compare: Compare): string | undefined {
  for (const [i, value] of values.entries()) {
    if (i === 0) continue
    if (compare(values[i - 1] as string, value) > 0)
      return 'values of a repeated name are not in signed order'
    if (value.includes('=')) return '= in a value of a repeated name'
    if (DIGEST_SHAPE.test(value)) return 'a value of a repeated name looks like a digest'
  }
  return undefined
}

/**
 * Finds an ambiguity in a request.
 *
 * @param target - The raw request target.
 * @param path - The path of the target.
 * @param query - The decoded pairs of the target, in the order of arrival.
 * @param texts - Host, app key and nonce.
 * @returns The first reason, or `undefined` if the request is unambiguous.
 */
export function findAmbiguity(
  target: string,
  path: string,
  query: readonly QueryPair[],
  texts: readonly string[],
  compare: Compare,
): string | undefined {
  if (path.includes('&')) return '& in the path'
  if (STRAY_PERCENT.test(target.slice(path.length))) return 'a malformed escape in the query'
  if (texts.some((text) => text.includes('&'))) return '& in a signed header'
  const values = new Map<string, string[]>()
  for (const [name, value] of query) {
    if (/[&=]/.test(name)) return '& or = in a query name'
    if (value.includes('&')) return '& in a query value'
    if (SIGNED_HEADERS.includes(name)) return 'a query name equals a signed header'
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  for (const list of values.values()) {
    const reason = repeatedReason(list, compare)
    if (reason !== undefined) return reason
  }
  return undefined
}
