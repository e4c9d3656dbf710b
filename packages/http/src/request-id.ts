/** `X-Request-Id` of an answer: what the service's support asks for. */
import type { HeadersLike } from '@brokerwire/core'

const MAX_LENGTH = 200

/**
 * The id, cut at 200 characters; `undefined` where there is none.
 *
 * @param redact - Takes secrets of the request out, before it is cut: half a secret would not be recognized.
 */
export function requestIdOf(headers: HeadersLike, redact: (text: string) => string): string | undefined {
  return redact(headers.get('x-request-id') ?? '').slice(0, MAX_LENGTH) || undefined
}
