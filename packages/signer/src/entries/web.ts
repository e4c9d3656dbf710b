/** For runtimes with standard WebCrypto, which has no MD5: that comes from a library. */

import { type Signer, signerOver } from '../create-signer.ts'
import { webCryptoWithMd5 } from '../crypto/web-md5.ts'
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
  return signerOver(options, webCryptoWithMd5())
}

/**
 * Makes a verifier.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return verifierOver(options, webCryptoWithMd5())
}
