/**
 * The percent-encoded canonical string and the query to send, in one pass over the sorted pairs.
 *
 * Every name and value is encoded once and used in both: what is signed and what is sent cannot drift apart. The
 * headers' entries arrive encoded, because most of them never change.
 */
import type { HeaderCollision } from './collision.ts'
import { encodeCanonical } from './encode.ts'
import type { Compare } from './order.ts'
import type { QueryPair } from './query.ts'

/** Signed headers in the order in which they sort. */
export const SIGNED_HEADERS: readonly string[] = [
  'host',
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-nonce',
  'x-signature-version',
  'x-timestamp',
]

/**
 * @param path - As on the request line, encoded.
 * @param query - Decoded pairs in any order; not changed.
 * @param headers - Values of {@link SIGNED_HEADERS}, in that order.
 * @param entries - The same as encoded entries, each with the `&` before it.
 * @returns The encoded canonical string without a digest, and the query to send with its `?`.
 */
export function assemble(
  path: string,
  query: readonly QueryPair[],
  headers: readonly string[],
  entries: readonly string[],
  compare: Compare,
  collision: HeaderCollision,
): readonly [text: string, search: string] {
  const isHeader = (name: string): boolean => SIGNED_HEADERS.includes(name)
  const collides = query.some(([name]) => isHeader(name))
  // Where a name is a header's, all headers take part in the sorting; else their entries are put between.
  const first = collides ? headers.map((value, i) => [SIGNED_HEADERS[i] as string, value, true] as const) : []
  const pairs: (readonly [string, string, boolean?])[] = [...first, ...query].sort(
    (a, b) => compare(a[0], b[0]) || (collision === 'sorted' || !isHeader(a[0]) ? compare(a[1], b[1]) : 0),
  )
  let next = first.length
  let text = path
  let search = ''
  let open: string | undefined
  for (const [name, value, isSigned] of pairs) {
    const encodedName = encodeCanonical(name)
    const encoded = encodeCanonical(value)
    while ((SIGNED_HEADERS[next] as string) < name) text += entries[next++]
    text += name === open ? `%26${encoded}` : `%26${encodedName}%3D${encoded}`
    open = name
    if (!isSigned) search += `${search ? '&' : '?'}${encodedName}=${encoded}`
  }
  while (next < 6) text += entries[next++]
  return [text, search]
}
