/**
 * Parsing of a query as application/x-www-form-urlencoded: `+` is a space, a name without `=` has an empty
 * value, and a malformed escape is literal text.
 */
import type { QueryInput, QueryPair } from '@brokerwire/core'
import { describeQueryInput, readQueryInput } from '@brokerwire/core/internal'
import { inputFailure } from './signer-error.ts'

const PLUS = /\+/g
const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/g

const decode = (text: string): string =>
  text.includes('%') ? decodeURIComponent(text.replace(STRAY_PERCENT, '%25')) : text

/**
 * Splits and decodes a query.
 *
 * @param query - Query without the `?`.
 * @throws URIError if an escape does not decode to UTF-8.
 */
export function parseQuery(query: string): QueryPair[] {
  const pairs: QueryPair[] = []
  for (const part of query.replace(PLUS, ' ').split('&')) {
    if (part === '') continue
    const separator = part.indexOf('=')
    const name = separator === -1 ? part : part.slice(0, separator)
    const value = separator === -1 ? '' : part.slice(separator + 1)
    pairs.push([decode(name), decode(value)])
  }
  return pairs
}

/** Creates the error for an invalid query. */
export const invalidQuery = (received: string): Error =>
  inputFailure('query', 'a record, pairs or a URLSearchParams of strings without lone surrogates', received)

/** Returns the pairs of a query in any of the accepted types. @throws SignerError `SIGNER_INPUT_INVALID`. */
export function validateQuery(query: QueryInput): readonly QueryPair[] {
  const pairs = readQueryInput(query)
  if (pairs === undefined) throw invalidQuery(describeQueryInput(query))
  return pairs
}
