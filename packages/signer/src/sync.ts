/** `@brokerwire/signer/sync`: the same signatures without a promise, for Node, Deno and Bun. */
import type { SignatureAlgorithm } from './algorithms.ts'
import { libraryMd5 } from './crypto/library-md5.ts'
import { nativeCryptoWith, randomHex } from './crypto/native-runtime.ts'
import type { SyncSignerCrypto } from './crypto/port.ts'
import { requestDrafter, requestMessage, type SignInput, streamDrafter, streamMessage } from './drafts.ts'
import { type Signature, Signed, type StreamSignature } from './signature.ts'
import { readSignerOptions, type SignerOptions } from './signer-options.ts'

export type { SyncSignerCrypto } from './crypto/port.ts'
export type { SignInput } from './drafts.ts'
export type { Signature, SignatureHeaders, StreamSignature } from './signature.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from './signer-error.ts'

/** Options of {@link createSyncSigner}: those of `createSigner`, with a `crypto` that answers at once. */
export type SyncSignerOptions = SignerOptions<string>

/** Signs requests and event streams with one key, at once. */
export interface SyncSigner {
  readonly appKey: string
  readonly algorithm: SignatureAlgorithm
  readonly streamAlgorithm: SignatureAlgorithm
  /** Signs a request. @throws SignerError as `Signer.sign` rejects. */
  sign(input: SignInput): Signature
  /** Signs the serialized request of an event stream. */
  signStream(requestBytes: Uint8Array): StreamSignature
}

let made: SyncSignerCrypto | undefined

/** The process's crypto; all signers share its buffer. What answers at once cannot load a library when it is needed. */
function runtimeCrypto(): SyncSignerCrypto {
  made ??= nativeCryptoWith(libraryMd5)
  return made
}

/**
 * Makes a signer whose answers are no promises.
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
  const { appKey, requests, streams, order } = readSignerOptions(options, runtimeCrypto, randomHex)
  const draftRequest = requestDrafter(requests, order)
  const draftStream = streamDrafter(streams)
  return {
    appKey,
    algorithm: requests.algorithm,
    streamAlgorithm: streams.algorithm,
    sign(input) {
      const { headers, url, text, digest } = draftRequest(input)
      const message = requestMessage(text, digest)
      headers['x-signature'] = requests.mac(message)
      return new Signed(headers, message, url)
    },
    signStream(requestBytes) {
      const { headers, text, digest } = draftStream(requestBytes)
      const message = streamMessage(text, digest)
      headers['x-signature'] = streams.mac(message)
      return new Signed(headers, message, undefined)
    },
  }
}
