/**
 * The percent-encoded canonical string and the query to send, in one pass over the sorted entries.
 *
 * Every name and value is encoded once and used in both: what is signed and what is sent cannot drift apart. The values
 * of headers arrive encoded, because most of them never change.
 */
import type { QueryPair } from '@brokerwire/core'
import { CLAIMS, type ClaimHeaders, SIGNED_HEADERS } from './claims.ts'
import { encodeCanonical } from './encode.ts'
import type { Compare } from './order.ts'

/** A name, its value, and the value encoded where it is a header's. */
type Entry = readonly [name: string, value: string, header?: string]

/** How entries sort: negative, zero or positive. */
export type EntryOrder = (one: Entry, other: Entry) => number

/**
 * Makes the order of entries.
 *
 * @param sortCollisions - Whether the values of a name that is a signed header's are sorted, too: otherwise the header's
 * comes first.
 */
export const entryOrder =
  (compare: Compare, sortCollisions: boolean): EntryOrder =>
  (one, other) =>
    compare(one[0], other[0]) ||
    (sortCollisions || !SIGNED_HEADERS.includes(one[0]) ? compare(one[1], other[1]) : 0)

/** Whether a query name is a claim's, or may sort between two of them. */
const mixesWithClaims = ([name]: QueryPair): boolean => name.startsWith('x-')

/**
 * Assembles a request.
 *
 * @param path - As on the request line, percent-encoded once more.
 * @param query - Decoded pairs in any order.
 * @param headers - With all claims.
 * @param entries - Their encoded entries, which stand together, without the name of the first and its `%3D`.
 * @returns The encoded canonical string without a digest, and the query to send with its `?`.
 * @throws URIError where a name or value has a lone surrogate.
 */
export function assemble(
  path: string,
  host: string,
  query: readonly QueryPair[],
  headers: ClaimHeaders,
  entries: string,
  inOrder: EntryOrder,
): { readonly text: string; readonly search: string } {
  const headerEntry = (name: string, value: string): Entry => [name, value, encodeCanonical(value)]
  const all: Entry[] = query.some(mixesWithClaims)
    ? [headerEntry('host', host), ...CLAIMS.map((name) => headerEntry(name, headers[name]))]
    : // Where nothing mixes with the claims, they go in as they are.
      [headerEntry('host', host), [CLAIMS[0], '', entries]]
  // A few pairs are in their places before `sort` has begun; many, which a stranger may send, take it.
  for (const pair of query.length > 16 ? [...query].sort(inOrder) : query) {
    let at = all.length
    for (; at && inOrder(all[at - 1] as Entry, pair) > 0; at -= 1) all[at] = all[at - 1] as Entry
    all[at] = pair
  }
  let text = path
  let search = ''
  let lastName: string | undefined
  for (const [name, value, header] of all) {
    const encodedName = header ? name : encodeCanonical(name)
    const encodedValue = header ?? encodeCanonical(value)
    text += name === lastName ? `%26${encodedValue}` : `%26${encodedName}%3D${encodedValue}`
    lastName = name
    if (!header) search += `${search ? '&' : '?'}${encodedName}=${encodedValue}`
  }
  return { text, search }
}
