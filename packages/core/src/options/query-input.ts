/** A query as callers have it: as pairs, as a record, or as a `URLSearchParams`. */
import { describe, isRecord } from '../guards.ts'

/** One name and its value, decoded. */
export type QueryPair = readonly [name: string, value: string]

/** The part of `URLSearchParams` by which it is known to be one. */
export interface SearchParamsLike {
  forEach(callback: (value: string, name: string) => void): void
}

/**
 * A query: pairs of decoded names and values; a record of them, with a list where a name comes more than once and
 * `undefined` or `null` where it is left out; or a `URLSearchParams`.
 */
export type QueryInput =
  | readonly QueryPair[]
  | Readonly<Record<string, string | readonly string[] | null | undefined>>
  | SearchParamsLike

/** Lists and `URLSearchParams`: a record has no such key. */
const isIterable = (query: unknown): query is Iterable<unknown> =>
  typeof query === 'object' && query !== null && Symbol.iterator in query

const isText = (text: unknown): boolean => typeof text === 'string'

const isPair = (pair: unknown): pair is QueryPair =>
  Array.isArray(pair) && pair.length === 2 && isText(pair[0]) && isText(pair[1])

/**
 * The pairs of a query, in the order in which they are given. Whether their texts can be encoded is not looked at.
 *
 * @returns `undefined` where something else was given, or a name or value is no text.
 */
export function readQueryInput(query: QueryInput): readonly QueryPair[] | undefined {
  // A copy, in which a hole of a list is a value that is no pair.
  const pairs = isIterable(query) ? [...query] : pairsOf(query)
  return pairs?.every(isPair) ? pairs : undefined
}

/** Describes what {@link readQueryInput} does not accept, without showing it. */
export function describeQueryInput(query: unknown): string {
  const pairs = isIterable(query) ? [...query] : isRecord(query) ? pairsOf(query) : undefined
  const wrong = pairs?.find((pair) => !isPair(pair))
  if (!Array.isArray(wrong) || wrong.length !== 2) return describe(wrong ?? query)
  const [name, value]: readonly unknown[] = wrong
  return isText(name) ? `${describe(value)} as a value` : `${describe(name)} as a name`
}

function pairsOf(record: object): readonly unknown[] | undefined {
  // A date, or a promise that was not awaited, would be an empty query.
  if (Object.prototype.toString.call(record) !== '[object Object]') return undefined
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === null) return []
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.map((one) => [name, one])
  })
}
