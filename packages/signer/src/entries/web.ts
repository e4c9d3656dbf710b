/** For runtimes with standard WebCrypto, which has no MD5: that comes from a library. */

import { ownOptions } from '@brokerwire/core'
import type { CapturedRequest, CapturedStream } from '../captured.ts'
import { type Comparison, compareWith } from '../compare.ts'
import { promising, type Signer } from '../create-signer.ts'
import { webCryptoWithMd5 } from '../crypto/web-md5.ts'
import { type Explanation, explainWith } from '../explain.ts'
import { type SignerOptions, signerCore } from '../signer.ts'
import { type Verifier, type VerifierOptions, verifierOver } from '../verifier.ts'

export * from '../index.ts'

/**
 * Makes a signer. Works in a Worker's global scope: nothing random is drawn and no key imported before the first
 * signature.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`, `SIGNER_CRYPTO_UNAVAILABLE`.
 */
export function createSigner(options: SignerOptions): Signer {
  return signerCore(options, webCryptoWithMd5(ownOptions(options).crypto), promising) as Signer
}

/**
 * Makes a verifier.
 *
 * @throws SignerError `SIGNER_OPTION_INVALID`, `SIGNER_CRYPTO_UNAVAILABLE`.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return verifierOver(options, webCryptoWithMd5(ownOptions(options).crypto))
}

/**
 * Shows how a captured request or stream was signed, step by step.
 *
 * @returns Rejects with SignerError `SIGNER_INPUT_INVALID` or `SIGNER_TARGET_INVALID` where it is no signed request.
 */
export function explain(captured: CapturedRequest | CapturedStream): Promise<Explanation> {
  return explainWith(captured, webCryptoWithMd5())
}

/**
 * Finds where two canonical strings differ first, and why.
 *
 * @param ours - A canonical string, percent-encoded or not, or the captured request or stream itself: with its body
 * known, changes on the way are recognized.
 * @param theirs - The other side's canonical string, percent-encoded or not.
 */
export function compare(
  ours: string | CapturedRequest | CapturedStream,
  theirs: string,
): Promise<Comparison> {
  return compareWith(ours, theirs, webCryptoWithMd5())
}
