/** For Cloudflare Workers: WebCrypto, whose MD5 is the runtime's own. */

import { type Signer, signerOver } from '../create-signer.ts'
import { webCrypto } from '../crypto/web.ts'
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
  return signerOver(options, webCrypto)
}

/**
 * Makes a verifier.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return verifierOver(options, webCrypto)
}
