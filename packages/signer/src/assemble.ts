/**
 * The percent-encoded canonical string and the query to send, in one pass over the sorted pairs.
 *
 * Every name and value is encoded once and used in both: what is signed and what is sent cannot drift apart. The
 * headers' entries arrive encoded, because most of them never change.
 */
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

/** The encoded entry of a header or a query pair. */
export const entryOf = (name: string, value: string): string => `${name}%3D${encodeCanonical(value)}`

/** A pair, and whether it is a header's: those are not sent in the query. */
type SortedPair = readonly [name: string, value: string, isHeader?: boolean]

/**
 * @param path - As on the request line, encoded.
 * @param query - Decoded pairs in any order; not changed.
 * @param entries - Encoded entries of {@link SIGNED_HEADERS}, in that order.
 * @returns The encoded canonical string without a digest, and the query to send with its `?`.
 */
export function assemble(
  path: string,
  query: readonly QueryPair[],
  entries: readonly string[],
  compare: Compare,
  sortCollisions: boolean,
): readonly [text: string, search: string] {
  const isHeader = (pair: SortedPair): boolean => SIGNED_HEADERS.includes(pair[0])
  // Where a name is a header's, all headers take part in the sorting; else their entries are put between.
  const pairs: SortedPair[] = query.slice()
  const collides = pairs.some(isHeader)
  if (collides) {
    pairs.unshift(
      ...entries.map((entry, i): SortedPair => {
        const name = SIGNED_HEADERS[i] as string
        return [name, decodeURIComponent(entry).slice(name.length + 1), true]
      }),
    )
  }
  pairs.sort((a, b) => compare(a[0], b[0]) || (sortCollisions || !isHeader(a) ? compare(a[1], b[1]) : 0))
  let next = collides ? 6 : 0
  let text = path
  let search = ''
  let open: string | undefined
  for (const [name, value, ofHeader] of pairs) {
    const encodedName = encodeCanonical(name)
    const encoded = encodeCanonical(value)
    while ((SIGNED_HEADERS[next] as string) < name) text += `%26${entries[next++]}`
    text += name === open ? `%26${encoded}` : `%26${encodedName}%3D${encoded}`
    open = name
    if (!ofHeader) search += `${search ? '&' : '?'}${encodedName}=${encoded}`
  }
  while (next < 6) text += `%26${entries[next++]}`
  return [text, search]
}
