/** Response headers as lines. */
import { escapeControlChars, type HeadersLike } from '@brokerwire/core'

/** Formats headers as `name: value`, in the order of the host. */
export function formatHeaders(headers: HeadersLike): readonly string[] {
  const lines: string[] = []
  headers.forEach((value, name) => {
    lines.push(escapeControlChars(`${name}: ${value}`))
  })
  return lines
}
