/**
 * Third stage: sends the signed bytes once and reads the response, within one time limit, which includes the
 * last byte of the response.
 *
 * The limit also has an effect if `fetch` ignores its signal.
 */
import type { AbortSignalLike, ByteReaderLike, ResponseLike } from '@brokerwire/core'
import { concatBytes, notify, throwIfAborted, withTimeout } from '@brokerwire/core/internal'
import { createSendControl, hostTimeout } from '#host'
import type { ClientSettings } from './client-options.ts'
import { parseFetchFailure } from './fetch-failure.ts'
import type { ProxyFailure, SendControl } from './host/port.ts'
import type { NormalizedRequest } from './normalize.ts'
import type { SignedRequest } from './sign.ts'

/** A response, whatever its status. */
export interface RawResponse {
  readonly type: 'response'
  readonly status: number
  readonly headers: ResponseLike['headers']
  /**
   * The body. `undefined` if the response has no body, if it is a redirect, or if the body of an error status
   * could not be read.
   */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** Whether the connection ended within the body of an error status. */
  readonly isCutOff: boolean
  /** Whether it is known that the host sent the request at most once. */
  readonly sentOnce: boolean
}

/** The reason for an incomplete response. */
export interface SendFailure {
  readonly type: 'failure'
  readonly reason: /** `isPermanent`: a retry would fail in the same way. */
    | {
        readonly type: 'not-sent'
        readonly code: string
        readonly isPermanent: boolean
        readonly proxy: ProxyFailure | undefined
      }
    | { readonly type: 'connection-lost'; readonly code: string }
    /**
     * `hostLimit`: the host's own limit, if that limit ended the request; `undefined` if `timeoutMs` ended
     * it.
     */
    | { readonly type: 'timeout'; readonly hostLimit: string | undefined }
    | { readonly type: 'too-large' }
  /** The response without its body, if its headers arrived. */
  readonly head: RawResponse | undefined
  readonly sentOnce: boolean
}

/** Outcome of one attempt to send. */
export type SendResult = RawResponse | SendFailure

/** The control of a `fetch` that never sends twice. */
const SENDS_ONCE: SendControl = { isSentOnce: () => true, originalStatus: (shown) => shown }

/** State of one call of `fetch`. */
interface SendState {
  isTimedOut: boolean
  /** The response without its body, as soon as its headers have arrived. */
  head: RawResponse | undefined
  reader: ByteReaderLike | undefined
}

/**
 * Whether a response is a redirect. Browsers hide status and headers of redirects, so the status is 0. A 304
 * is not a redirect.
 */
export const isRedirect = ({ status, headers }: Pick<RawResponse, 'status' | 'headers'>): boolean =>
  status === 0 || (status >= 300 && status < 400 && !!headers.get('location'))

/** Sends one attempt. @throws The reason of the request's signal if it aborts, and nothing else. */
export async function send(
  settings: ClientSettings,
  request: NormalizedRequest,
  signed: SignedRequest,
): Promise<SendResult> {
  const { timeoutMs, signal } = request
  throwIfAborted(signal)
  const control = settings.fetch.sendsOnce
    ? SENDS_ONCE
    : createSendControl(request.rule !== 'always', settings.isHostFetch)
  const state: SendState = { isTimedOut: false, head: undefined, reader: undefined }
  const onTimeout = (): void => {
    state.isTimedOut = true
  }
  try {
    const work = (limit: AbortSignalLike): Promise<RawResponse> =>
      sendAndRead(settings, request, signed, control, state, limit)
    return await withTimeout(settings.clock, timeoutMs, signal, work, onTimeout, control.controller)
  } catch (error) {
    const { isTimedOut, head, reader } = state
    cancel(() => reader)
    if (!isTimedOut) throwIfAborted(signal)
    const reason = failureReason(error, state)
    // The meaning of an error status does not depend on its body: an endless error page of a gateway changes nothing about a 502.
    if (head !== undefined && head.status >= 300)
      return { ...head, isCutOff: reason.type === 'connection-lost' }
    return { type: 'failure', reason, head, sentOnce: control.isSentOnce() }
  } finally {
    control.release?.()
  }
}

