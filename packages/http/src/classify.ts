/**
 * Fourth stage: turns what was received into a response or an error. The only place where foreign text becomes part of an
 * error, without secrets of the request and without control characters.
 */
import { printable, type Redactor } from '@brokerwire/core'
import { describe, parseJsonObject, utf8Decode } from '@brokerwire/core/internal'
import {
  type HttpError,
  type HttpErrorDetails,
  type HttpStatusErrorCode,
  requestError,
} from './http-error.ts'
import type { NormalizedRequest } from './normalize.ts'
import type { HttpResponse } from './request.ts'
import type { RawResponse, SendFailure, SendResult } from './send.ts'
import { parseRetryAfter } from './server-time.ts'
import type { SignedRequest } from './sign.ts'

interface AttemptResult {
  /** From sending to the last byte, in milliseconds. */
  readonly durationMs: number
  readonly status: number | undefined
  readonly requestId: string | undefined
}

/** A success. */
export interface Succeeded extends AttemptResult {
  readonly response: HttpResponse
  readonly error?: undefined
}

/** A failed attempt. */
export interface Failed extends AttemptResult {
  readonly response?: undefined
  readonly error: HttpError
  /** Headers of the response, if there is one. */
  readonly headers: RawResponse['headers'] | undefined
}

/** Outcome of an attempt. */
export type Outcome = Succeeded | Failed

/** The attempt that {@link classify} looks at. */
export interface AttemptContext {
  readonly request: NormalizedRequest
  readonly signed: SignedRequest
  /** The service's time, for a `Retry-After` that is a date in a response without `Date`. In milliseconds since the epoch. */
  readonly serverNowMs: number
  readonly durationMs: number
}

/** Classifies what was received. Pure. */
export function classify(result: SendResult, attempt: AttemptContext): Outcome {
  const { durationMs, signed } = attempt
  const requestId = requestIdOf(result.headers, signed.redact)
  if (result.type === 'failure') {
    const error = transportError(result, attempt, requestId)
    return { error, headers: result.headers, durationMs, status: undefined, requestId: undefined }
  }
  const { status, headers } = result
  if (status >= 200 && status < 300) {
    const response = createResponse(result, attempt, requestId)
    return { response, durationMs, status, requestId }
  }
  return { error: statusError(result, attempt, requestId), headers, durationMs, status, requestId }
}

/** Codes that follow from the status alone. */
type CodeForStatus = Exclude<HttpStatusErrorCode, 'HTTP_CLOCK_IMPLAUSIBLE'>

const STATUS_CODES: Readonly<Record<number, CodeForStatus>> = {
  401: 'HTTP_UNAUTHORIZED',
  403: 'HTTP_FORBIDDEN',
  417: 'HTTP_BUSINESS_ERROR',
  429: 'HTTP_RATE_LIMITED',
}

function errorCodeForStatus(status: number): CodeForStatus {
  if (status < 400) return 'HTTP_REDIRECT'
  return STATUS_CODES[status] ?? (status < 500 ? 'HTTP_REFUSED' : 'HTTP_SERVER_ERROR')
}

/** The error of a status that is no success. */
function statusError(
  { status, headers, bytes, sentOnce }: RawResponse,
  { request, signed, serverNowMs }: AttemptContext,
  requestId: string | undefined,
): HttpError {
  const { code: serviceCode, message: serviceMessage } = parseServiceError(bytes, signed.redact)
  const code = errorCodeForStatus(status)
  const parts =
    code === 'HTTP_REDIRECT' ? ['a redirect, which is never followed'] : [serviceCode, serviceMessage]
  const text = [`status ${status}`, parts.filter(Boolean).join(': ')].filter(Boolean).join(', ')
  // Hosts retry after these: a kept-alive connection that timed out, and one for another host.
  const warning = status === 408 || status === 421 ? duplicateWarning(request, sentOnce) : ''
  const retryAfterMs = parseRetryAfter(headers, serverNowMs)
  const details = { status, serviceCode, serviceMessage, requestId, sentOnce, retryAfterMs }
  const retryable = status === 429 || status >= 500
  return requestError(code, request.target, `${text}${warning}`, details, retryable)
}

