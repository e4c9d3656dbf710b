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

/** A pair, and whether it is a header's: those are not sent in the query. */
type SortedPair = readonly [name: string, value: string, isHeader?: boolean]

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
  const isHeader = (pair: SortedPair): boolean => SIGNED_HEADERS.includes(pair[0])
  // Where a name is a header's, all headers take part in the sorting; else their entries are put between.
  const pairs: SortedPair[] = [...query]
  const collides = pairs.some(isHeader)
  if (collides)
    pairs.unshift(...headers.map((value, i) => [SIGNED_HEADERS[i] as string, value, true] as const))
  if (pairs.length > 1) {
    pairs.sort(
      (a, b) => compare(a[0], b[0]) || (collision === 'sorted' || !isHeader(a) ? compare(a[1], b[1]) : 0),
    )
  }
  let next = collides ? 6 : 0
  let text = path
  let search = ''
  let open: string | undefined
  for (const pair of pairs) {
    const name = pair[0]
    const encodedName = encodeCanonical(name)
    const encoded = encodeCanonical(pair[1])
    while ((SIGNED_HEADERS[next] as string) < name) text += entries[next++]
    text += name === open ? `%26${encoded}` : `%26${encodedName}%3D${encoded}`
    open = name
    if (!pair[2]) search += `${search ? '&' : '?'}${encodedName}=${encoded}`
  }
  while (next < 6) text += entries[next++]
  return [text, search]
}
