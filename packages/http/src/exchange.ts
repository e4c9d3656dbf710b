/**
 * One request sent, one answer read, within one time limit that covers the last byte as well.
 *
 * The limit holds for a `fetch` that ignores its signal too.
 */
import {
  type AbortSignalLike,
  type ByteReaderLike,
  type Clock,
  type FetchLike,
  type Redactor,
  type ResponseLike,
  throwIfAborted,
  withinLimit,
} from '@brokerwire/core'
import { readFetchFailure } from './fetch-failure.ts'
import { HttpError, type RequestDetails, type RequestPhase } from './http-error.ts'
import { readAll, TOO_LARGE } from './read-answer.ts'
import { requestIdOf } from './request-id.ts'
import { perhapsTwice, type SingleSend, sendOnce } from './send-once.ts'

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
  /** Whether it is the host's own. */
  readonly isHostFetch: boolean
  /** Whether the host must not repeat it by itself. */
  readonly strict: boolean
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
  /** Whether it is known that the host sent the request at most once. */
  readonly sentOnce: boolean
}

/** How far an exchange came. */
interface Reached {
  isLate: boolean
  head: Omit<Answer, 'bytes'> | undefined
  reader: ByteReaderLike | undefined
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
  const { clock, timeoutMs, maxResponseBytes, signal, details, redact } = options
  throwIfAborted(signal)
  const sending = sendOnce(options.strict, options.isHostFetch)
  const reached: Reached = { isLate: false, head: undefined, reader: undefined }
  try {
    return await withinLimit(clock, timeoutMs, signal, sendAndRead, () => {
      reached.isLate = true
    })
  } catch (error) {
    const { isLate, head, reader } = reached
    cancel(reader)
    if (!isLate) throwIfAborted(signal)
    if (head !== undefined && saysEnough(head.status)) return { ...head, bytes: undefined }
    throw failureOf(error)
  } finally {
    sending.release()
  }

  async function sendAndRead(ours: AbortSignalLike): Promise<Answer> {
    const response = await send(options.fetch, outgoing, sending.init, ours)
    // Nobody waits any more for what a `fetch` that ignores its signal gives.
    if (ours.aborted) cancel(response.body?.getReader())
    throwIfAborted(ours)
    const head = headOf(response, sending, redact)
    reached.head = head
    if (isRedirect(head.status)) {
      cancel(response.body?.getReader())
      return { ...head, bytes: undefined }
    }
    const reader = response.body === null ? undefined : response.body.getReader()
    reached.reader = reader
    const bytes = reader === undefined ? new Uint8Array() : await readAll(reader, maxResponseBytes, ours)
    return { ...head, bytes }
  }

  function failureOf(error: unknown): HttpError {
    const { method, path } = details
    const [origin = ''] = /^[a-z]+:\/\/[^/?#]+/.exec(outgoing.url) ?? []
    const { isLate, head } = reached
    const phase: RequestPhase = head === undefined ? 'headers' : 'body'
    const sentOnce = sending.isCertain()
    const twice = perhapsTwice(options.strict, sentOnce)
    if (isLate) {
      return new HttpError(
        'HTTP_TIMEOUT',
        `${method} ${path}: no whole answer from ${origin} within ${timeoutMs} ms${twice}`,
        {
          details: { ...details, origin, timeoutMs, phase, sentOnce },
          retryable: true,
        },
      )
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
      const text = `${method} ${path}: no whole answer from ${origin} within the host's own limit (${reason})${twice}`
      return new HttpError('HTTP_TIMEOUT', text, {
        details: { ...details, origin, timeoutMs, phase, sentOnce },
        retryable: true,
      })
    }
    if (phase === 'headers' && !sent) {
      return new HttpError('HTTP_NOT_SENT', `${method} ${path}: no connection to ${origin} (${reason})`, {
        details: { ...details, origin, reason },
        retryable: true,
      })
    }
    return new HttpError(
      'HTTP_NO_ANSWER',
      `${method} ${path}: the connection to ${origin} ended before the whole answer (${reason})${twice}`,
      {
        details: { ...details, origin, reason, phase, sentOnce },
        retryable: true,
      },
    )
  }
}

/** Lets go of a body that nobody will read. */
function cancel(reader: ByteReaderLike | undefined): void {
  reader?.cancel().catch(() => undefined)
}

/** All of an answer but its body. A replaced `fetch` may give anything: what is no answer throws here. */
function headOf(
  { status, headers }: ResponseLike,
  sending: SingleSend,
  redact: ExchangeOptions['redact'],
): Omit<Answer, 'bytes'> {
  return {
    status: sending.statusOf(status),
    headers,
    requestId: requestIdOf(headers, redact),
    sentOnce: sending.isCertain(),
  }
}

/** Not an `async` function: its promise is handled in the same turn, as workerd wants of one that rejects at once. */
function send(
  fetch: FetchLike,
  outgoing: Outgoing,
  more: SingleSend['init'],
  signal: AbortSignalLike,
): Promise<ResponseLike> {
  const { url, method, headers, body } = outgoing
  const init = { ...more, method, headers, redirect: 'manual', signal: signal as never } as const
  return fetch(url, body === undefined ? init : { ...init, body })
}
