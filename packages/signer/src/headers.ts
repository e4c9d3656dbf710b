/** Reads headers as servers provide them: a `Headers` object, Node's record, or gRPC metadata as a record. */
import type { HeadersLike } from '@brokerwire/core'

/** Headers of a request. Names are case-insensitive. */
export type HeadersInput =
  | HeadersLike
  | Readonly<Record<string, string | readonly string[] | number | undefined>>

const isHeaders = (headers: HeadersInput): headers is HeadersLike =>
  typeof headers.get === 'function' && typeof headers.forEach === 'function'

/** Returns a header value as a string. An object becomes the empty string, which is never valid. */
const toHeaderString = (value: unknown): string => (typeof value === 'object' ? '' : String(value))

/**
 * Returns all values of some headers. Values are not split, although a `Headers` object has joined the values
 * of a repeated header with `, `.
 *
 * @param names - Names in lower case.
 * @returns The values of the headers that are present.
 */
export function headerValues(
  headers: HeadersInput,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  if (typeof headers !== 'object' || headers === null) return found
  if (isHeaders(headers)) {
    for (const name of names) {
      const value = headers.get(name)
      if (value !== null) found.set(name, [value])
    }
    return found
  }
  for (const key of Object.keys(headers)) {
    const name = key.toLowerCase()
    const value = headers[key]
    if (!names.has(name) || value === undefined || value === null) continue
    const texts = Array.isArray(value) ? value.map(toHeaderString) : [toHeaderString(value)]
    const known = found.get(name)
    found.set(name, known ? known.concat(texts) : texts)
  }
  return found
}
