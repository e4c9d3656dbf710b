/**
 * Third stage: sends the signed bytes once and reads the response, within one time limit that includes its last byte.
 *
 * The limit also holds for a `fetch` that ignores its signal.
 */
import type { AbortSignalLike, ByteReaderLike, ResponseLike } from '@brokerwire/core'
import { concatBytes, throwIfAborted, withinLimit } from '@brokerwire/core/internal'
import { disableHostRetries, hostTimeout } from '#host'
import type { ClientSettings } from './client-options.ts'
import { parseFetchError } from './fetch-error.ts'
import type { ProxyFailure, SendControl } from './host/port.ts'
import type { RequestPhase } from './http-error.ts'
import type { NormalizedRequest } from './normalize.ts'
import type { SignedRequest } from './sign.ts'

/** A response, whatever its status. */
export interface RawResponse {
  readonly type: 'response'
  readonly status: number
  readonly headers: ResponseLike['headers']
  /** `undefined` if it was not read: of a redirect, and of an error status whose body failed. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** Whether it is known that the host sent the request at most once. */
  readonly sentOnce: boolean
}

/** Why there is no whole response. */
export interface SendFailure {
  readonly type: 'failure'
  readonly reason:
    | { readonly type: 'not-sent'; readonly code: string; readonly proxy: ProxyFailure | undefined }
    | { readonly type: 'connection-lost'; readonly code: string }
    /** Of the request if `hostLimit` is `undefined`, otherwise of the host. */
    | { readonly type: 'timeout'; readonly hostLimit: string | undefined }
    | { readonly type: 'too-large' }
  readonly phase: RequestPhase
  /** Headers, if they arrived. */
  readonly headers: ResponseLike['headers'] | undefined
  readonly sentOnce: boolean
}

/** What became of a request that was sent. */
export type SendResult = RawResponse | SendFailure

/** For a `fetch` that never sends twice. */
const SENDS_ONCE: SendControl = { isSentOnce: () => true, originalStatus: (shown) => shown }

/** How far one call of `fetch` has come. */
interface Progress {
  isTimedOut: boolean
  /** The response without its body. */
  head: RawResponse | undefined
  reader: ByteReaderLike | undefined
}

/** Browsers hide the status of a redirect. */
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

/** @throws The signal's reason when it aborts, and nothing else. */
export async function send(
  settings: ClientSettings,
  request: NormalizedRequest,
  signed: SignedRequest,
): Promise<SendResult> {
  const { target, body, timeoutMs, maxResponseBytes, signal } = request
  // A variable, because hosts check the object that `fetch` is called on.
  const { fetch } = settings
  throwIfAborted(signal)
  const control = fetch.sendsOnce
    ? SENDS_ONCE
    : disableHostRetries(request.rule !== 'always', settings.isHostFetch)
  const progress: Progress = { isTimedOut: false, head: undefined, reader: undefined }
  try {
    return await withinLimit(
      settings.clock,
      timeoutMs,
      signal,
      sendAndRead,
      () => {
        progress.isTimedOut = true
      },
      control.controller,
    )
  } catch (error) {
    const { isTimedOut, head, reader } = progress
    cancel(reader)
    if (!isTimedOut) throwIfAborted(signal)
    // The meaning of an error status does not depend on its body: an endless error page of a gateway changes nothing about a 502.
    if (head !== undefined && head.status >= 400) return head
    return {
      type: 'failure',
      reason: failureReason(error, progress),
      phase: head === undefined ? 'headers' : 'body',
      headers: head?.headers,
      sentOnce: control.isSentOnce(),
    }
  } finally {
    control.release?.()
  }

  async function sendAndRead(limit: AbortSignalLike): Promise<RawResponse> {
    const response = await fetch(signed.url, {
      method: target.method,
      headers: signed.headers,
      redirect: 'manual',
      signal: limit as never,
      ...control.init,
      ...(body && { body }),
    })
    const { headers, body: stream } = response
    // A replaced `fetch` may return anything.
    if (typeof headers?.get !== 'function') throw new TypeError('not a response')
    const status = control.originalStatus(response.status)
    // Redirects are not followed. After an abort, nothing waits for the body of a `fetch` that ignores its signal.
    const isUnread = limit.aborted || isRedirect(status)
    if (isUnread) cancel(stream?.getReader())
    throwIfAborted(limit)
    const head = {
      type: 'response',
      status,
      headers,
      bytes: undefined,
      sentOnce: control.isSentOnce(),
    } satisfies RawResponse
    progress.head = head
    if (isUnread || stream === null) return head
    const reader = stream.getReader()
    progress.reader = reader
    return { ...head, bytes: await readBody(reader, maxResponseBytes, limit) }
  }
}

function failureReason(error: unknown, { isTimedOut, head }: Progress): SendFailure['reason'] {
  if (error instanceof BodyTooLargeError) return { type: 'too-large' }
  const { isSent, code, proxy } = parseFetchError(error)
  const hostLimit = hostTimeout(code)
  if (isTimedOut || hostLimit !== undefined)
    return { type: 'timeout', hostLimit: isTimedOut ? undefined : hostLimit }
  if (head === undefined && !isSent) return { type: 'not-sent', code, proxy }
  return { type: 'connection-lost', code }
}

/** Cancels a body that is not read. */
function cancel(reader: ByteReaderLike | undefined): void {
  reader?.cancel().catch(() => undefined)
}

/** Thrown by {@link readBody} for a body that is longer than the limit. */
class BodyTooLargeError extends Error {}

/** Hosts return an empty chunk now and then, never thousands. */
const MAX_EMPTY_CHUNKS = 1000

/** With callbacks of our own: otherwise workerd reports a body that breaks off as an unhandled rejection with our code in its stack. */
const readChunk = (reader: ByteReaderLike): ReturnType<ByteReaderLike['read']> =>
  new Promise((resolve, reject) => {
    reader.read().then(
      (chunk) => resolve(chunk),
      (error: unknown) => reject(error),
    )
  })

/** Whether a chunk fills its buffer, so that it needs no copy. */
const ownsItsBuffer = (chunk: Uint8Array): chunk is Uint8Array<ArrayBuffer> =>
  chunk.constructor === Uint8Array &&
  chunk.buffer instanceof ArrayBuffer &&
  chunk.byteLength === chunk.buffer.byteLength

/**
 * Reads a body up to a limit, because a service that sends without end must not fill the memory.
 *
 * @throws {@link BodyTooLargeError}; the signal's reason; the host's error if the connection breaks.
 */
async function readBody(
  reader: ByteReaderLike,
  maxBytes: number,
  signal: AbortSignalLike,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  let empty = 0
  for (;;) {
    const { done, value } = await readChunk(reader)
    throwIfAborted(signal)
    if (done) break
    if (value?.length) {
      length += value.length
      if (length > maxBytes) throw new BodyTooLargeError()
      chunks.push(value)
    } else {
      // Endless empty chunks would keep timers from firing.
      empty += 1
      if (empty > MAX_EMPTY_CHUNKS) throw new Error()
    }
  }
  const [first] = chunks
  if (first?.length === length && ownsItsBuffer(first)) return first
  return concatBytes(chunks, length)
}
