/**
 * One request sent, one answer read, within one time limit that covers the last byte as well.
 *
 * The limit holds for a `fetch` that ignores its signal too.
 */
import {
  type AbortSignalLike,
  abortable,
  type Clock,
  type FetchLike,
  linkedAbort,
  type Redactor,
  type ResponseLike,
  throwIfAborted,
} from '@brokerwire/core'
import { readFetchFailure } from './fetch-failure.ts'
import { HttpError, type RequestDetails, type RequestPhase } from './http-error.ts'
import { discardBody, readBytes, TOO_LARGE } from './read-answer.ts'
import { requestIdOf } from './request-id.ts'

/** A request that is ready to go. */
export interface Outgoing {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array<ArrayBuffer> | undefined
}

/** Limits and ports of an exchange. */
export interface ExchangeOptions {
  readonly fetch: FetchLike
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly signal: AbortSignalLike | undefined
  readonly details: RequestDetails
  /** Takes secrets of the request out of what the service says. */
  readonly redact: Redactor
}

/** An answer, whatever its status. */
export interface Answer {
  readonly status: number
  readonly headers: ResponseLike['headers']
  readonly requestId: string | undefined
  /** `undefined` where it could not be read and the status says enough without it. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

/** Node's `fetch` gives up after 300 s without headers, or without another byte, whatever the request's limit is. */
const HOST_LIMITS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** Statuses whose meaning does not depend on the body: a gateway's endless error page changes nothing about a 502. */
const saysEnough = (status: number): boolean => status >= 400

/** A browser hides the status of a redirect. */
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

/**
 * @throws {@link HttpError} `HTTP_NOT_SENT`, `HTTP_NO_ANSWER`, `HTTP_TIMEOUT`, `HTTP_TOO_LARGE`. The signal's
 * reason, when it aborts.
 */
export async function exchange(outgoing: Outgoing, options: ExchangeOptions): Promise<Answer> {
  const { fetch, clock, timeoutMs, maxResponseBytes, signal, details, redact } = options
  throwIfAborted(signal)
  const { controller, release } = linkedAbort(signal)
  let isLate = false
  const cancelTimer = clock.setTimer(() => {
    isLate = true
    controller.abort(new Error('timeout'))
  }, timeoutMs)
  let phase: RequestPhase = 'headers'
  let response: ResponseLike
  let head: Omit<Answer, 'bytes'> | undefined
  try {
    response = await abortable(send(fetch, outgoing, controller.signal), controller.signal)
    head = headOf(response, redact)
    if (isRedirect(head.status)) {
      discardBody(response)
      return { ...head, bytes: undefined }
    }
    phase = 'body'
    return { ...head, bytes: await readBytes(response, maxResponseBytes, controller.signal) }
  } catch (error) {
    if (!isLate) throwIfAborted(signal)
    if (head !== undefined && saysEnough(head.status)) return { ...head, bytes: undefined }
    throw failureOf(error)
  } finally {
    cancelTimer()
    release()
  }

  function failureOf(error: unknown): HttpError {
    const { method, path } = details
    if (isLate) {
      return new HttpError('HTTP_TIMEOUT', `${method} ${path}: no whole answer within ${timeoutMs} ms`, {
        details: { ...details, timeoutMs, phase },
        retryable: true,
      })
    }
    if (error === TOO_LARGE) {
      return new HttpError(
        'HTTP_TOO_LARGE',
        `${method} ${path}: the answer exceeds ${maxResponseBytes} bytes`,
        {
          details: { ...details, maxResponseBytes, requestId: head?.requestId },
        },
      )
    }
    const { sent, reason } = readFetchFailure(error)
    if (HOST_LIMITS.has(reason)) {
      const text = `${method} ${path}: no whole answer within the host's own limit (${reason})`
      return new HttpError('HTTP_TIMEOUT', text, {
        details: { ...details, timeoutMs, phase },
        retryable: true,
      })
    }
    if (phase === 'headers' && !sent) {
      return new HttpError('HTTP_NOT_SENT', `${method} ${path}: no connection (${reason})`, {
        details: { ...details, reason },
        retryable: true,
      })
    }
    return new HttpError(
      'HTTP_NO_ANSWER',
      `${method} ${path}: the connection ended before the answer (${reason})`,
      {
        details: { ...details, reason, phase },
        retryable: true,
      },
    )
  }
}

/** All of an answer but its body. A replaced `fetch` may give anything: what is no answer throws here. */
function headOf({ status, headers }: ResponseLike, redact: ExchangeOptions['redact']): Omit<Answer, 'bytes'> {
  return { status, headers, requestId: requestIdOf(headers, redact) }
}

/** Not an `async` function: its promise is handled in the same turn, as workerd wants of one that rejects at once. */
function send(fetch: FetchLike, outgoing: Outgoing, signal: AbortSignalLike): Promise<ResponseLike> {
  const { url, method, headers, body } = outgoing
  const init = { method, headers, redirect: 'manual', signal: signal as never } as const
  return fetch(url, body === undefined ? init : { ...init, body })
}
