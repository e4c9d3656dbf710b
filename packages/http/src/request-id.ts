/** `X-Request-Id` of an answer: what the service's support asks for. */
import type { HeadersLike, Redactor } from '@brokerwire/core'
import { showable } from './service-error.ts'

const MAX_LENGTH = 200

/**
 * The id as it may be shown; `undefined` where there is none.
 *
 * @param redact - Takes secrets of the request out.
 */
export function requestIdOf(headers: HeadersLike, redact: Redactor): string | undefined {
  return showable(headers.get('x-request-id') ?? '', MAX_LENGTH, redact) || undefined
}
