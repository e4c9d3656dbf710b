/**
 * Fourth stage: converts the result of an attempt to a response or an error. This is the only stage that puts
 * text of the service or the host into an error. It removes secrets of the request and escapes control
 * characters.
 */
import { escapeControlChars, type Redactor } from '@brokerwire/core'
import {
  isRecord,
  parseJsonObject,
  parseRetryAfter,
  stripByteOrderMark,
  utf8Decode,
} from '@brokerwire/core/internal'
import { type HttpError, type HttpStatusErrorCode, type RequestPhase, requestError } from './http-error.ts'
import type { NormalizedRequest } from './normalize.ts'
import type { HttpResponse } from './request.ts'
import { isRedirect, type RawResponse, type SendFailure, type SendResult } from './send.ts'
import type { SignedRequest } from './sign.ts'

interface AttemptResult {
  /** Milliseconds from sending to the last byte of the response, or to the failure. */
  readonly durationMs: number
  /** The HTTP status. If no headers arrived, `status` and `requestId` are `undefined`. */
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
  /**
   * The service's time in milliseconds since the Unix epoch. It is used if `Retry-After` is a date and the
   * response has no `Date`.
   */
  readonly serverNowMs: number
  readonly durationMs: number
}

/** Classifies the result of an attempt. Pure. */
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

/** Error codes that the status alone decides. */
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

/** Creates the error for an unsuccessful status. */
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
  // Hosts may send the request again after these statuses: after 408, because a kept-alive connection timed
  // out, and after 421, because the connection was for another host.
  const warning = status === 408 || status === 421 ? duplicateWarning(request, sentOnce) : ''
  const text = `status ${status}${reason && `, ${reason}`}${warning}`
  const retryAfterMs = parseRetryAfter(headers, serverNowMs)
  const details = { status, serviceCode, serviceMessage, requestId, sentOnce, retryAfterMs }
  // The service's code in a 401 decides the next step. If the connection ended before the code arrived, a
  // retry may show the code. The retry is safe, because a request with a 401 has no effect.
  const retryable = status === 429 || status >= 500 || (status === 401 && isCutOff)
  return requestError(errorCodeForStatus(status), request.target, text, details, retryable)
}

/** Creates the error for a request without a complete response. */
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
      const details = {
        origin,
        reason: code,
        // A request that fetch rejects itself is never sent.
        sentOnce: sentOnce || reason.isPermanent,
        ...(proxy && { proxy: proxy.details }),
      }
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

/**
 * Returns a warning for the end of a message, if the request must not be sent twice and the host may have
 * done so.
 */
function duplicateWarning({ rule }: NormalizedRequest, sentOnce: boolean): string {
  return rule === 'always' || sentOnce ? '' : '; the host may have sent it more than once'
}

/** Creates the response that the caller receives. */
function createResponse(
  { status, headers, bytes = new Uint8Array() }: RawResponse,
  { request }: AttemptContext,
  requestId: string | undefined,
): HttpResponse {
  /** Creates an error that names the kind of the body and never quotes it. */
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
      const body = stripByteOrderMark(text())
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
const MAX_EXCERPT_LENGTH = 200
const MAX_REQUEST_ID_LENGTH = 200
/** Text that is examined: escapes and secrets may be longer than what they become. */
const MAX_EXAMINED_LENGTH = 4096

/**
 * Prepares text of the service for an error. Secrets are removed before the text is cut, because half a
 * secret would not be recognized.
 */
function sanitizeForDisplay(text: string, maxLength: number, redact: Redactor): string {
  return escapeControlChars(redact(text.trim(), MAX_EXAMINED_LENGTH), maxLength)
}

/** Returns `X-Request-Id`. The service's support asks for it. */
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
 * Parses the body of an error. The service sends `{"error_code", "message"}`, or in older responses `code`
 * and `msg`. Gateways send only a message, an `error`, a list of `errors`, or plain text. HTML is not shown.
 *
 * The status alone decides the code of the error. The parsed strings are only added to its message and
 * details. Never throws.
 */
export function parseServiceError(bytes: Uint8Array | undefined, redact: Redactor): ServiceErrorBody {
  const text = bytes && utf8Decode(bytes)
  const body = text && stripByteOrderMark(text)
  const json = parseJsonObject(body) ?? {}
  const messages = [
    json.message,
    json.msg,
    innerMessage(json.error),
    innerMessage(json.errors),
    json.error_msg,
  ]
  return {
    code: firstText([json.error_code, json.code], MAX_CODE_LENGTH, redact),
    message:
      firstText(messages, MAX_MESSAGE_LENGTH, redact) ??
      (body && PLAIN_TEXT.test(body) ? firstText([body], MAX_EXCERPT_LENGTH, redact) : undefined),
  }
}

/** The begin of a body that is neither JSON nor HTML. */
const PLAIN_TEXT = /^\s*(?!(?:null|true|false)\s*$)[^\s\d<{["-]/

/** Returns the message of an error that is a string, an object with a message, or a list of these. */
function innerMessage(value: unknown): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isRecord(first) ? first.message : first
}

function firstText(values: readonly unknown[], maxLength: number, redact: Redactor): string | undefined {
  for (const value of values) {
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text === 'string' && text.trim()) return sanitizeForDisplay(text, maxLength, redact)
  }
  return undefined
}
