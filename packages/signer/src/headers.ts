/** Headers as servers hand them out: a `Headers`, Node's record, or gRPC metadata turned into a record. */
import type { HeadersLike } from '@brokerwire/core'

/** Headers of a request. Names are compared without regard to case. */
export type HeadersInput =
  | HeadersLike
  | Readonly<Record<string, string | readonly string[] | number | undefined>>

/**
 * All values of a header, without reading more into them: a `Headers` has joined repeated ones with `, `.
 *
 * @param name - In lower case.
 */
export function headerValues(headers: HeadersInput, name: string): readonly string[] {
  if (typeof headers !== 'object' || headers === null) return []
  if (typeof headers.get === 'function' && typeof headers.forEach === 'function') {
    const value = (headers as HeadersLike).get(name)
    return value === null ? [] : [value]
  }
  const values: string[] = []
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== name || value === undefined || value === null) continue
    for (const one of Array.isArray(value) ? value : [value])
      values.push(typeof one === 'object' ? '' : String(one))
  }
  return values
}
