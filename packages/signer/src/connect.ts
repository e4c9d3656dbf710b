/** The entry `@brokerwire/signer/connect`: an interceptor that signs the requests of a Connect client. */
import { deepFreeze } from '@brokerwire/core/internal'
import { clone, toBinary } from '@bufbuild/protobuf'
import type { Interceptor, StreamRequest, UnaryRequest } from '@connectrpc/connect'
import { createRequestSigner, type GrpcSigningOptions } from './grpc/request-signer.ts'
import { check } from './signer-error.ts'

export type { AccessTokenFunction, GrpcSigningOptions, RequestBytesSigner } from './grpc/request-signer.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'

/**
 * Creates an interceptor that signs each request, for the transport of any gRPC client of Connect, such as `createGrpcTransport`
 * of connect-node. Make it the last interceptor of the transport: the transport must send the message that was signed.
 *
 * The signature covers the serialized message. The transport serializes the same message again, which is a frozen copy, so both
 * have the same bytes. The transport must use the binary format and keep the default `binaryOptions`.
 *
 * Calls fail with a `ConnectError` whose `cause` is:
 *
 * - SignerError `SIGNER_METHOD_UNSUPPORTED`: the method streams requests, or the transport sends JSON.
 * - SignerError `SIGNER_OPTION_INVALID`: `accessToken()` returned an invalid token.
 * - SignerError `SIGNER_HEADER_FORBIDDEN`: the request has the header `x-app-secret`.
 * - the error of `accessToken()`.
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
    // A copy, because the caller may use its message again.
    const message = deepFreeze(clone(method.input, given))
    const headers = await sign(toBinary(method.input, message), signal)
    for (const [name, value] of Object.entries(headers)) header.set(name, value)
    return await next(request.stream ? { ...request, message: oneMessage(message) } : { ...request, message })
  }
}

function checkRequest({ method, header }: UnaryRequest | StreamRequest): void {
  const { methodKind } = method
  check(
    methodKind === 'unary' || methodKind === 'server_streaming',
    'method',
    'unary or server streaming',
    'SIGNER_METHOD_UNSUPPORTED',
    `the method must be unary or server streaming, because a signature covers one message; received ${methodKind}`,
  )
  check(
    header.get('content-type')?.includes('json') !== true,
    'useBinaryFormat',
    'true',
    'SIGNER_METHOD_UNSUPPORTED',
    'the transport must send the binary format; received JSON. Remove useBinaryFormat: false',
  )
  const secret = 'x-app-secret'
  const message = `${secret} must not be sent: remove the header`
  check(!header.has(secret), secret, 'absent', 'SIGNER_HEADER_FORBIDDEN', message)
}

async function onlyMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  const received: T[] = []
  for await (const message of messages) received.push(message)
  const [first] = received
  check(first !== undefined && received.length === 1, 'messages', 'one', 'SIGNER_INPUT_INVALID')
  return first
}

async function* oneMessage<T>(message: T): AsyncGenerator<T> {
  yield message
}
