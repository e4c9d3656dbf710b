/** From a status that is no success to the error of that status. */
import type { Redactor } from '@brokerwire/core'
import type { Answer } from './exchange.ts'
import { readRetryAfter } from './http-date.ts'
import { type HttpError, type HttpStatusCode, requestFailure } from './http-error.ts'
import { perhapsTwice } from './perhaps-twice.ts'
import type { Prepared } from './prepare.ts'
import { readServiceError } from './service-error.ts'

const CODES: Readonly<Record<number, HttpStatusCode>> = {
  401: 'HTTP_UNAUTHORIZED',
  403: 'HTTP_FORBIDDEN',
  417: 'HTTP_BUSINESS_ERROR',
  429: 'HTTP_RATE_LIMITED',
}

function codeOf(status: number): HttpStatusCode {
  if (status < 400) return 'HTTP_REDIRECT'
  return CODES[status] ?? (status < 500 ? 'HTTP_REFUSED' : 'HTTP_SERVER_ERROR')
}

/**
 * Makes the error.
 *
 * @param redact - Takes secrets of the request out of what the service says.
 * @param nowMs - The service's time, for a `Retry-After` that is a date.
 * @returns `undefined` where the status is a success.
 */
export function statusError(
  { status, headers, requestId, bytes, sentOnce }: Answer,
  prepared: Prepared,
  redact: Redactor,
  nowMs: number,
): HttpError<HttpStatusCode> | undefined {
  if (status >= 200 && status < 300) return undefined
  const { code: serviceCode, message: serviceMessage } = readServiceError(bytes, redact)
  const code = codeOf(status)
  const words =
    code === 'HTTP_REDIRECT' ? ['a redirect, which is never followed'] : [serviceCode, serviceMessage]
  const said = words.filter(Boolean).join(': ')
  // Of what hosts repeat after: a kept-alive connection that timed out, and one for another host.
  const twice = status === 408 || status === 421 ? perhapsTwice(prepared, sentOnce) : ''
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), nowMs)
  return requestFailure(
    code,
    prepared.details,
    `status ${status}${said && `, ${said}`}${twice}`,
    { status, serviceCode, serviceMessage, requestId, sentOnce, retryAfterMs },
    status === 429 || status >= 500,
  )
}
