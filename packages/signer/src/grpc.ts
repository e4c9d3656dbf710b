/** The entry `@brokerwire/signer/grpc`: an interceptor that signs the requests of a client of grpc-js. */
import { knownOptions } from '@brokerwire/core/internal'
import type { GrpcCall, GrpcInterceptor, GrpcJs } from './grpc/grpc-js-types.ts'
import { createRequestSigner, type GrpcSigningOptions } from './grpc/request-signer.ts'
import { SigningCall } from './grpc/signing-call.ts'
import { check, optionFailure } from './signer-error.ts'

export type { GrpcCallOptions, GrpcInterceptor, GrpcJs } from './grpc/grpc-js-types.ts'
export type { AccessTokenFunction, GrpcSigningOptions, RequestBytesSigner } from './grpc/request-signer.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'

/** Options of {@link createGrpcSigningInterceptor}. */
export interface GrpcJsSigningOptions<Next, Call> extends GrpcSigningOptions {
  /** The module `@grpc/grpc-js` that the client uses, or an object with its `InterceptingCall` and `Metadata`. */
  readonly grpc: GrpcJs<Next, Call>
}

/**
 * Creates an interceptor of grpc-js that signs each request. Make it the last interceptor of the client: later ones may change the
 * message or the metadata.
 *
 * The call starts after its message is signed. `requestSerialize` of the method makes the signed bytes, so it works with
 * proto-loader, protobufjs, ts-proto and other generated code.
 *
 * Calls fail with a `ServiceError` of grpc-js:
 *
 * - `UNAUTHENTICATED`, if signing failed. `cause` is the error of `accessToken()`, or SignerError `SIGNER_OPTION_INVALID` if the
 *   token is invalid.
 * - `UNIMPLEMENTED` with SignerError `SIGNER_METHOD_UNSUPPORTED` as `cause`, if the method streams requests.
 * - `INTERNAL` with SignerError `SIGNER_MESSAGE_CHANGED` as `cause`, if the caller changed the message meanwhile; with
 *   `SIGNER_HEADER_FORBIDDEN`, if the metadata has `x-app-secret`.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createSigner } from '@brokerwire/signer'
 * import { createGrpcSigningInterceptor } from '@brokerwire/signer/grpc'
 * import * as grpc from '@grpc/grpc-js'
 *
 * const signer = createSigner({ appKey: 'my-key', appSecret: process.env.APP_SECRET ?? '' })
 * const client = new grpc.Client('events-api.example.com:443', grpc.credentials.createSsl(), {
 *   interceptors: [createGrpcSigningInterceptor({ grpc, signer })],
 * })
 * client.close()
 * ```
 */
export function createGrpcSigningInterceptor<Next, Call>(
  options: GrpcJsSigningOptions<Next, Call>,
): GrpcInterceptor<Next, Call> {
  const given = Object(options) as GrpcJsSigningOptions<Next, Call>
  const { grpc, ...signing } = knownOptions(optionFailure, given, ['grpc', 'signer', 'accessToken'])
  const hasClasses = [grpc?.InterceptingCall, grpc?.Metadata].every((it) => typeof it === 'function')
  check(hasClasses, 'grpc', "the module '@grpc/grpc-js': import * as grpc from '@grpc/grpc-js'")
  const sign = createRequestSigner(signing)
  return (callOptions, nextCall) => {
    const call = new SigningCall({
      sign,
      options: callOptions,
      makeCall: () => nextCall(callOptions as never) as GrpcCall,
      createMetadata: () => new grpc.Metadata(),
    })
    // `Next` is grpc-js' interface of calls, whose types of other packages this file does not name.
    return new grpc.InterceptingCall(call as unknown as Next)
  }
}
