/** For Node, Deno and Bun: native crypto, synchronous underneath. */

import { type Signer, signerOver } from '../create-signer.ts'
import { runtimeCrypto } from '../crypto/runtime.ts'
import type { SignerOptions } from '../signer.ts'
import { type Verifier, type VerifierOptions, verifierOver } from '../verifier.ts'

export * from '../index.ts'

/**
 * Makes a signer. Works in a Worker's global scope: nothing random is drawn and no key imported before the first
 * signature.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createSigner(options: SignerOptions): Signer {
  return signerOver(options, runtimeCrypto())
}

/**
 * Makes a verifier.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return verifierOver(options, runtimeCrypto())
}
