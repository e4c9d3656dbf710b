/**
 * A Connect transport for gRPC over `node:http2`, for server streams that run for hours.
 *
 * It has all features of a Connect transport except gRPC's JSON format: all four kinds of methods, interceptors, headers, trailers,
 * deadlines, compression, errors.
 */
import type { DisposableLike } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
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
import { KeepAliveBackoff } from './keep-alive-runner.ts'
import type { Decode } from './message-batch.ts'
import { readTransportOptions, type StreamTransportOptions, type TransportSettings } from './options.ts'
import { encodeEnvelope, type HeadersInput, http2Headers, oneMessage, requestHeaders } from './request.ts'
import { RequestSender } from './request-sender.ts'

/** A Connect `Transport` that owns its connections. */
export interface StreamTransport extends Transport, DisposableLike {
  /** Ends all calls with `canceled` and closes the connections. Later calls do nothing. */
  close(): void
}

/** How often a call is sent again if the server received but did not process it (gRFC A6, transparent retries). */
const MAX_REFUSALS = 1
/** Maximum number of attempts of a call that never reached the server. */
const MAX_ATTEMPTS = 5

type Request = UnaryRequest | StreamRequest
type Run = (request: Request) => Promise<UnaryResponse | StreamResponse>

/** The arguments of a call. */
type CallArguments = Pick<Request, 'stream' | 'method' | 'message'> & {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
  readonly header: HeadersInput
  readonly contextValues: ContextValues | undefined
}

/**
 * Creates a transport. The first call opens a connection. All calls share this connection until it is lost or
 * the server sends GOAWAY. A connection without calls does not keep the process alive.
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

/** Creates a transport from options that were read. @param keepAlive - The PING intervals of the server, shared by its transports. */
export function streamTransport(
  settings: TransportSettings,
  keepAlive: KeepAliveBackoff = new KeepAliveBackoff(settings.keepAlive),
): StreamTransport {
  const connections = new Connections(settings, keepAlive)
  const close = (): void => connections.close()
  // The casts are safe: the result has the types of the given method.
  const unary: Transport['unary'] = async (method, signal, timeoutMs, header, input, contextValues) => {
    const message = create(method.input, input)
    const call = { stream: false, method, message, signal, timeoutMs, header, contextValues }
    return (await runCall(call, settings, connections)) as never
  }
  const stream: Transport['stream'] = async (method, signal, timeoutMs, header, input, contextValues) => {
    const message = new CallInput(method.input, input)
    const call = { stream: true, method, message, signal, timeoutMs, header, contextValues }
    return (await runCall(call, settings, connections, (reason) => message.cancel(reason))) as never
  }
  return { unary, stream, close, [Symbol.dispose]: close }
}

async function runCall(
  { timeoutMs: givenMs, ...call }: CallArguments,
  settings: TransportSettings,
  connections: Connections,
  onFinish?: (failure: ConnectError | undefined) => void,
): Promise<UnaryResponse | StreamResponse> {
  const timeoutMs = givenMs ?? settings.defaultTimeoutMs
  if (Number.isNaN(timeoutMs)) throw new ConnectError('timeoutMs is no number', Code.InvalidArgument)
  // Infinity and 0 mean no deadline, as do negative numbers in Connect.
  const deadlineMs = timeoutMs !== undefined && timeoutMs > 0 && timeoutMs < Infinity ? timeoutMs : undefined
  const scope = new CallSignal(call.signal, deadlineMs)
  // This listener is added before interceptors run, because an interceptor closes the input without a reason.
  if (onFinish !== undefined) addAbortListener(scope.signal, () => onFinish(scope.failure))
  try {
    const request = {
      ...call,
      service: call.method.parent,
      requestMethod: 'POST',
      url: createMethodUrl(settings.baseUrl.href, call.method),
      header: requestHeaders(call.header, deadlineMs, settings),
      contextValues: call.contextValues ?? createContextValues(),
      signal: scope.signal,
    } as Request
    if (scope.signal.aborted) throw scope.signal.reason
    // An interceptor may call `next` again after a failure, so the signal must outlive the first call.
    const direct = settings.interceptors.length === 0
    const release: CallSignal['end'] = (reason) => direct && scope.end(reason)
    const core: Run = (final) => executeCall(final, settings, connections, release)
    const run = settings.interceptors.reduceRight<Run>((next, interceptor) => interceptor(next), core)
    const response = await run(request)
    if (!response.stream) scope.end()
    else if (!direct) return { ...response, message: releaseAtEnd(response.message, scope) }
    return response
  } catch (error) {
    const failure = scope.failure ?? ConnectError.from(error)
    scope.end(failure)
    throw failure
  }
}

/** Executes a call after the interceptors, and sends it again if the server did not process it. */
async function executeCall(
  request: Request,
  settings: TransportSettings,
  connections: Connections,
  release: CallSignal['end'],
): Promise<UnaryResponse | StreamResponse> {
  const { method, signal } = request
  const { acceptCompression, readMaxBytes, readAheadBytes } = settings
  const url = new URL(request.url)
  if (url.origin !== settings.baseUrl.origin) {
    throw new ConnectError(
      `an interceptor must not change the origin of a call; received ${url.origin}`,
      Code.Internal,
    )
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
    let maxCalls: number | undefined
    for (let refusals = 0, attempts = 1; ; attempts++) {
      const connection = await connections.acquire(signal, maxCalls)
      if (signal.aborted) throw signal.reason
      let isRetried = false
      const stream = connection.session.request(http2Headers(url, request.header))
      const call = new GrpcCall<MessageShape<DescMessage>>(connection, stream, {
        acceptCompression,
        readMaxBytes,
        readAheadBytes,
        decode,
        onEnd: (error) => {
          const { unprocessed } = call
          if (unprocessed?.sent === true) refusals++
          isRetried =
            unprocessed !== undefined &&
            sender.canReplay &&
            refusals <= MAX_REFUSALS &&
            attempts < MAX_ATTEMPTS
          maxCalls = unprocessed === undefined ? undefined : Math.max(1, unprocessed.processed)
          stopListening()
          if (!isRetried) release(error)
        },
      })
      const stopListening = addAbortListener(signal, (reason) =>
        call.fail(ConnectError.from(reason, Code.Canceled)),
      )
      stream.once('close', () => {
        if (!isRetried) sender.cancel(call.failure)
      })
      sender.sendOn(stream).catch((error: unknown) => call.fail(ConnectError.from(error, Code.Internal)))
      try {
        await call.opened
      } catch (error) {
        if (isRetried) continue
        throw error
      }
      sender.commit()
      const { header, trailer } = call
      if (request.stream) return { ...request, header, trailer, message: call } as StreamResponse
      return { ...request, header, trailer, message: await exactlyOne(call) } as UnaryResponse
    }
  } catch (error) {
    sender.cancel(error)
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

/**
 * Returns the messages that interceptors returned. Ends the call at their end, after an error, and after
 * `return()`.
 */
function releaseAtEnd<T>(messages: AsyncIterable<T>, scope: CallSignal): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const inner = messages[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const result = await inner.next()
            if (result.done === true) scope.end()
            return result
          } catch (error) {
            const failure = scope.failure ?? ConnectError.from(error)
            scope.end(failure)
            throw failure
          }
        },
        async return() {
          // The call ends first, because a generator that waits for a message would never return.
          scope.end()
          await inner.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
