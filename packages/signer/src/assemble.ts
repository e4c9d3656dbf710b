/**
 * The percent-encoded canonical string and the query to send, in one pass over the sorted pairs.
 *
 * Every name and value is encoded once and used in both: what is signed and what is sent cannot drift apart. The
 * headers' entries arrive encoded, because most of them never change.
 */
import type { QueryPair } from '@brokerwire/core'
import { encodeCanonical } from './encode.ts'
import type { Compare } from './order.ts'

/** The headers of a signature that are signed, in the order in which they sort. */
export const CLAIMS = [
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-nonce',
  'x-signature-version',
  'x-timestamp',
] as const

/** All signed headers, in the order in which they sort. */
export const SIGNED_HEADERS: readonly string[] = ['host', ...CLAIMS]

/** The encoded entry of a header or a query pair. */
export const entryOf = (name: string, value: string): string => `${name}%3D${encodeCanonical(value)}`

/** A request's parts, as far as its headers are made. */
export interface AssembledParts {
  /** As on the request line, percent-encoded once more. */
  readonly encodedPath: string
  /** Decoded pairs in any order. */
  readonly query: readonly QueryPair[]
  readonly host: string
  /** The encoded entries of all {@link CLAIMS}: they stand together. */
  readonly entries: string
  /** The same as they are sent, for queries with names that mix with theirs. */
  readonly claims: Readonly<Record<(typeof CLAIMS)[number], string>>
}

/** How names and values sort. */
export interface Sorting {
  readonly compare: Compare
  /** Whether the values of a name that is a signed header's are sorted, too: otherwise the header's comes first. */
  readonly sortCollisions: boolean
}

/** Whether a query name is a header's, or may sort between two of them. */
const mixesWithHeaders = (pair: QueryPair): boolean => pair[0] === 'host' || pair[0].startsWith('x-')

/**
 * Assembles a request.
 *
 * @returns The encoded canonical string without a digest, and the query to send with its `?`.
 * @throws URIError where a name or value has a lone surrogate.
 */
export function assemble(
  { encodedPath, query, host, entries, claims }: AssembledParts,
  { compare, sortCollisions }: Sorting,
): { readonly text: string; readonly search: string } {
  const mixed = query.some(mixesWithHeaders)
  const headers: readonly QueryPair[] = mixed
    ? [['host', host], ...CLAIMS.map((name): QueryPair => [name, claims[name]])]
    : []
  const pairs = headers
    .concat(query)
    .sort(
      ([name, value], [other, otherValue]) =>
        compare(name, other) ||
        (sortCollisions || !SIGNED_HEADERS.includes(name) ? compare(value, otherValue) : 0),
    )
  // Where nothing mixes with them, the headers' entries go in as they are.
  const blocks = mixed
    ? []
    : [
        { name: 'host', text: entryOf('host', host) },
        { name: CLAIMS[0], text: entries },
      ]
  let text = encodedPath
  let search = ''
  let lastName: string | undefined
  for (const pair of pairs) {
    const [name, value] = pair
    for (let block = blocks[0]; block && block.name < name; block = blocks[0]) {
      text += `%26${block.text}`
      blocks.shift()
    }
    const encodedName = encodeCanonical(name)
    const encodedValue = encodeCanonical(value)
    text += name === lastName ? `%26${encodedValue}` : `%26${encodedName}%3D${encodedValue}`
    lastName = name
    if (!headers.includes(pair)) search += `${search ? '&' : '?'}${encodedName}=${encodedValue}`
  }
  for (const block of blocks) text += `%26${block.text}`
  return { text, search }
}
