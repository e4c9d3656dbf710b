/** `X-Request-Id` of an answer: what the service's support asks for. */
import type { HeadersLike } from '@brokerwire/core'

const MAX_LENGTH = 200

/** The id, cut at 200 characters; `undefined` where there is none. */
export function requestIdOf(headers: HeadersLike): string | undefined {
  return headers.get('x-request-id')?.slice(0, MAX_LENGTH) || undefined
}
