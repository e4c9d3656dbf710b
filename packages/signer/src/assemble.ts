/**
 * The percent-encoded canonical string and the query to send, in one pass over the sorted entries.
 *
 * Every name and value is encoded once and used in both: what is signed and what is sent cannot drift apart.
 */
import type { QueryPair } from '@brokerwire/core'
import { CLAIMS, type ClaimHeaders, SIGNED_HEADERS } from './claims.ts'
import { encodeCanonical } from './encode.ts'
import type { Compare } from './order.ts'

/** A name and one of its values, decoded. */
interface Entry {
  readonly name: string
  readonly value: string
  /** `false` for a signed header, which is not part of the URL. */
  readonly inQuery: boolean
}

/** How entries sort: negative, zero or positive. */
export type EntryOrder = (left: Entry, right: Entry) => number

/**
 * Makes the order of entries: by name, then by value.
 *
 * @param sortCollisions - Whether the values of a query name that equals a signed header's name are sorted too.
 * Otherwise they keep their order, and the header's value comes first.
 */
export const entryOrder =
  (compare: Compare, sortCollisions: boolean): EntryOrder =>
  (left, right) => {
    const byName = compare(left.name, right.name)
    if (byName !== 0) return byName
    const isSorted = sortCollisions || !SIGNED_HEADERS.includes(left.name)
    return isSorted ? compare(left.value, right.value) : 0
  }

/** Whether a query name equals a claim's name or sorts between two of them. */
const isAmongClaims = ([name]: QueryPair): boolean => name.startsWith('x-')

/**
 * Assembles a request.
 *
 * @param path - As on the request line, percent-encoded once more.
 * @param query - Decoded pairs in any order.
 * @param headers - With all claims.
 * @param encodedClaims - The encoded entries of all claims, joined with `%26`.
 * @returns The encoded canonical string without a digest, and the query to send with its `?`.
 * @throws URIError if a name or value has a lone surrogate.
 */
export function assemble(
  path: string,
  host: string,
  query: readonly QueryPair[],
  headers: ClaimHeaders,
  encodedClaims: string,
  order: EntryOrder,
): { readonly text: string; readonly search: string } {
  const entries: Entry[] = [{ name: 'host', value: host, inQuery: false }]
  // In most requests the claims stay together, and their encoded entries are added as one block.
  const isBlock = !query.some(isAmongClaims)
  if (!isBlock) for (const name of CLAIMS) entries.push({ name, value: headers[name], inQuery: false })
  for (const [name, value] of query) entries.push({ name, value, inQuery: true })
  entries.sort(order)

  let text = path
  let search = ''
  let lastName: string | undefined
  let isBlockPending = isBlock
  for (const { name, value, inQuery } of entries) {
    if (isBlockPending && name > CLAIMS[0]) {
      text += `%26${encodedClaims}`
      isBlockPending = false
    }
    const encodedName = encodeCanonical(name)
    const encodedValue = encodeCanonical(value)
    text += name === lastName ? `%26${encodedValue}` : `%26${encodedName}%3D${encodedValue}`
    lastName = name
    if (inQuery) search += `${search === '' ? '?' : '&'}${encodedName}=${encodedValue}`
  }
  if (isBlockPending) text += `%26${encodedClaims}`
  return { text, search }
}
