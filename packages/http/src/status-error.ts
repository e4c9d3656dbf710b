/** From a status that is no success to the error of that status. */
import type { Redactor } from '@brokerwire/core'
import type { Answer } from './exchange.ts'
import { readRetryAfter } from './http-date.ts'
import { HttpError, type HttpStatusCode, type RequestDetails } from './http-error.ts'
import { perhapsTwice } from './send-once.ts'
import { readServiceError } from './service-error.ts'

function codeOf(status: number): HttpStatusCode {
  if (status === 401) return 'HTTP_UNAUTHORIZED'
  if (status === 403) return 'HTTP_FORBIDDEN'
  if (status === 417) return 'HTTP_BUSINESS_ERROR'
  if (status === 429) return 'HTTP_RATE_LIMITED'
  if (status >= 500) return 'HTTP_SERVER_ERROR'
  return status >= 400 ? 'HTTP_REFUSED' : 'HTTP_REDIRECT'
}

/**
 * Makes the error.
 *
 * @param redact - Takes secrets of the request out of what the service says.
 * @param nowMs - The service's time, for a `Retry-After` that is a date.
 * @param strict - Whether the request must not be repeated.
 */
export function statusError(
  answer: Answer,
  details: RequestDetails,
  redact: Redactor,
  nowMs: number,
  strict: boolean,
): HttpError<HttpStatusCode> {
  const { status, headers, requestId, bytes, sentOnce } = answer
  const service = readServiceError(bytes ?? new Uint8Array(), redact)
  const code = codeOf(status)
  const words = [service.code, service.message].filter((part) => part !== undefined).join(': ')
  const said = code === 'HTTP_REDIRECT' ? 'a redirect, which is never followed' : words
  // Of what hosts repeat after: a kept-alive connection that timed out, and one for another host.
  const twice = status === 408 || status === 421 ? perhapsTwice(strict, sentOnce) : ''
  const what = `${details.method} ${details.path}: status ${status}${said && `, ${said}`}${twice}`
  return new HttpError(code, what, {
    details: {
      ...details,
      status,
      serviceCode: service.code,
      serviceMessage: service.message,
      requestId,
      sentOnce,
      retryAfterMs: readRetryAfter(headers.get('retry-after'), nowMs),
    },
    retryable: code === 'HTTP_RATE_LIMITED' || code === 'HTTP_SERVER_ERROR',
  })
}
