/** Response headers as lines. */
import { type HeadersLike, printable } from '@brokerwire/core'

/** `name: value`, in the order of the host. */
export function formatHeaders(headers: HeadersLike): readonly string[] {
  const lines: string[] = []
  headers.forEach((value, name) => {
    lines.push(printable(`${name}: ${value}`))
  })
  return lines
}
