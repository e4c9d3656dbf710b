/** `@brokerwire/signer/sync`: the same signatures without a promise, for Node, Deno and Bun. */

import type { SignatureAlgorithm } from '../algorithms.ts'
import type { SyncSignerCrypto } from '../crypto/port.ts'
import { runtimeCrypto } from '../crypto/runtime.ts'
import {
  type Signature,
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

/**
 * Makes a signer whose answers are no promises.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createSyncSigner(options: SyncSignerOptions): SyncSigner {
  // Every hash answers at once here, so the core does.
  return signerCore(options, runtimeCrypto()) as SyncSigner
}
