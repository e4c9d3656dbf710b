/**
 * One request sent, one answer read, within one time limit that covers the last byte as well.
 *
 * The limit holds for a `fetch` that ignores its signal too.
 */

import type { AbortSignalLike, ByteReaderLike, Redactor, ResponseLike, Secret } from '@brokerwire/core'
import { throwIfAborted, withinLimit } from '@brokerwire/core/internal'
import { hostLimit, sendOnce } from '#host'
import type { ReadOptions } from './client-options.ts'
import { readFetchFailure } from './fetch-failure.ts'
import { type HttpError, type RequestPhase, requestFailure } from './http-error.ts'
import { perhapsTwice } from './perhaps-twice.ts'
import type { Prepared } from './prepare.ts'
import { BodyTooLarge, readAll } from './read-answer.ts'
import { requestIdOf } from './request-id.ts'

/** A request that was signed. */
export interface SignedAttempt {
  readonly url: string
  readonly headers: Record<string, string>
  /** The token it carries, where it came from the client's own source: as that gave it. */
  readonly ownToken: Secret | undefined
  /** The offset of the service's clock when it was signed. */
  readonly offsetMs: number | undefined
  /** Takes the secrets of this request out of what the service says. */
  readonly redact: Redactor
}

/** An answer, whatever its status. */
export interface Answer {
  readonly status: number
  readonly headers: ResponseLike['headers']
  readonly requestId: string | undefined
  /** `undefined` where it could not be read and the status says enough without it. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
  /** Whether it is known that the host sent the request at most once. */
  readonly sentOnce: boolean
}

/** A browser hides the status of a redirect. */
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

/**
 * @returns The answer, or why there is none: {@link HttpError} `HTTP_NOT_SENT`, `HTTP_NO_ANSWER`, `HTTP_TIMEOUT`,
 * `HTTP_TOO_LARGE`.
 * @throws The signal's reason, when it aborts.
 */
export async function exchange(
  options: ReadOptions,
  prepared: Prepared,
  signed: SignedAttempt,
  signal: AbortSignalLike | undefined,
): Promise<Answer | HttpError> {
  const { details, body, timeoutMs, maxResponseBytes } = prepared
  // Called by itself: hosts check what `fetch` is called on.
  const { fetch, origin } = options
  throwIfAborted(signal)
  const sending = sendOnce(prepared.repeat !== 'always', options.isHostFetch)
  let isLate = false
  let head = undefined as Answer | undefined
  let reader = undefined as ByteReaderLike | undefined
  try {
    return await withinLimit(
      options.clock,
      timeoutMs,
      signal,
      sendAndRead,
      () => {
        isLate = true
      },
      sending.controller,
    )
  } catch (error) {
    cancel(reader)
    if (!isLate) throwIfAborted(signal)
    // The meaning of such a status does not depend on the body: a gateway's endless error page changes nothing about a 502.
    if (head !== undefined && head.status >= 400) return head
    return failureOf(error)
  } finally {
    sending.release?.()
  }

  async function sendAndRead(ours: AbortSignalLike): Promise<Answer> {
    const response = await fetch(signed.url, {
      method: details.method,
      headers: signed.headers,
      redirect: 'manual',
      signal: ours as never,
      ...sending.init,
      ...(body && { body }),
    })
    const { headers, body: stream } = response
    const status = sending.statusOf(response.status)
    // A redirect is not followed; and nobody waits any more for what a `fetch` that ignores its signal gives.
    const isLeft = ours.aborted || isRedirect(status)
    if (isLeft) cancel(stream?.getReader())
    throwIfAborted(ours)
    const requestId = requestIdOf(headers, signed.redact)
    head = { status, headers, requestId, sentOnce: sending.isCertain() }
    if (isLeft || stream === null) return head
    reader = stream.getReader()
    return { ...head, bytes: await readAll(reader, maxResponseBytes, ours) }
  }

  function failureOf(error: unknown): HttpError {
    if (error instanceof BodyTooLarge)
      return requestFailure('HTTP_TOO_LARGE', details, `the answer exceeds ${maxResponseBytes} bytes`, {
        maxResponseBytes,
        requestId: head?.requestId,
      })
    const phase: RequestPhase = head === undefined ? 'headers' : 'body'
    const { sent, reason } = readFetchFailure(error)
    const sentOnce = sending.isCertain()
    const twice = perhapsTwice(prepared, sentOnce)
    const limit = isLate ? `${timeoutMs} ms` : hostLimit(reason)
    // Of all that follows a later try may have another outcome.
    if (limit !== undefined) {
      const text = `no whole answer from ${origin} within ${limit}${twice}`
      return requestFailure('HTTP_TIMEOUT', details, text, { origin, timeoutMs, phase, sentOnce }, true)
    }
    if (phase === 'headers' && !sent) {
      const text = `no connection to ${origin} (${reason})`
      return requestFailure('HTTP_NOT_SENT', details, text, { origin, reason }, true)
    }
    const text = `the connection to ${origin} ended before the whole answer (${reason})${twice}`
    return requestFailure('HTTP_NO_ANSWER', details, text, { origin, reason, phase, sentOnce }, true)
  }
}

/** Lets go of a body that nobody will read. */
function cancel(reader: ByteReaderLike | undefined): void {
  reader?.cancel().catch(() => undefined)
}
