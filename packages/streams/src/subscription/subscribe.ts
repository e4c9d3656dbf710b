/**
 * One signed subscription, over any Connect transport.
 *
 * The signature covers the request byte for byte, but a transport serializes for itself. Three things make its bytes
 * the signed ones: the message is made here, frozen, and handed over as it is; protobuf-es writes a message without
 * maps in one way only; and nothing is sent before the signature of exactly this message is there.
 */

import type { Signer } from '@brokerwire/signer'
import {
  type DescMessage,
  type DescMethodServerStreaming,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'

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

/** Milliseconds; Connect takes 0 for "no deadline", whatever the transport's default. */
const NO_DEADLINE = 0

/**
 * Signs the request and opens the stream. Each call signs anew.
 *
 * @returns Once the service's response headers are there.
 */
export async function subscribe<I extends DescMessage, O extends DescMessage>(
  options: SubscribeOptions<I, O>,
): Promise<Subscription<MessageShape<O>>> {
  const { method, transport, signer, signal, accessToken } = options
  signal.throwIfAborted()
  const message = deepFreeze(options.message)
  const { headers } = await signer.signStream(toBinary(method.input, message))
  signal.throwIfAborted()

  // Of its own: leaving a `for await` over Connect's iterable does not cancel the RPC, aborting does.
  const controller = new AbortController()
  const cancel = (): void => {
    signal.removeEventListener('abort', cancel)
    controller.abort()
  }
  signal.addEventListener('abort', cancel, { once: true })
  options.onSend?.()
  const metadata = accessToken === undefined ? headers : { ...headers, 'x-access-token': accessToken }
  const response = await transport
    .stream(method, controller.signal, NO_DEADLINE, metadata, single(message as never))
    .catch((error: unknown) => {
      cancel()
      throw error
    })
  const messages = response.message[Symbol.asyncIterator]()
  return { next: () => messages.next(), cancel }
}

async function* single<T>(message: T): AsyncGenerator<T> {
  yield message
}

/** Freezes a message with its lists and inner messages, so that no interceptor can change what was signed. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
