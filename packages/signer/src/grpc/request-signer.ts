/**
 * The headers of a signed gRPC request. The streams of `@brokerwire/streams`, the interceptor for Connect and the one for grpc-js
 * use this implementation.
 */
import type { AbortSignalLike, SecretInput } from '@brokerwire/core'
import { type FieldsOf, port, readOptions, type Schema } from '@brokerwire/core/internal'
import { readToken } from '../access-token.ts'
import type { StreamSignature } from '../signature.ts'
import { optionFailure } from '../signer-error.ts'

/** Signs a serialized request. The results of `createSigner` and `createSyncSigner` have this method. */
export interface RequestBytesSigner {
  /** Signs the serialized message, without gRPC's envelope. */
  signStream(requestBytes: Uint8Array): StreamSignature | PromiseLike<StreamSignature>
}

/** Returns the access token of a request, or `undefined` to send none. Called for each request. */
export type AccessTokenFunction = (request: {
  /** Aborts when the request is cancelled. */
  readonly signal: AbortSignalLike
}) => SecretInput | undefined | PromiseLike<SecretInput | undefined>

/** Options of an interceptor that signs requests. */
export interface GrpcSigningOptions {
  /** A signer, as `createSigner` or `createSyncSigner` creates it. */
  readonly signer: RequestBytesSigner
  /** The access token, or a function that returns it. @defaultValue no token is sent */
  readonly accessToken?: SecretInput | AccessTokenFunction | undefined
}

/** Returns the headers of a signed request, and its access token if it has one. Names in lower case. */
export type SignRequestBytes = (
  requestBytes: Uint8Array,
  signal: AbortSignalLike,
) => Promise<Readonly<Record<string, string>>>

/** Returns the headers of a signed request. @param accessToken - A token that `isTokenText` accepts. */
export async function signedHeaders(
  signer: RequestBytesSigner,
  requestBytes: Uint8Array,
  accessToken: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  const { headers } = await signer.signStream(requestBytes)
  return accessToken === undefined ? { ...headers } : { ...headers, 'x-access-token': accessToken }
}

const accessToken: Schema<AccessTokenFunction> = (value, path) => {
  if (typeof value === 'function') return value as AccessTokenFunction
  if (value !== undefined) readToken(value, path, 'a function')
  return () => value as SecretInput | undefined
}

/** Schemas of {@link GrpcSigningOptions}. */
const GRPC_SIGNING_OPTIONS = {
  signer: port<RequestBytesSigner>(['signStream']),
  accessToken,
} satisfies FieldsOf<GrpcSigningOptions>

/**
 * Creates the function that signs the requests of an interceptor.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createRequestSigner(options: GrpcSigningOptions): SignRequestBytes {
  const { signer, accessToken: getToken } = readOptions(optionFailure, options, GRPC_SIGNING_OPTIONS)
  return async (requestBytes, signal) => {
    // The token comes first, because the signature contains the time of the request.
    const provided = await getToken({ signal })
    const token = provided === undefined ? undefined : readToken(provided, 'accessToken()', 'undefined')
    return await signedHeaders(signer, requestBytes, token)
  }
}
