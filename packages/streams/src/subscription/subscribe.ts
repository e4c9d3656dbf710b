/**
 * One signed subscription, over any Connect transport.
 *
 * The signature covers the request byte for byte, but a transport serializes for itself. Three things make its bytes
 * the signed ones: the message is made here, frozen, and handed over as it is; protobuf-es writes a message without
 * maps in one way only; and nothing is sent before the signature of exactly this message is there.
 */
import { onAbort } from '@brokerwire/core/internal'
import type { Signer } from '@brokerwire/signer'
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

/** What signs a serialized request: a `Signer` of `@brokerwire/signer`. */
export type StreamSigner = Pick<Signer, 'appKey' | 'signStream'>

/** What {@link subscribe} needs. */
export interface SubscribeOptions<I extends DescMessage, O extends DescMessage> {
  readonly method: DescMethodServerStreaming<I, O>
  readonly message: MessageShape<I>
  readonly transport: Transport
  readonly signer: StreamSigner
  /** Text of the access token, where one is sent. */
  readonly accessToken?: string | undefined
  /** Cancels the RPC, at whatever point it is. */
  readonly signal: AbortSignal
  /** The signature is there, and the request goes out next. */
  readonly onSend?: (() => void) | undefined
}

/** An open subscription. */
export interface Subscription<T> {
  /** The next message; done at a clean end. Rejects with a `ConnectError`. */
  next(): Promise<IteratorResult<T, unknown>>
  /** Cancels the RPC at once. Harmless when called again. */
  cancel(): void
}

/** A request with the headers that sign exactly its bytes. */
export interface SignedRequest<I extends DescMessage> {
  readonly message: MessageShape<I>
  readonly headers: Readonly<Record<string, string>>
}

/** Milliseconds; Connect takes 0 for "no deadline", whatever the transport's default. */
const NO_DEADLINE = 0

/**
 * Signs the request and opens the stream. Each call signs anew.
 *
 * @returns Once the service's response headers are there.
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
  // Of its own: leaving a `for await` over Connect's iterable does not cancel the RPC, aborting does.
  const controller = new AbortController()
  const stop = onAbort(signal, () => controller.abort())
  const cancel = (): void => {
    stop()
    controller.abort()
  }
  try {
    const messages = await openSubscription(method, request, transport, controller.signal)
    const iterator = messages[Symbol.asyncIterator]()
    return { next: () => iterator.next(), cancel }
  } catch (error) {
    cancel()
    throw error
  }
}

/** Freezes a request and signs it. */
export async function signRequest<I extends DescMessage>(
  schema: I,
  input: MessageShape<I>,
  signer: StreamSigner,
  accessToken: string | undefined,
): Promise<SignedRequest<I>> {
  const message = deepFreeze(input)
  const { headers } = await signer.signStream(toBinary(schema, message))
  const token = accessToken === undefined ? {} : { 'x-access-token': accessToken }
  return { message, headers: { ...headers, ...token } }
}

/** Opens the stream of a signed request. @param signal - Cancels the RPC, at whatever point it is. */
export async function openSubscription<I extends DescMessage, O extends DescMessage>(
  method: DescMethodServerStreaming<I, O>,
  { message, headers }: SignedRequest<I>,
  transport: Transport,
  signal: AbortSignal,
): Promise<AsyncIterable<MessageShape<O>>> {
  return (await transport.stream(method, signal, NO_DEADLINE, headers, oneMessage(message as never))).message
}

/**
 * Reads what was received in batches: at most `maxMessages`, and at most `maxBytes` beyond the first message, which is always
 * taken; an empty batch at a clean end. Only the transport of this package returns more than one message at a time.
 */
export function batchesOf<O extends DescMessage, M>(
  schema: O,
  messages: AsyncIterable<MessageShape<O>>,
  decoder: Decoder<M>,
): (maxMessages: number, maxBytes: number) => Promise<MessageBatch<M>> {
  // Each promise between a lone message and its reader is a turn that it waits.
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

/** Freezes a message with its lists and inner messages, so that no interceptor can change what was signed. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
