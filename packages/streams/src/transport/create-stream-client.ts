/**
 * A client like Connect's `createClient`, except that leaving a loop cancels the call at once, on the server too.
 *
 * Connect's client hides `return()` of its iterables, so a `break` leaves the call open until it is
 * garbage-collected. It also resumes an async generator for each message, which takes about as long as
 * decoding the message.
 */
import type { AsyncDisposableLike } from '@brokerwire/core'
import { addAbortListener } from '@brokerwire/core/internal'
import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf'
import {
  type CallOptions,
  type Client,
  createClient,
  makeAnyClient,
  type StreamResponse,
  type Transport,
} from '@connectrpc/connect'
import { GrpcCall } from './grpc-call.ts'
import { oneMessage } from './request.ts'

/**
 * The messages of a call. Read them with one `for await` loop. Leaving the loop, `return()` and disposing
 * cancel the call.
 */
export interface MessageStream<T> extends AsyncIterableIterator<T>, AsyncDisposableLike {
  /** Returns the next message, or `done` after the status OK. */
  next(): Promise<IteratorResult<T, undefined>>
  /** Cancels the call and ends the iteration. */
  return(): Promise<IteratorResult<T, undefined>>
  /** Returns this object, so that it can be used in `for await`. */
  [Symbol.asyncIterator](): MessageStream<T>
}

/** Like Connect's `Client`, with a {@link MessageStream} for streamed responses. */
export type StreamClient<S extends DescService> = {
  [P in keyof S['method']]: S['method'][P] extends
    | DescMethodUnary
    | { readonly methodKind: 'client_streaming' }
    ? Client<S>[P]
    : S['method'][P] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageInitShape<I>, options?: CallOptions) => MessageStream<MessageShape<O>>
      : S['method'][P] extends DescMethodBiDiStreaming<infer I, infer O>
        ? (
            request: AsyncIterable<MessageInitShape<I>>,
            options?: CallOptions,
          ) => MessageStream<MessageShape<O>>
        : never
}

/**
 * Creates a client. A call begins when its method is called, as with Connect's client.
 *
 * @param transport - Any Connect transport. Leaving a loop cancels the call with connect-node's transport as well.
 *
 * @example
 * ```ts
 * import { TradeEventService } from '@brokerwire/protos'
 * import { createStreamClient, createStreamTransport } from '@brokerwire/streams/transport'
 *
 * using transport = createStreamTransport({ baseUrl: 'https://events-api.example.com' })
 * const client = createStreamClient(TradeEventService, transport)
 * for await (const message of client.subscribe({ subscribeType: 1, accounts: ['ACCOUNT'] })) {
 *   console.log(message.payload)
 *   break // cancels the call
 * }
 * ```
 */
export function createStreamClient<S extends DescService>(service: S, transport: Transport): StreamClient<S> {
  const standard = createClient(service, transport) as Record<string, (...args: unknown[]) => unknown>
  return makeAnyClient(service, (method) => {
    switch (method.methodKind) {
      case 'server_streaming':
        return (request, options) => new OpenedStream(transport, method, oneMessage(request), options)
      case 'bidi_streaming':
        return (request, options) => new OpenedStream(transport, method, request, options)
      default:
        return standard[method.localName] ?? null
    }
  }) as StreamClient<S>
}

class OpenedStream<I extends DescMessage, O extends DescMessage> implements MessageStream<MessageShape<O>> {
  readonly #options: CallOptions
  readonly #controller = new AbortController()
  /** Removes the listener from the caller's signal. */
  readonly #release: () => void = () => {}
  readonly #opened: Promise<AsyncIterator<MessageShape<O>>>
  /** The call, if it is from the transport of this package. It reports its end itself, so its results need no second promise. */
  #call: GrpcCall<MessageShape<O>> | undefined
  #trailer: Headers | undefined
  /** Whether the caller has cancelled the call. Later messages and errors are not returned. */
  #cancelled = false
  #finished = false

  constructor(
    transport: Transport,
    method: DescMethodStreaming<I, O>,
    input: AsyncIterable<MessageInitShape<I>>,
    options: CallOptions = {},
  ) {
    const { signal, timeoutMs, headers, contextValues } = options
    const controller = this.#controller
    this.#options = options
    if (signal !== undefined) this.#release = addAbortListener(signal, () => controller.abort(signal.reason))
    this.#opened = transport
      .stream(method, controller.signal, timeoutMs, headers, input, contextValues)
      .then((response) => this.#open(response))
    // `next()` rejects with the error. Without this handler, a stream that is never read would end the process.
    this.#opened.catch(() => this.#release())
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    if (this.#call !== undefined) return this.#call.next()
    return this.#next()
  }

  async return(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    this.#cancelled = true
    if (!this.#finished) {
      this.#finish()
      await this.#call?.return()
      this.#controller.abort()
    }
    return { done: true, value: undefined }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  #open(response: StreamResponse<I, O>): AsyncIterator<MessageShape<O>> {
    this.#trailer = response.trailer
    try {
      this.#options.onHeader?.(response.header)
    } catch (error) {
      this.#controller.abort()
      throw error
    }
    const { message } = response
    if (message instanceof GrpcCall) {
      this.#call = message
      message.onFinish = (completed) => this.#finish(completed)
    }
    return message[Symbol.asyncIterator]()
  }

  async #next(): Promise<IteratorResult<MessageShape<O>, undefined>> {
    if (this.#finished) return { done: true, value: undefined }
    try {
      const result = await (await this.#opened).next()
      if (result.done !== true) return result
      this.#finish(true)
    } catch (error) {
      this.#finish()
      // A read that was pending when the caller cancelled returns the end, not an error.
      if (!this.#cancelled) throw error
    }
    return { done: true, value: undefined }
  }

  /** @param completed - Whether the server ended the call with the status OK. */
  #finish(completed = false): void {
    if (this.#finished) return
    this.#finished = true
    this.#release()
    if (completed && this.#trailer !== undefined) this.#options.onTrailer?.(this.#trailer)
  }
}
