/** `@brokerwire/signer/sync`: the same signatures without a promise, for Node, Deno and Bun. */

import type { SignatureAlgorithm } from '../algorithms.ts'
import type { SyncSignerCrypto } from '../crypto/port.ts'
import { runtimeCrypto } from '../crypto/runtime.ts'
import {
  messageOf,
  type Runner,
  type Signature,
  Signed,
  type SignerOptions,
  type SignInput,
  type StreamSignature,
  signerCore,
} from '../signer.ts'

export type { SyncSignerCrypto } from '../crypto/port.ts'
export type { Signature, SignatureHeaders, SignInput, StreamSignature } from '../signer.ts'
export { isSignerError, SignerError, type SignerErrorCode, type SignerErrorDetails } from '../signer-error.ts'

/** Options of {@link createSyncSigner}: those of `createSigner`, with a `crypto` that answers at once. */
export interface SyncSignerOptions extends Omit<SignerOptions, 'crypto'> {
  /** Hash functions to use instead of the runtime's. */
  readonly crypto?: SyncSignerCrypto | undefined
}

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

/** Every hash answers at once here. */
const atOnce: Runner = (draft) => (input) => {
  const [mac, digest, headers, text, url] = draft(input)
  const message = messageOf(text, digest as string | undefined, url)
  headers['x-signature'] = mac(message) as string
  return new Signed(headers, url, message)
}

/**
 * Makes a signer whose answers are no promises.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createSyncSigner(options: SyncSignerOptions): SyncSigner {
  return signerCore(options, runtimeCrypto(), atOnce) as SyncSigner
}
