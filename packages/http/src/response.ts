/** A success, as the caller gets it. */
import { describe, utf8Decode } from '@brokerwire/core'
import type { Answer } from './exchange.ts'
import { HttpError, type RequestDetails } from './http-error.ts'
import type { HttpResponse } from './request.ts'

/** Makes the error of a success whose body cannot be used. It names what it is, never what it says. */
function badAnswer(
  details: RequestDetails,
  { status, requestId }: Pick<HttpResponse, 'status' | 'requestId'>,
  expected: string,
  received: string,
): HttpError<'HTTP_BAD_ANSWER'> {
  const { method, path } = details
  return new HttpError(
    'HTTP_BAD_ANSWER',
    `${method} ${path}: expected ${expected} in the answer, got ${received}`,
    {
      details: { ...details, status, expected, received, requestId },
    },
  )
}

/** Wraps an answer whose status is a success. */
export function createResponse(answer: Answer, details: RequestDetails): HttpResponse {
  const { status, headers, requestId, bytes = new Uint8Array() } = answer
  const text = (): string => {
    const decoded = utf8Decode(bytes)
    if (decoded === undefined) throw badAnswer(details, { status, requestId }, 'text in UTF-8', 'other bytes')
    return decoded
  }
  return {
    status,
    headers,
    requestId,
    bytes,
    text,
    json() {
      // What begins a file is no part of JSON.
      const body = text().replace(/^\ufeff/, '')
      try {
        return JSON.parse(body) as unknown
      } catch {
        throw badAnswer(
          details,
          { status, requestId },
          'JSON',
          body === '' ? 'an empty body' : `${describe(body)} that is none`,
        )
      }
    },
  }
}
