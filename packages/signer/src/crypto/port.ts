/**
 * Hashing as a port: what differs between the runtimes, and nothing else. `#crypto` stands for the file that a runtime's
 * conditions pick: `native-runtime.ts`, `workerd-runtime.ts` or `web-runtime.ts`.
 */
import type { OwnedBytes } from '@brokerwire/core'
import type { DigestName, MacHash } from '../algorithms.ts'

/**
 * The hash functions that a signer needs. Texts in and out, because that is what headers and canonical strings are.
 *
 * @typeParam Text - What they answer with: a text, or also the promise of one.
 */
export interface Hashing<Output> {
  /** Digest of `bytes`, as lower-case hex. */
  digest(algorithm: DigestName, bytes: Uint8Array): Output
  /**
   * Called once for each key and algorithm, when the signer is made. The returned function gets ASCII text and gives
   * the HMAC of its bytes as standard Base64 with padding.
   */
  hmac(algorithm: MacHash, key: OwnedBytes): (message: string) => Output
}

/** The hash functions that a signer needs. Answers may be promises. */
export type SignerCrypto = Hashing<string | PromiseLike<string>>

/** Hash functions that answer at once. */
export type SyncSignerCrypto = Hashing<string>
