/**
 * A Connect transport for gRPC over `node:http2`, made for server streams that run for hours.
 *
 * Everything that Connect asks of a transport is here: all four kinds of methods, interceptors, headers, trailers,
 * deadlines, compression, errors. What it does not have is gRPC's JSON format; its bytes are protobuf only.
 */
import type { DisposableLike } from '@brokerwire/core'
import { onAbort } from '@brokerwire/core/internal'
import { create, type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect'
import { createMethodUrl } from '@connectrpc/connect/protocol'
import { CallInput } from './call-input.ts'
import { CallSignal } from './call-signal.ts'
import { Connections } from './connections.ts'
import { GrpcCall } from './grpc-call.ts'
import type { Decode } from './message-batch.ts'
import { readTransportOptions, type StreamTransportOptions, type TransportSettings } from './options.ts'
import { PingPace } from './ping-watch.ts'
import { encodeEnvelope, type HeadersInput, http2Headers, oneMessage, requestHeaders } from './request.ts'
import { RequestSender } from './send.ts'

/** A Connect `Transport` that owns its connections. */
export interface StreamTransport extends Transport, DisposableLike {
  /** Ends all calls with `canceled`, then the connections. Harmless when called again. */
  close(): void
}

/** How often a call is sent again that the server did not look at (gRFC A6, transparent retries). */
const MAX_REFUSALS = 1
/** A call that never left may be sent more often, but not without end. */
const MAX_ATTEMPTS = 5

type Request = UnaryRequest | StreamRequest
type Run = (request: Request) => Promise<UnaryResponse | StreamResponse>

/** A request as the caller says it. */
type Asked = Pick<Request, 'stream' | 'method' | 'message'> & {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  readonly header: HeadersInput
  readonly contextValues: ContextValues | undefined
}

/**
 * Makes a transport. Nothing is opened before the first call; afterwards all calls share one connection, until the
 * server retires it or it is lost. A connection without calls does not keep the process alive.
 *
 * @throws StreamsError `STREAM_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createStreamTransport } from '@brokerwire/streams/transport'
 *
 * using transport = createStreamTransport({ baseUrl: 'https://events-api.example.com' })
 * ```
 */
export function createStreamTransport(options: StreamTransportOptions): StreamTransport {
  return streamTransport(readTransportOptions(options))
}

/** The same, with options that were read before. @param pace - Shared by the transports of one target. */
export function streamTransport(
  settings: TransportSettings,
  pace: PingPace = new PingPace(settings.keepAlive),
): StreamTransport {
  const connections = new Connections(settings, pace)
  const close = (): void => connections.close()
  // Connect's types say what these take; what they return is of the method that was given.
  const unary: Transport['unary'] = async (method, signal, timeoutMs, header, input, contextValues) => {
    const message = create(method.input, input)
    const asked = { stream: false, method, message, signal, timeoutMs, header, contextValues }
    return (await runCall(asked, settings, connections)) as never
  }
  const stream: Transport['stream'] = async (method, signal, timeoutMs, header, input, contextValues) => {
    const message = new CallInput(method.input, input)
    const asked = { stream: true, method, message, signal, timeoutMs, header, contextValues }
    return (await runCall(asked, settings, connections, (reason) => message.leave(reason))) as never
  }
  return { unary, stream, close, [Symbol.dispose]: close }
}

async function runCall(
  { timeoutMs: givenMs, ...asked }: Asked,
  settings: TransportSettings,
  connections: Connections,
  onOver?: (failure: ConnectError | undefined) => void,
): Promise<UnaryResponse | StreamResponse> {
  const timeoutMs = givenMs ?? settings.defaultTimeoutMs
  if (Number.isNaN(timeoutMs)) throw new ConnectError('timeoutMs is no number', Code.InvalidArgument)
  // No deadline for Infinity, for 0 and, as Connect has it, for what is below.
  const deadlineMs = timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < Infinity ? timeoutMs : undefined
  const scope = new CallSignal(asked.signal, deadlineMs)
  // Before anybody else hears of it: what an interceptor made of the input would only be left, without a reason.
  if (onOver !== undefined) onAbort(scope.signal, () => onOver(scope.failure))
  try {
    const request = {
      ...asked,
      service: asked.method.parent,
      requestMethod: 'POST',
      url: createMethodUrl(settings.baseUrl.href, asked.method),
      header: requestHeaders(asked.header, deadlineMs, settings),
      contextValues: asked.contextValues ?? createContextValues(),
      signal: scope.signal,
    } as Request
    if (scope.signal.aborted) throw scope.signal.reason
    // An interceptor may try again after a failure, so that the signal must outlive the first exchange.
    const direct = settings.interceptors.length === 0
    const release: CallSignal['release'] = (reason) => direct && scope.release(reason)
    const core: Run = (final) => exchange(final, settings, connections, release)
    const run = settings.interceptors.reduceRight<Run>((next, interceptor) => interceptor(next), core)
    const response = await run(request)
    if (!response.stream) scope.release()
    else if (!direct) return { ...response, message: guarded(response.message, scope) }
    return response
  } catch (error) {
    const failure = scope.failure ?? ConnectError.from(error)
    scope.release(failure)
    throw failure
  }
}

/** The call itself, within the interceptors. */
async function exchange(
  request: Request,
  settings: TransportSettings,
  connections: Connections,
  release: CallSignal['release'],
): Promise<UnaryResponse | StreamResponse> {
  const { method, signal } = request
  const { acceptCompression, readMaxBytes, readAheadBytes } = settings
  const url = new URL(request.url)
  if (url.origin !== settings.baseUrl.origin) {
    throw new ConnectError(`an interceptor changed the address to ${url.origin}`, Code.Internal)
  }
  const decode: Decode<MessageShape<DescMessage>> =
    settings.decoders.get(method.output.typeName) ??
    ((bytes, start, end) => fromBinary(method.output, bytes.subarray(start, end)))
  const messages = request.stream ? request.message : oneMessage(request.message)
  const single = method.methodKind === 'unary' || method.methodKind === 'server_streaming'
  const sender = new RequestSender(messages, single, (message) =>
    encodeEnvelope(method.input, message, settings),
  )
  try {
    let place: number | undefined
    for (let refusals = 0, attempts = 1; ; attempts++) {
      const connection = await connections.acquire(signal, place)
      if (signal.aborted) throw signal.reason
      let again = false
      const stream = connection.session.request(http2Headers(url, request.header))
      const call = new GrpcCall<MessageShape<DescMessage>>(connection, stream, {
        acceptCompression,
        readMaxBytes,
        readAheadBytes,
        decode,
        onEnd: (error) => {
          const { unprocessed } = call
          if (unprocessed?.sent === true) refusals++
          again =
            unprocessed !== undefined &&
            sender.repeatable &&
            refusals <= MAX_REFUSALS &&
            attempts < MAX_ATTEMPTS
          place = unprocessed === undefined ? undefined : Math.max(1, unprocessed.processed)
          stopListening()
          if (!again) release(error)
        },
      })
      const stopListening = onAbort(signal, (reason) => call.fail(ConnectError.from(reason, Code.Canceled)))
      stream.once('close', () => {
        if (!again) sender.leave(call.failure)
      })
      sender.sendOn(stream).catch((error: unknown) => call.fail(ConnectError.from(error, Code.Internal)))
      try {
        await call.opened
      } catch (error) {
        if (again) continue
        throw error
      }
      sender.stopRepeating()
      const { header, trailer } = call
      if (request.stream) return { ...request, header, trailer, message: call } as StreamResponse
      return { ...request, header, trailer, message: await exactlyOne(call) } as UnaryResponse
    }
  } catch (error) {
    sender.leave(error)
    throw error
  }
}

async function exactlyOne<T>(call: GrpcCall<T>): Promise<T> {
  const first = await call.next()
  if (first.done === true) throw new ConnectError('the response has no message', Code.Unimplemented)
  const second = await call.next()
  if (second.done !== true) {
    await call.return()
    throw new ConnectError('the response has more than one message', Code.Unimplemented)
  }
  return first.value
}

/** Messages that went through interceptors: an error of theirs, and leaving the loop, end the call beneath. */
function guarded<T>(messages: AsyncIterable<T>, scope: CallSignal): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const inner = messages[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const result = await inner.next()
            if (result.done === true) scope.release()
            return result
          } catch (error) {
            const failure = scope.failure ?? ConnectError.from(error)
            scope.release(failure)
            throw failure
          }
        },
        async return() {
          // First the call: a generator that waits for a message would never come to an end.
          scope.release()
          await inner.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
