/**
 * A client like Connect's `createClient`, but leaving a loop cancels the call, at once and on the server too.
 *
 * Connect's own client hides `return()` of its iterables, so a `break` leaves the stream open until it is collected.
 * It also resumes an async generator for each message, which costs about as much as decoding one.
 */
import type { AsyncDisposableLike } from '@brokerwire/core'
import { onAbort } from '@brokerwire/core/internal'
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

/** Messages of a call. Take them with one `for await`; leaving it, `return()` and disposing cancel the call. */
export interface MessageStream<T> extends AsyncIterableIterator<T>, AsyncDisposableLike {
  next(): Promise<IteratorResult<T, undefined>>
  return(): Promise<IteratorResult<T, undefined>>
  [Symbol.asyncIterator](): MessageStream<T>
}

/** Like Connect's `Client`, with {@link MessageStream} where messages are streamed back. */
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
 * Makes a client. A call begins when its method is called, as with Connect's.
 *
 * @param transport - Any Connect transport; with connect-node's too, leaving a loop cancels.
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
  /** Lets go of the caller's signal. */
  readonly #release: () => void = () => {}
  readonly #opened: Promise<AsyncIterator<MessageShape<O>>>
  /** A call of our own transport says by itself when it is over: its results need no second promise. */
  #call: GrpcCall<MessageShape<O>> | undefined
  #trailer: Headers | undefined
  /** By the caller: what comes afterwards, an error too, is not handed to it. */
  #left = false
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
    if (signal !== undefined) this.#release = onAbort(signal, () => controller.abort(signal.reason))
    this.#opened = transport
      .stream(method, controller.signal, timeoutMs, headers, input, contextValues)
      .then((response) => this.#open(response))
    // Whoever asks for a message hears of it; a call that nobody asks anything must not end the process.
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
    this.#left = true
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
      message.onOver = (completed) => this.#finish(completed)
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
      // What was waiting when the caller left is at an end, not at fault.
      if (!this.#left) throw error
    }
    return { done: true, value: undefined }
  }

  /** @param completed - The server ended the call, with success. */
  #finish(completed = false): void {
    if (this.#finished) return
    this.#finished = true
    this.#release()
    if (completed && this.#trailer !== undefined) this.#options.onTrailer?.(this.#trailer)
  }
}
