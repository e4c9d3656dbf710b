/**
 * Fourth stage: converts a received response or a failure to a response or an error. Only here does foreign text
 * become part of an error, without secrets of the request and without control characters.
 */
import { escapeControlChars, type Redactor } from '@brokerwire/core'
import { parseJsonObject, parseRetryAfter, utf8Decode } from '@brokerwire/core/internal'
import { type HttpError, type HttpStatusErrorCode, type RequestPhase, requestError } from './http-error.ts'
import type { NormalizedRequest } from './normalize.ts'
import type { HttpResponse } from './request.ts'
import { isRedirect, type RawResponse, type SendFailure, type SendResult } from './send.ts'
import type { SignedRequest } from './sign.ts'

interface AttemptResult {
  /** From sending to the last byte, in milliseconds. */
  readonly durationMs: number
  /** `undefined`, as the request id, if no headers arrived. */
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
  /** `Date` of the response. */
  readonly date: string | null | undefined
}

/** Outcome of an attempt. */
export type Outcome = Succeeded | Failed

/** The attempt that {@link classify} classifies. */
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
  const head = result.type === 'failure' ? result.head : result
  const status = head?.status
  const requestId = getRequestId(head?.headers, signed.redact)
  const date = head?.headers.get('date')
  if (result.type === 'failure')
    return { error: transportError(result, attempt, requestId), date, durationMs, status, requestId }
  if (result.status >= 200 && result.status < 300)
    return { response: createResponse(result, attempt, requestId), durationMs, status, requestId }
  return { error: statusError(result, attempt, requestId), date, durationMs, status, requestId }
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
  return STATUS_CODES[status] ?? (status < 500 ? 'HTTP_CLIENT_ERROR' : 'HTTP_SERVER_ERROR')
}

/** The error of an unsuccessful status. */
function statusError(
  response: RawResponse,
  { request, signed, serverNowMs }: AttemptContext,
  requestId: string | undefined,
): HttpError {
  const { status, headers, bytes, isCutOff, sentOnce } = response
  const { code: serviceCode, message: serviceMessage } = parseServiceError(bytes, signed.redact)
  const reason = isRedirect(response)
    ? 'a redirect, which is never followed'
    : [serviceCode, serviceMessage].filter(Boolean).join(': ')
  // Hosts retry after these: a kept-alive connection that timed out, and one for another host.
  const warning = status === 408 || status === 421 ? duplicateWarning(request, sentOnce) : ''
  const text = `status ${status}${reason && `, ${reason}`}${warning}`
  const retryAfterMs = parseRetryAfter(headers, serverNowMs)
  const details = { status, serviceCode, serviceMessage, requestId, sentOnce, retryAfterMs }
  // The code of a 401 decides what to do. If it was lost, the next response may show it: a 401 has no effect.
  const retryable = status === 429 || status >= 500 || (status === 401 && isCutOff)
  return requestError(errorCodeForStatus(status), request.target, text, details, retryable)
}

/** The error of a request without a whole response. */
function transportError(
  { reason, head, sentOnce }: SendFailure,
  { request, signed }: AttemptContext,
  requestId: string | undefined,
): HttpError {
  const { target, origin, timeoutMs, maxResponseBytes } = request
  const phase: RequestPhase = head === undefined ? 'headers' : 'body'
  const warning = duplicateWarning(request, sentOnce)
  switch (reason.type) {
    case 'too-large':
      return requestError(
        'HTTP_RESPONSE_TOO_LARGE',
        target,
        `the response must have at most ${maxResponseBytes} bytes (maxResponseBytes)`,
        {
          maxResponseBytes,
          requestId,
        },
      )
    case 'timeout': {
      const { hostLimit } = reason
      const text = `no complete response from ${origin} within ${hostLimit ?? `${timeoutMs} ms`}${warning}`
      const details = { origin, timeoutMs: hostLimit === undefined ? timeoutMs : undefined, phase, sentOnce }
      return requestError('HTTP_TIMEOUT', target, text, details, true)
    }
    case 'not-sent': {
      const { proxy } = reason
      const code = signed.redact(reason.code)
      const details = { origin, reason: code, ...(proxy && { proxy: proxy.details }) }
      const problem = reason.isPermanent ? 'fetch rejected the request' : 'no connection'
      const text = proxy
        ? `no connection to ${origin}: ${escapeControlChars(proxy.text, MAX_MESSAGE_LENGTH)}`
        : `${problem} to ${origin} (${code})`
      return requestError('HTTP_NOT_SENT', target, text, details, !reason.isPermanent)
    }
    case 'connection-lost': {
      const code = signed.redact(reason.code)
      const text = `the connection to ${origin} ended before the response was complete (${code})${warning}`
      return requestError('HTTP_NO_RESPONSE', target, text, { origin, reason: code, phase, sentOnce }, true)
    }
  }
}

/** The end of a message if the host may have sent a request twice although it must not. */
function duplicateWarning({ rule }: NormalizedRequest, sentOnce: boolean): string {
  return rule === 'always' || sentOnce ? '' : '; the host may have sent it more than once'
}

/** Creates the response that the caller receives. */
function createResponse(
  { status, headers, bytes = new Uint8Array() }: RawResponse,
  { request }: AttemptContext,
  requestId: string | undefined,
): HttpResponse {
  /** The error names the kind of the body and never quotes it. */
  const invalid = (expected: string, received: string): HttpError =>
    requestError(
      'HTTP_INVALID_RESPONSE',
      request.target,
      `the response must be ${expected}; received ${received}`,
      {
        status,
        expected,
        received,
        requestId,
      },
    )
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
        throw invalid('JSON', body === '' ? 'an empty body' : 'text that is not JSON')
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
  return escapeControlChars(redact(text.trim(), MAX_EXAMINED_LENGTH), maxLength)
}

/** `X-Request-Id`, which the service's support asks for. */
export function getRequestId(
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
