/**
 * The percent-encoded canonical string and the query to send, in one pass over the sorted pairs.
 *
 * Every name and value is encoded once and used in both: what is signed and what is sent cannot drift apart. The
 * headers' entries arrive encoded, because most of them never change.
 */
import type { HeaderCollision } from './canonical.ts'
import { encodeCanonical } from './encode.ts'
import type { Compare } from './order.ts'
import type { QueryPair } from './query.ts'

/** Signed headers in the order in which they sort. */
export const SIGNED_HEADERS = [
  'host',
  'x-app-key',
  'x-signature-algorithm',
  'x-signature-nonce',
  'x-signature-version',
  'x-timestamp',
] as const

/** How entries are put in order. */
export interface EntryOrder {
  readonly compare: Compare
  readonly headerCollision: HeaderCollision
}

const isSigned = (name: string): boolean => (SIGNED_HEADERS as readonly string[]).includes(name)

/** An entry of the canonical string, encoded, with the `&` before it. */
export const encodedEntry = (name: string, value: string): string => `%26${name}%3D${encodeCanonical(value)}`

/**
 * @param path - As on the request line.
 * @param query - Decoded pairs in any order; not changed.
 * @param headers - Values of {@link SIGNED_HEADERS}, in that order.
 * @param encoded - The same as encoded entries.
 * @returns `text`, the encoded canonical string without a digest, and `search`, the query to send.
 */
export function assemble(
  path: string,
  query: readonly QueryPair[],
  headers: readonly string[],
  encoded: readonly string[],
  order: EntryOrder,
): { readonly text: string; readonly search: string } {
  const { compare } = order
  const sorted = order.headerCollision === 'sorted'
  const pairs = [...query].sort(
    (a, b) => compare(a[0], b[0]) || (sorted || !isSigned(a[0]) ? compare(a[1], b[1]) : 0),
  )
  let text = encodeCanonical(path)
  let search = ''
  let header = 0
  for (let i = 0; i < pairs.length; ) {
    const name = (pairs[i] as QueryPair)[0]
    const values: string[] = []
    const encodedName = encodeCanonical(name)
    for (let pair = pairs[i]; pair && pair[0] === name; i += 1, pair = pairs[i]) {
      values.push(pair[1])
      search += `${search && '&'}${encodedName}=${encodeCanonical(pair[1])}`
    }
    while (header < 6 && (SIGNED_HEADERS[header] as string) < name) text += encoded[header++]
    if (SIGNED_HEADERS[header] === name) {
      values.unshift(headers[header++] as string)
      if (sorted) values.sort(compare)
    }
    text += `%26${encodedName}%3D${values.map(encodeCanonical).join('%26')}`
  }
  while (header < 6) text += encoded[header++]
  return { text, search }
}
