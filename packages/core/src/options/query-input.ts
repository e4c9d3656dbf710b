/** Queries as pairs, as a record, or as a `URLSearchParams`. */
import { isRecord, typeName } from '../guards.ts'

/** A name and its value, without percent-encoding. */
export type QueryPair = readonly [name: string, value: string]

/** The method of `URLSearchParams` by which it is recognized. */
export interface SearchParamsLike {
  forEach(callback: (value: string, name: string) => void): void
}

/**
 * A query, without percent-encoding:
 *
 * - an array of pairs of names and values
 * - a record; the name of an array is repeated for each of its values, and a name with `undefined` or `null`
 *   is omitted
 * - a `URLSearchParams`
 */
export type QueryInput =
  | readonly QueryPair[]
  | Readonly<Record<string, string | readonly string[] | null | undefined>>
  | SearchParamsLike

/** Whether the query is an array or a `URLSearchParams`. A record is not iterable. */
const isIterable = (query: unknown): query is Iterable<unknown> =>
  typeof query === 'object' && query !== null && Symbol.iterator in query

const isText = (text: unknown): boolean => typeof text === 'string'

const isPair = (pair: unknown): pair is QueryPair =>
  Array.isArray(pair) && pair.length === 2 && isText(pair[0]) && isText(pair[1])

/**
 * Returns the pairs of a query in their order. It does not check whether the strings can be encoded.
 *
 * @returns The pairs; `undefined` if the input has another type, or if a name or value is not a string.
 */
export function readQueryInput(query: QueryInput): readonly QueryPair[] | undefined {
  // The copy turns a hole of a sparse array into `undefined`, which is not a pair.
  const pairs = isIterable(query) ? [...query] : pairsOf(query)
  return pairs?.every(isPair) ? pairs : undefined
}

/** Describes the part that {@link readQueryInput} does not accept, without showing its value. */
export function describeQueryInput(query: unknown): string {
  const pairs = isIterable(query) ? [...query] : isRecord(query) ? pairsOf(query) : undefined
  const wrong = pairs?.find((pair) => !isPair(pair))
  if (!Array.isArray(wrong) || wrong.length !== 2) return typeName(wrong ?? query)
  const [name, value]: readonly unknown[] = wrong
  return isText(name) ? `${typeName(value)} as a value` : `${typeName(name)} as a name`
}

function pairsOf(record: object): readonly unknown[] | undefined {
  // Other objects are rejected, because a Date, or a promise without `await`, would become an empty query.
  if (Object.prototype.toString.call(record) !== '[object Object]') return undefined
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null) return []
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((one) => [name, one])
  })
}
