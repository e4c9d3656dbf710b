/** The entry `@brokerwire/signer/sync`: a synchronous signer for Node, Deno and Bun. */
import type { SignatureAlgorithm } from './algorithms.ts'
import { canonicalStream, stringToSign } from './canonical-request.ts'
import { nativeCryptoWith, randomHex } from './crypto/native-runtime.ts'
import { nobleMd5 } from './crypto/noble-md5.ts'
import type { SyncSignerCrypto } from './crypto/port.ts'
import { encodeCanonical } from './encode.ts'
import { RequestSignature, type Signature, type StreamSignature } from './signature.ts'
import { parseSignerOptions, type SignerOptions } from './signer-options.ts'
import { checkRequestBytes, createRequestBuilder, type SignInput } from './unsigned-request.ts'

export type { SyncSignerCrypto } from './crypto/port.ts'
export type { Signature, SignatureHeaders, StreamSignature } from './signature.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'
export type { SignInput } from './unsigned-request.ts'

/** Options of {@link createSyncSigner}: those of `createSigner`, with a synchronous `crypto`. */
export type SyncSignerOptions = SignerOptions<string>

/** Signs requests and event streams with one app key, synchronously. */
export interface SyncSigner {
  /** App key of the signatures. */
  readonly appKey: string
  /** Algorithm of HTTP requests. */
  readonly algorithm: SignatureAlgorithm
  /** Algorithm of event streams. */
  readonly streamAlgorithm: SignatureAlgorithm
  /** Signs a request. @throws SignerError with the codes of `Signer.sign`. */
  sign(input: SignInput): Signature
  /** Signs the serialized request of an event stream. */
  signStream(requestBytes: Uint8Array): StreamSignature
}

let made: SyncSignerCrypto | undefined

/**
 * Returns the hash functions, which are created once, so that all signers of the process share one buffer.
 * The library for MD5 is imported statically, because `import()` is asynchronous.
 */
function runtimeCrypto(): SyncSignerCrypto {
  made ??= nativeCryptoWith(nobleMd5)
  return made
}

/**
 * Creates a synchronous signer.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createSyncSigner } from '@brokerwire/signer/sync'
 *
 * declare const appKey: string
 * declare const appSecret: string
 *
 * const { url, headers } = createSyncSigner({ appKey, appSecret }).sign({ host: 'api.example.com', path: '/orders' })
 * ```
 */
export function createSyncSigner(options: SyncSignerOptions): SyncSigner {
  const { appKey, requests, streams, order } = parseSignerOptions(options, runtimeCrypto, randomHex)
  const prepare = createRequestBuilder(requests, order)
  return {
    appKey,
    algorithm: requests.algorithm,
    streamAlgorithm: streams.algorithm,
    sign(input) {
      const { headers, url, ...parts } = prepare(input)
      headers['x-signature'] = requests.hmac(stringToSign(parts))
      return new RequestSignature(headers, url, parts)
    },
    signStream(requestBytes) {
      checkRequestBytes(requestBytes)
      const { headers } = streams.nextHeaders()
      const canonical = canonicalStream(headers, streams.digest(requestBytes))
      headers['x-signature'] = streams.hmac(encodeCanonical(canonical))
      return { headers, canonical }
    },
  }
}
