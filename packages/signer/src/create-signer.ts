/** The signer as its users see it: everything is a promise, on every runtime. */
import type { RequestLike } from '@brokerwire/core'
import type { SignatureAlgorithm } from './algorithms.ts'
import type { RuntimeCrypto } from './crypto/port.ts'
import { type SignRequestOptions, signRequestWith } from './sign-request.ts'
import {
  type Signature,
  type SignerOptions,
  type SignInput,
  type StreamSignature,
  signerCore,
} from './signer.ts'

/** Signs requests and event streams with one key. */
export interface Signer {
  readonly appKey: string
  readonly algorithm: SignatureAlgorithm
  readonly streamAlgorithm: SignatureAlgorithm
  /**
   * Signs a request that the caller sends himself: add `headers`, send to `url`.
   *
   * Rejects with SignerError `SIGNER_TARGET_INVALID`, `SIGNER_INPUT_INVALID`, `SIGNER_OPTION_INVALID` (clock,
   * nonce).
   */
  sign(input: SignInput): Promise<Signature>
  /**
   * Signs a `Request` of the host. The given request's body is read; headers of the signature that it carries are
   * replaced, all others (`x-version`, `x-access-token`) pass through.
   *
   * Rejects like {@link Signer.sign}, and with `SIGNER_HEADER_FORBIDDEN`, `SIGNER_BODY_USED`,
   * `SIGNER_BODY_TOO_LARGE`.
   *
   * @returns A new request of the same class, with the line and the body that were signed.
   */
  signRequest<R extends RequestLike>(request: R, options?: SignRequestOptions): Promise<R>
  /**
   * Signs the serialized request of an event stream.
   *
   * @param requestBytes - The message that is sent, without gRPC's envelope. An empty message has a digest too.
   */
  signStream(requestBytes: Uint8Array): Promise<StreamSignature>
}

/** Makes the public signer over a runtime's hash functions. */
export function signerOver(options: SignerOptions, runtime: RuntimeCrypto): Signer {
  const core = signerCore(options, runtime)
  return {
    ...core,
    // An executor turns what is thrown into a rejection, as an async function does, in fewer turns of the queue.
    sign: (input) => new Promise((resolve) => resolve(core.sign(input))),
    signRequest: (request, requestOptions) => signRequestWith(core.sign, request, requestOptions),
    signStream: (requestBytes) => new Promise((resolve) => resolve(core.signStream(requestBytes))),
  }
}
