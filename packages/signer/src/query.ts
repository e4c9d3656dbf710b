/**
 * The query of a request line, read as application/x-www-form-urlencoded: `+` is a space, a name without `=` has an
 * empty value, a malformed escape is literal text.
 */
import { type QueryInput, type QueryPair, readQueryInput } from '@brokerwire/core'
import { check } from './signer-error.ts'

const PART = /([^&=]+|(?==))=?([^&]*)/g
const PLUS = /\+/g
const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/g

/**
 * Splits and decodes a query.
 *
 * @param query - Without the `?`.
 * @throws URIError where an escape does not decode to UTF-8: no decoded text could stand for those bytes.
 */
export function parseQuery(query: string): QueryPair[] {
  const plain = query.replace(PLUS, ' ').replace(STRAY_PERCENT, '%25')
  return Array.from(plain.matchAll(PART), ([, name = '', value = '']) => [
    decodeURIComponent(name),
    decodeURIComponent(value),
  ])
}

/** A {@link check} of a query, or of what came of encoding it. */
export function checkQuery(ok: unknown): asserts ok {
  const expected = 'strings without lone surrogates'
  const message = `query: names and values must be ${expected}`
  check(ok, 'query', expected, 'SIGNER_INPUT_INVALID', message)
}

/** The pairs of a query as callers have it. @throws SignerError `SIGNER_INPUT_INVALID`. */
export function readQuery(query: QueryInput): readonly QueryPair[] {
  const pairs = readQueryInput(query)
  checkQuery(pairs)
  return pairs
}