/** The error of a request without a whole response. */
function transportError(
  { reason, phase, sentOnce }: SendFailure,
  { request, signed }: AttemptContext,
  requestId: string | undefined,
): HttpError {
  const { target, origin, timeoutMs, maxResponseBytes } = request
  const fail = <C extends 'HTTP_NOT_SENT' | 'HTTP_NO_ANSWER' | 'HTTP_TIMEOUT'>(
    code: C,
    text: string,
    details: Omit<HttpErrorDetails[C], 'method' | 'path'>,
    retryable = true,
  ): HttpError => requestError(code, target, text, details, retryable)
  const warning = duplicateWarning(request, sentOnce)
  switch (reason.type) {
    case 'too-large':
      return requestError('HTTP_TOO_LARGE', target, `the answer exceeds ${maxResponseBytes} bytes`, {
        maxResponseBytes,
        requestId,
      })
    case 'timeout': {
      const limit = reason.hostLimit ?? `${timeoutMs} ms`
      const text = `no whole answer from ${origin} within ${limit}${warning}`
      return fail('HTTP_TIMEOUT', text, { origin, timeoutMs, phase, sentOnce })
    }
    case 'not-sent': {
      const { proxy } = reason
      const code = signed.redact(reason.code)
      if (proxy === undefined)
        return fail('HTTP_NOT_SENT', `no connection to ${origin} (${code})`, { origin, reason: code })
      const text = `no connection to ${origin}: ${printable(proxy.text, MAX_MESSAGE_LENGTH)}`
      return fail('HTTP_NOT_SENT', text, { origin, reason: code, proxy: proxy.details }, proxy.retryable)
    }
    case 'connection-lost': {
      const code = signed.redact(reason.code)
      const text = `the connection to ${origin} ended before the whole answer (${code})${warning}`
      return fail('HTTP_NO_ANSWER', text, { origin, reason: code, phase, sentOnce })
    }
  }
}

/** End of a message if the host may have sent a request twice that must not be sent twice. */
function duplicateWarning({ rule }: NormalizedRequest, sentOnce: boolean): string {
  return rule === 'always' || sentOnce ? '' : '; the host may have sent it more than once'
}

/** A successful response as the caller gets it. */
function createResponse(
  { status, headers, bytes = new Uint8Array() }: RawResponse,
  { request }: AttemptContext,
  requestId: string | undefined,
): HttpResponse {
  /** Names what the body is, and never quotes it. */
  const invalid = (expected: string, received: string): HttpError =>
    requestError('HTTP_BAD_ANSWER', request.target, `expected ${expected} in the answer, got ${received}`, {
      status,
      expected,
      received,
      requestId,
    })
  const text = (): string => {
    const decoded = utf8Decode(bytes)
    if (decoded === undefined) throw invalid('text in UTF-8', 'other bytes')
    return decoded
  }
  return {
    status,
    headers,
    requestId,
    bytes,
    text,
    json() {
      const body = withoutByteOrderMark(text())
      try {
        return JSON.parse(body) as unknown
      } catch {
        throw invalid('JSON', body === '' ? 'an empty body' : `${describe(body)} that is none`)
      }
    },
  }
}

const MAX_CODE_LENGTH = 100
const MAX_MESSAGE_LENGTH = 500
const MAX_REQUEST_ID_LENGTH = 200
/** Text that is examined: escapes and secrets may be longer than what they become. */
const MAX_EXAMINED_LENGTH = 4096

/** Foreign text for an error. Secrets are removed before the text is cut, because half a secret would not be recognized. */
function sanitizeForDisplay(text: string, maxLength: number, redact: Redactor): string {
  return printable(redact(text.trim(), MAX_EXAMINED_LENGTH), maxLength)
}

/** `X-Request-Id`, which the service's support asks for. */
export function requestIdOf(
  headers: RawResponse['headers'] | undefined,
  redact: Redactor,
): string | undefined {
  return sanitizeForDisplay(headers?.get('x-request-id') ?? '', MAX_REQUEST_ID_LENGTH, redact) || undefined
}

/** The service's own code and message, from the body of an error. */
export interface ServiceErrorBody {
  readonly code: string | undefined
  readonly message: string | undefined
}

/**
 * Parses an error body: `{"error_code", "message"}`, older ones `code` and `msg`, gateways only a message or no JSON at all.
 * It only adds words, because the status decides. Never throws.
 */
export function parseServiceError(bytes: Uint8Array | undefined, redact: Redactor): ServiceErrorBody {
  const text = bytes && utf8Decode(bytes)
  const json = parseJsonObject(text && withoutByteOrderMark(text)) ?? {}
  return {
    code: firstText([json.error_code, json.code], MAX_CODE_LENGTH, redact),
    message: firstText([json.message, json.msg], MAX_MESSAGE_LENGTH, redact),
  }
}

function firstText(values: readonly unknown[], maxLength: number, redact: Redactor): string | undefined {
  for (const value of values) {
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text === 'string' && text.trim()) return sanitizeForDisplay(text, maxLength, redact)
  }
  return undefined
}

/** `JSON.parse` rejects the mark that some editors write at the start of a file. */
const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, '')
