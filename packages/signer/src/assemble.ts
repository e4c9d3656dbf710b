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

/** A pair; a header's has the headers beside it, which no caller has: those are not sent in the query. */
type SortedPair = readonly [name: string, value: string, headers?: Readonly<Record<string, string>>]

/**
 * @param path - As on the request line, encoded.
 * @param query - Decoded pairs in any order; not changed.
 * @param block - Encoded entries of all {@link SIGNED_HEADERS} but the host: they stand together.
 * @param headers - The same as they are sent, for queries with names that mix with theirs.
 * @returns The encoded canonical string without a digest, and the query to send with its `?`.
 */
export function assemble(
  path: string,
  query: readonly QueryPair[],
  host: string,
  block: string,
  headers: Readonly<Record<string, string>>,
  compare: Compare,
  sortCollisions: boolean,
): readonly [text: string, search: string] {
  const pairs: SortedPair[] = query.slice()
  // Names that are a header's, or may sort between two of them.
  const mixed = pairs.some(([name]) => name === 'host' || name.startsWith('x-'))
  if (mixed)
    pairs.unshift(
      ...SIGNED_HEADERS.map(
        (name) => [name, name === 'host' ? host : (headers[name] as string), headers] as const,
      ),
    )
  pairs.sort(
    ([name, value], [other, otherValue]) =>
      compare(name, other) ||
      (sortCollisions || !SIGNED_HEADERS.includes(name) ? compare(value, otherValue) : 0),
  )
  const blocks = [entryOf('host', host), block]
  let next = mixed ? 2 : 0
  let text = path
  let search = ''
  let open: string | undefined
  for (const [name, value, ofHeader] of pairs) {
    const encodedName = encodeCanonical(name)
    const encoded = encodeCanonical(value)
    while (next < 2 && (SIGNED_HEADERS[next] as string) < name) text += `%26${blocks[next++]}`
    text += `%26${name === open ? encoded : `${encodedName}%3D${encoded}`}`
    open = name
    if (ofHeader !== headers) search += `${search ? '&' : '?'}${encodedName}=${encoded}`
  }
  while (next < 2) text += `%26${blocks[next++]}`
  return [text, search]
}
