/** Headers as servers have them: a `Headers`, Node's record, or gRPC metadata as a record. */
import type { HeadersLike } from '@brokerwire/core'

/** Headers of a request. Names are compared without regard to case. */
export type HeadersInput =
  | HeadersLike
  | Readonly<Record<string, string | readonly string[] | number | undefined>>

const isHeaders = (headers: HeadersInput): headers is HeadersLike =>
  typeof headers.get === 'function' && typeof headers.forEach === 'function'

/** A header value as a string; an object becomes the empty string, which is never valid. */
const toHeaderString = (value: unknown): string => (typeof value === 'object' ? '' : String(value))

/**
 * All values of some headers, in one pass, without reading more into them: a `Headers` has joined repeated ones with `, `.
 *
 * @param names - In lower case.
 * @returns The values of those that came.
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
