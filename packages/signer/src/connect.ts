/** The entry `@brokerwire/signer/connect`: an interceptor that signs the requests of a Connect client. */
import { abortable, deepFreeze } from '@brokerwire/core/internal'
import { clone, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from '@connectrpc/connect'
import { createRequestSigner, type GrpcSigningOptions } from './grpc/request-signer.ts'
import { SignerError } from './signer-error.ts'

export type { AccessTokenFunction, GrpcSigningOptions, RequestBytesSigner } from './grpc/request-signer.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'

/**
 * Creates an interceptor that signs each request, for the transport of any gRPC client of Connect, such as `createGrpcTransport`
 * of connect-node. Make it the last interceptor of the transport: the transport must send the message that was signed.
 *
 * The signature covers the serialized message. The transport serializes the same message again, which is a frozen copy, so both
 * have the same bytes. The transport must use the binary format and keep the default `binaryOptions`.
 *
 * Calls fail with a `ConnectError`, whose code is that of the interceptor for grpc-js:
 *
 * - `Unauthenticated`, if signing failed. `cause` is the error of `accessToken()`, or SignerError `SIGNER_OPTION_INVALID` if the
 *   token is invalid.
 * - `Unimplemented` with SignerError `SIGNER_METHOD_UNSUPPORTED` as `cause`, if the method streams requests, or the transport sends
 *   JSON.
 * - `Internal` with SignerError `SIGNER_HEADER_FORBIDDEN` as `cause`, if the request has the header `x-app-secret`; with the error of
 *   protobuf-es, if the message cannot be serialized.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { TradeEventService } from '@brokerwire/protos'
 * import { createSigner } from '@brokerwire/signer'
 * import { createSigningInterceptor } from '@brokerwire/signer/connect'
 * import { createClient } from '@connectrpc/connect'
 * import { createGrpcTransport } from '@connectrpc/connect-node'
 *
 * const signer = createSigner({ appKey: 'my-key', appSecret: process.env.APP_SECRET ?? '' })
 * const transport = createGrpcTransport({
 *   baseUrl: 'https://events-api.example.com',
 *   interceptors: [createSigningInterceptor({ signer })],
 * })
 * const request = { subscribeType: 1, timestamp: BigInt(Date.now()), accounts: ['ACCOUNT'] }
 * for await (const message of createClient(TradeEventService, transport).subscribe(request)) console.log(message.payload)
 * ```
 */
export function createSigningInterceptor(options: GrpcSigningOptions): Interceptor {
  const sign = createRequestSigner(options)
  return (next) => async (request) => {
    const { method, header, signal } = request
    checkRequest(request)
    const given = request.stream ? await onlyMessage(request.message) : request.message
    const { message, bytes } = serialize(method.input, given)
    const headers = await abortable(sign(bytes, signal), signal).catch((error: unknown) => {
      throw signal.aborted ? error : failure(Code.Unauthenticated, error, 'signing the request failed')
    })
    for (const [name, value] of Object.entries(headers)) header.set(name, value)
    return await next(request.stream ? { ...request, message: oneMessage(message) } : { ...request, message })
  }
}

function checkRequest({ method, header }: UnaryRequest | StreamRequest): void {
  const { methodKind } = method
  if (methodKind !== 'unary' && methodKind !== 'server_streaming') {
    const message = `the method must be unary or server streaming, because a signature covers one message; received ${methodKind}`
    const details = { field: 'method', expected: 'unary or server streaming' }
    throw failure(Code.Unimplemented, new SignerError('SIGNER_METHOD_UNSUPPORTED', message, { details }))
  }
  if (header.get('content-type')?.includes('json')) {
    const message = 'the transport must send the binary format; received JSON. Remove useBinaryFormat: false'
    const details = { field: 'useBinaryFormat', expected: 'true' }
    throw failure(Code.Unimplemented, new SignerError('SIGNER_METHOD_UNSUPPORTED', message, { details }))
  }
  if (header.has('x-app-secret')) {
    const message = 'x-app-secret must not be sent: remove the header'
    const details = { field: 'x-app-secret', expected: 'absent' }
    throw failure(Code.Internal, new SignerError('SIGNER_HEADER_FORBIDDEN', message, { details }))
  }
}

/** Returns the error that the caller receives. Its message states the reason. */
function failure(code: Code, cause: unknown, subject?: string): ConnectError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = subject === undefined ? reason : `${subject}: ${reason}`
  return new ConnectError(message, code, undefined, undefined, cause)
}

/** Returns a frozen copy, because the caller may use its message again, and the bytes of the copy. */
function serialize<Desc extends DescMessage>(schema: Desc, given: MessageShape<Desc>) {
  try {
    const message = deepFreeze(clone(schema, given))
    return { message, bytes: toBinary(schema, message) }
  } catch (error) {
    throw failure(Code.Internal, error, 'serializing the request failed')
  }
}

async function onlyMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  const received: T[] = []
  for await (const message of messages) received.push(message)
  const [first, ...others] = received
  if (first !== undefined && others.length === 0) return first
  const message = `messages must be one; received ${received.length}`
  const details = { field: 'messages', expected: 'one' }
  throw failure(Code.Internal, new SignerError('SIGNER_INPUT_INVALID', message, { details }))
}

async function* oneMessage<T>(message: T): AsyncGenerator<T> {
  yield message
}
