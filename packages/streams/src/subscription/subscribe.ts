/**
 * One signed subscription, over any Connect transport.
 *
 * The signature covers the bytes of the request, but the transport serializes the message again. The bytes are equal, because the
 * message is frozen before it is signed, and protobuf-es serializes a message without maps in one way only.
 */
import { addAbortListener, deepFreeze } from '@brokerwire/core/internal'
import type { Signer } from '@brokerwire/signer'
import { signedHeaders } from '@brokerwire/signer/internal'
import {
  type DescMessage,
  type DescMethodServerStreaming,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { GrpcCall } from '../transport/grpc-call.ts'
import { type Decoder, MessageBatch, notesFor } from '../transport/message-batch.ts'
import { oneMessage } from '../transport/request.ts'

/** Signs a serialized request. A `Signer` of `@brokerwire/signer` has these members. */
export type StreamSigner = Pick<Signer, 'appKey' | 'signStream'>

/** Options of {@link subscribe}. */
export interface SubscribeOptions<I extends DescMessage, O extends DescMessage> {
  /** The method of the service to call. */
  readonly method: DescMethodServerStreaming<I, O>
  /** The request. It is frozen with all inner messages. */
  readonly message: MessageShape<I>
  /** The Connect transport that opens the stream. */
  readonly transport: Transport
  /** Signs the serialized request. */
  readonly signer: StreamSigner
  /** The access token, as a string. @defaultValue no token is sent */
  readonly accessToken?: string | undefined
  /** Cancels the call at any time. */
  readonly signal: AbortSignal
  /** Called after the request was signed and before it is sent. */
  readonly onSend?: (() => void) | undefined
}

/** An open subscription. */
export interface Subscription<T> {
  /** Returns the next message; `done` after the status OK. Rejects with a `ConnectError`. */
  next(): Promise<IteratorResult<T, unknown>>
  /** Cancels the call at once. Later calls do nothing. */
  cancel(): void
}

/** A request and the headers with its signature. */
export interface SignedRequest<I extends DescMessage> {
  readonly message: MessageShape<I>
  readonly headers: Readonly<Record<string, string>>
}

/** Milliseconds. For Connect, 0 means no deadline, even if the transport has a default one. */
const NO_DEADLINE = 0

/**
 * Signs a request and opens the stream.
 *
 * @returns The subscription, after the response headers were received. Rejects with a `ConnectError`, an error of the signer, or
 * the reason of the signal.
 *
 * @example
 * ```ts
 * import { TradeEventService, TradeSubscribeRequestSchema } from '@brokerwire/protos'
 * import { createSigner } from '@brokerwire/signer'
 * import { subscribe } from '@brokerwire/streams'
 * import { createStreamTransport } from '@brokerwire/streams/transport'
 * import { create } from '@bufbuild/protobuf'
 *
 * using transport = createStreamTransport({ baseUrl: 'https://events-api.example.com' })
 * const subscription = await subscribe({
 *   method: TradeEventService.method.subscribe,
 *   message: create(TradeSubscribeRequestSchema, {
 *     subscribeType: 1,
 *     timestamp: BigInt(Date.now()),
 *     accounts: ['ACCOUNT'],
 *   }),
 *   transport,
 *   signer: createSigner({ appKey: 'my-key', appSecret: process.env.APP_SECRET ?? '' }),
 *   signal: AbortSignal.timeout(60_000),
 * })
 * console.log(await subscription.next())
 * subscription.cancel()
 * ```
 */
export async function subscribe<I extends DescMessage, O extends DescMessage>(
  options: SubscribeOptions<I, O>,
): Promise<Subscription<MessageShape<O>>> {
  const { method, signal, signer, transport, onSend } = options
  signal.throwIfAborted()
  const request = await signRequest(method.input, options.message, signer, options.accessToken)
  signal.throwIfAborted()
  onSend?.()
  // Leaving a `for await` loop over Connect's iterable does not cancel the call, but aborting its signal does.
  const controller = new AbortController()
  const stop = addAbortListener(signal, () => controller.abort())
  const cancel = (): void => {
    stop()
    controller.abort()
  }
  try {
    const messages = await openSubscription(method, request, transport, controller.signal)
    const iterator = messages[Symbol.asyncIterator]()
    const next = async (): Promise<IteratorResult<MessageShape<O>, unknown>> => {
      try {
        const result = await iterator.next()
        if (result.done === true) cancel()
        return result
      } catch (error) {
        cancel()
        throw error
      }
    }
    return { next, cancel }
  } catch (error) {
    cancel()
    throw error
  }
}

/** Freezes a request, so that an interceptor cannot change the signed bytes, and signs it. */
export async function signRequest<I extends DescMessage>(
  schema: I,
  input: MessageShape<I>,
  signer: StreamSigner,
  accessToken: string | undefined,
): Promise<SignedRequest<I>> {
  const message = deepFreeze(input)
  return { message, headers: await signedHeaders(signer, toBinary(schema, message), accessToken) }
}

/** Opens the stream of a signed request. @param signal - Cancels the call at any time. */
export async function openSubscription<I extends DescMessage, O extends DescMessage>(
  method: DescMethodServerStreaming<I, O>,
  { message, headers }: SignedRequest<I>,
  transport: Transport,
  signal: AbortSignal,
): Promise<AsyncIterable<MessageShape<O>>> {
  return (await transport.stream(method, signal, NO_DEADLINE, headers, oneMessage(message as never))).message
}

/**
 * Returns a function that reads the next batch: the next message, and the messages that were received with
 * it, up to `maxMessages` messages and `maxBytes` bytes. A batch is empty after the status OK. Only the
 * transport of this package returns more than one message at a time.
 */
export function batchReader<O extends DescMessage, M>(
  schema: O,
  messages: AsyncIterable<MessageShape<O>>,
  decoder: Decoder<M>,
): (maxMessages: number, maxBytes: number) => Promise<MessageBatch<M>> {
  // Without an iterator in between, a single message is delivered one microtask earlier.
  if (messages instanceof GrpcCall) {
    return (maxMessages, maxBytes) => messages.nextBatch(decoder, maxMessages, maxBytes)
  }
  const iterator = messages[Symbol.asyncIterator]()
  const notes = notesFor(1)
  return async () => {
    const batch = new MessageBatch(decoder, notes)
    const { done, value } = await iterator.next()
    if (done === true) return batch
    const { buffer, byteOffset, byteLength } = toBinary(schema, value)
    batch.read(Buffer.from(buffer, byteOffset, byteLength), 0, byteLength)
    return batch
  }
}