/** @param limit - Aborts at the time limit and with the request's signal. */
async function sendAndRead(
  { fetch }: ClientSettings,
  { target, body, maxResponseBytes }: NormalizedRequest,
  { url, headers }: SignedRequest,
  control: SendControl,
  state: SendState,
  limit: AbortSignalLike,
): Promise<RawResponse> {
  const response = await fetch(url, {
    method: target.method,
    headers,
    redirect: 'manual',
    signal: limit as never,
    // `init` may remove `signal`, because on Node the request is aborted through `control.controller`
    // instead.
    ...control.init,
    ...(body && { body }),
  })
  const { headers: received, body: stream } = response
  // A replaced `fetch` may return anything.
  if (typeof received?.get !== 'function') throw new TypeError('not a response')
  const status = control.originalStatus(response.status)
  // The body of a redirect is not read, because redirects are not followed. After an abort, the body is not
  // read either. There still is a response if `fetch` ignores its signal.
  const isUnread = limit.aborted || isRedirect({ status, headers: received })
  if (isUnread) cancel(() => stream?.getReader())
  throwIfAborted(limit)
  const head: RawResponse = {
    type: 'response',
    status,
    headers: received,
    bytes: undefined,
    isCutOff: false,
    sentOnce: control.isSentOnce(),
  }
  state.head = head
  if (isUnread || stream === null) return head
  state.reader = stream.getReader()
  return { ...head, bytes: await readBody(state.reader, maxResponseBytes, limit) }
}

function failureReason(error: unknown, { isTimedOut, head }: SendState): SendFailure['reason'] {
  if (error instanceof BodyTooLargeError) return { type: 'too-large' }
  const { isCertainlyUnsent, isPermanent, code, proxy } = parseFetchFailure(error)
  const hostLimit = hostTimeout(code)
  if (isTimedOut || hostLimit !== undefined)
    return { type: 'timeout', hostLimit: isTimedOut ? undefined : hostLimit }
  if (head === undefined && isCertainlyUnsent) return { type: 'not-sent', code, isPermanent, proxy }
  return { type: 'connection-lost', code }
}

/** Cancels a body that is not read. Errors are ignored: a replaced `fetch` may return a body that another reader has locked. */
function cancel(getReader: () => ByteReaderLike | undefined): void {
  notify(() => getReader()?.cancel())
}

/** Thrown by {@link readBody} for a body that is longer than the limit. */
class BodyTooLargeError extends Error {}

/**
 * The most empty chunks in excess of the chunks with content. Hosts return an empty chunk now and then, but
 * never so many.
 */
const MAX_EMPTY_CHUNKS = 1000

/**
 * Reads a chunk with its own callbacks. Without them, workerd reports a body that ends too early as an
 * unhandled rejection with the code of this package in its stack.
 */
const readChunk = (reader: ByteReaderLike): ReturnType<ByteReaderLike['read']> =>
  new Promise((resolve, reject) => {
    reader.read().then(
      (chunk) => resolve(chunk),
      (error: unknown) => reject(error),
    )
  })

/** Whether a chunk is the whole content of its buffer. If so, it is returned without a copy. */
const fillsItsBuffer = (chunk: Uint8Array): chunk is Uint8Array<ArrayBuffer> =>
  chunk.constructor === Uint8Array &&
  chunk.buffer instanceof ArrayBuffer &&
  chunk.byteLength === chunk.buffer.byteLength

/**
 * Reads a body up to a limit, because an endless response must not exhaust the memory.
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
      if (empty - chunks.length > MAX_EMPTY_CHUNKS) throw Object.assign(new Error(), { code: 'EMPTY_CHUNKS' })
    }
  }
  const [first] = chunks
  if (first?.length === length && fillsItsBuffer(first)) return first
  return concatBytes(chunks, length)
}
