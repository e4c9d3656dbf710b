/** A success, as the caller gets it. */
import { describe, utf8Decode } from '@brokerwire/core/internal'
import type { Answer } from './exchange.ts'
import { type HttpError, type RequestDetails, requestFailure } from './http-error.ts'
import type { HttpResponse } from './request.ts'

/** Wraps an answer whose status is a success. */
export function createResponse(answer: Answer, details: RequestDetails): HttpResponse {
  const { status, headers, requestId, bytes = new Uint8Array() } = answer
  /** Names what it is, never what it says. */
  const bad = (expected: string, received: string): HttpError =>
    requestFailure('HTTP_BAD_ANSWER', details, `expected ${expected} in the answer, got ${received}`, {
      status,
      expected,
      received,
      requestId,
    })
  const text = (): string => {
    const decoded = utf8Decode(bytes)
    if (decoded === undefined) throw bad('text in UTF-8', 'other bytes')
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
        throw bad('JSON', body === '' ? 'an empty body' : `${describe(body)} that is none`)
      }
    },
  }
}
